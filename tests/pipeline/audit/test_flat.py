"""Memory of an audit: what is held, and what comes back of a part, does not grow with the rows."""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from audit_rows import alike, make_row
from cluster_counts import count_effective
from hypothesis import given

from facelet.generators.core import seeding
from facelet.generators.core.seeding import digest_names
from facelet.pipeline import spill_sort
from facelet.pipeline.audit import memorizing_player, packed_records, spill_buffer, work_units
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.fairness_figures import measure_config
from facelet.pipeline.audit.level_plays import LevelEffort, select_levels
from facelet.pipeline.audit.memorizing_player import score_memories
from facelet.pipeline.audit.packed_records import RowView, filter_rows, pack_records
from facelet.pipeline.audit.player_results import ClusterCounter, TrialCounts
from facelet.pipeline.audit.split_overlap import ANY, FIRST, measure_shared_rows
from facelet.pipeline.dataset import dataset_reader as published
from facelet.pipeline.dataset.row_columns import is_training

FEW, MANY = 1_500, 6_000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held at a time is little, so that what grows would be seen."""
    for module, name, value in (
        (packed_records, "PIECE", 64),
        (packed_records, "OPEN", 1 << 16),
        (spill_sort, "MEMORY_LIMIT", 1 << 12),
        (spill_sort, "BLOCK", 256),
        (spill_sort, "RANGE_SIZE", 256),
        (spill_buffer, "MEMORY_LIMIT", 1 << 12),
        (spill_buffer, "UNPACKED_LIMIT", 64),
        (spill_buffer, "BUCKET", 64),
        (memorizing_player, "BUCKET", 64),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(seeding, "_kept", seeding._encode_name)  # keeps some thousand names


def make_rows(size: int) -> Iterator[AuditedRow]:
    """Yield rows of three levels, two of a puzzle, half of them for training, many alike."""
    for number in range(size):
        start, place = divmod(number, 2)
        level = 1 + 3 * number // size
        options = tuple(digest_names("option", start, k).hex()[:8] for k in range(4))
        yield make_row(
            number,
            id=f"toys.choice/d{level:02d}/{number:06d}",
            cell=f"d{level:02d}",
            difficulty=level,
            split="train" if number * 6 // size % 2 else "test",
            group=f"start {start}",
            gold=("ABCD"[(start + place) % 4],),
            options=options,
            prompt=f"prompt {number}",
            content=f"content {number}",
            pictures=digest_names("picture", start % (size // 4)).hex(),
            text="the same of all",
            first=f"class {start}",
            shown_classes=(f"class {start}", f"later {start}"),
            puzzle=f"puzzle {start}",
            canonical=f"class {start}",
            replies=("Answer: A",),
            split_values=("listed",),
        )


def pack_rows(size: int, folder: Path) -> RowView[AuditedRow]:
    return RowView([pack_records(AuditedRow, make_rows(size), folder / f"rows {size}")])


def measure_peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", ["figures", "shared", "recall", "wanted", "identity"])
def test_what_is_held_hardly_grows(what: str, toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/choice"]

    def use_rows(rows: Sequence[AuditedRow], turn: int) -> object:
        if what == "figures":
            return measure_config(filter_rows(rows, lambda row: row.split == "test"), task)
        if what == "shared":
            return measure_shared_rows(rows, task)
        if what == "recall":
            return score_memories(rows, "answers")
        if what == "wanted":
            return select_levels(rows, LevelEffort.for_levels(3))
        return work_units._build_identity("toys.choice", rows, task, tmp_path / f"hashes {turn}")

    held_of: dict[int, int] = {}
    for turn, size in enumerate((FEW, FEW, MANY)):  # what is loaded is so before it counts
        rows = pack_rows(size, tmp_path)
        held_of[size] = measure_peak(lambda rows=rows, turn=turn: use_rows(rows, turn))
    more = (held_of[MANY] - held_of[FEW]) / (MANY - FEW)
    assert more < 40, f"{what} holds {more:.0f} bytes more for each row"


def test_what_comes_back_of_a_part_does_not_grow(toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/choice"]
    toys.write_config(tmp_path / "out", task, toys.fair_cells(task))
    splits = tuple(published.list_splits(tmp_path / "out"))
    sizes = {}
    for size in (FEW, MANY):
        files = [pack_records(AuditedRow, make_rows(size), tmp_path / f"rows {size}")]
        folder = tmp_path / f"hashes {size}"
        found = work_units._measure_rows(splits, files, toys.lookup, None, 1e-3, folder)
        sizes[size] = len(pickle.dumps(found, protocol=5))
        assert len(found.identity.ids) == size and found.readers and found.levels
    assert sizes[MANY] - sizes[FEW] < (MANY - FEW) / 2, sizes


@given(rows=alike())
def test_trials_are_those_of_clusters(rows: list[AuditedRow]) -> None:
    clusters = ClusterCounter()
    for one in rows:
        clusters.add(one.cell, one.cluster)
    assert clusters.count_trials() == TrialCounts(
        int(count_effective(one.cluster for one in rows)),
        {
            cell: int(count_effective(one.cluster for one in rows if one.cell == cell))
            for cell in dict.fromkeys(one.cell for one in rows)
        },
    )


@given(rows=alike())
def test_shared_is_counted_row_by_row(toys: SimpleNamespace, rows: list[AuditedRow]) -> None:
    train = [one for one in rows if is_training(one.split)]
    found = measure_shared_rows(rows, toys.tasks["toy/choice"])
    splits = {one.split for one in rows if not is_training(one.split)} if train else set()
    assert found.keys() == {(split, "") for split in splits}
    begun = {one.first for one in train}
    shown = {said for one in train for said in one.shown_classes}
    for (split, _), said in found.items():
        mine = [one for one in rows if one.split == split]
        first = sum(one.first in begun for one in mine)
        later = sum(not shown.isdisjoint(one.shown_classes) for one in mine)
        assert (said[FIRST].value, said[FIRST].n) == (first / len(mine), len(mine))
        assert (said[ANY].value, said[ANY].n) == (later / len(mine), len(mine))


@given(rows=alike())
def test_the_same_is_wanted_as_of_all_at_once(rows: list[AuditedRow]) -> None:
    effort = LevelEffort(3, 2, 1.0)
    for whole in (False, True):
        for level in select_levels(rows, effort, whole=whole):
            inside = [one for one in rows if one.cell == level.cell]
            order = sorted(
                {one.group for one in inside},
                key=lambda group: digest_names("blind", "half", group),
            )
            of = {
                group: sorted(
                    (one for one in inside if one.group == group),
                    key=lambda one: digest_names("blind", "row", one.id),
                )
                for group in order
            }
            assert list(level.rows) == [of[group][0].id for group in order[:3]]
            dealt = [
                of[group][turn].id
                for turn in range(len(inside))
                for group in order[:2]
                if turn < len(of[group])
            ]
            assert list(level.shortcut_rows) == (dealt if whole else dealt[:2])
    assert Counter(one.cell for one in select_levels(rows, effort)) == Counter(
        {one.cell for one in rows}
    )
