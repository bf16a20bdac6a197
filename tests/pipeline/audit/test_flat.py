"""Memory of an audit: what is held, and what comes back of a part, does not grow with the rows."""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from audit_rows import alike, row
from hypothesis import given

from facelet.generators.core import seeding
from facelet.generators.core.seeding import digest
from facelet.pipeline import spools
from facelet.pipeline.audit import held, parts, recalling, spilling
from facelet.pipeline.audit.figures import figures
from facelet.pipeline.audit.held import Rows, pack, where
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.audit.recalling import recall
from facelet.pipeline.audit.sharing import ANY, FIRST, shared
from facelet.pipeline.audit.tried import Clusters, Trials
from facelet.pipeline.audit.wanting import Effort, wanted
from facelet.pipeline.dataset import reading as published
from facelet.pipeline.dataset.alike import effective
from facelet.pipeline.dataset.rows import is_training

FEW, MANY = 1_500, 6_000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held at a time is little, so that what grows would be seen."""
    for module, name, value in (
        (held, "PIECE", 64),
        (held, "OPEN", 1 << 16),
        (spools, "KEPT", 1 << 12),
        (spools, "BLOCK", 256),
        (spools, "RANGE", 256),
        (spilling, "KEPT", 1 << 12),
        (spilling, "HELD", 64),
        (spilling, "BUCKET", 64),
        (recalling, "BUCKET", 64),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(seeding, "_kept", seeding._written)  # keeps some thousand names


def made(size: int) -> Iterator[Observed]:
    """Yield rows of three levels, two of a puzzle, half of them for training, many alike."""
    for number in range(size):
        start, place = divmod(number, 2)
        level = 1 + 3 * number // size
        options = tuple(digest("option", start, k).hex()[:8] for k in range(4))
        yield row(
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
            pictures=digest("picture", start % (size // 4)).hex(),
            text="the same of all",
            first=f"class {start}",
            shown=(f"class {start}", f"later {start}"),
            puzzle=f"puzzle {start}",
            canonical=f"class {start}",
            replies=("Answer: A",),
            by=("listed",),
        )


def packed(size: int, folder: Path) -> Rows[Observed]:
    return Rows([pack(Observed, made(size), folder / f"rows {size}")])


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", ["figures", "shared", "recall", "wanted", "identity"])
def test_what_is_held_hardly_grows(what: str, toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/choice"]

    def work(rows: Sequence[Observed], turn: int) -> object:
        if what == "figures":
            return figures(where(rows, lambda row: row.split == "test"), task)
        if what == "shared":
            return shared(rows, task)
        if what == "recall":
            return recall(rows, "answers")
        if what == "wanted":
            return wanted(rows, Effort.of(3))
        return parts._identity("toys.choice", rows, task, tmp_path / f"hashes {turn}")

    held_of: dict[int, int] = {}
    for turn, size in enumerate((FEW, FEW, MANY)):  # what is loaded is so before it counts
        rows = packed(size, tmp_path)
        held_of[size] = peak(lambda rows=rows, turn=turn: work(rows, turn))
    more = (held_of[MANY] - held_of[FEW]) / (MANY - FEW)
    assert more < 40, f"{what} holds {more:.0f} bytes more for each row"


def test_what_comes_back_of_a_part_does_not_grow(toys: SimpleNamespace, tmp_path: Path) -> None:
    task = toys.tasks["toy/choice"]
    toys.write_config(tmp_path / "out", task, toys.fair_cells(task))
    splits = tuple(published.splits(tmp_path / "out"))
    sizes = {}
    for size in (FEW, MANY):
        files = [pack(Observed, made(size), tmp_path / f"rows {size}")]
        folder = tmp_path / f"hashes {size}"
        found = parts._measure(splits, files, toys.lookup, None, 1e-3, folder)
        sizes[size] = len(pickle.dumps(found, protocol=5))
        assert len(found.identity.ids) == size and found.readers and found.levels
    assert sizes[MANY] - sizes[FEW] < (MANY - FEW) / 2, sizes


@given(rows=alike())
def test_trials_are_those_of_clusters(rows: list[Observed]) -> None:
    clusters = Clusters()
    for one in rows:
        clusters.add(one.cell, one.cluster)
    assert clusters.trials() == Trials(
        int(effective(one.cluster for one in rows)),
        {
            cell: int(effective(one.cluster for one in rows if one.cell == cell))
            for cell in dict.fromkeys(one.cell for one in rows)
        },
    )


@given(rows=alike())
def test_shared_is_counted_row_by_row(toys: SimpleNamespace, rows: list[Observed]) -> None:
    train = [one for one in rows if is_training(one.split)]
    found = shared(rows, toys.tasks["toy/choice"])
    splits = {one.split for one in rows if not is_training(one.split)} if train else set()
    assert found.keys() == {(split, "") for split in splits}
    begun = {one.first for one in train}
    shown = {said for one in train for said in one.shown}
    for (split, _), said in found.items():
        mine = [one for one in rows if one.split == split]
        first = sum(one.first in begun for one in mine)
        later = sum(not shown.isdisjoint(one.shown) for one in mine)
        assert (said[FIRST].value, said[FIRST].n) == (first / len(mine), len(mine))
        assert (said[ANY].value, said[ANY].n) == (later / len(mine), len(mine))


@given(rows=alike())
def test_the_same_is_wanted_as_of_all_at_once(rows: list[Observed]) -> None:
    effort = Effort(3, 2, 1.0)
    for whole in (False, True):
        for level in wanted(rows, effort, whole=whole):
            inside = [one for one in rows if one.cell == level.cell]
            order = sorted(
                {one.group for one in inside}, key=lambda group: digest("blind", "half", group)
            )
            of = {
                group: sorted(
                    (one for one in inside if one.group == group),
                    key=lambda one: digest("blind", "row", one.id),
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
            assert list(level.looked) == (dealt if whole else dealt[:2])
    assert Counter(one.cell for one in wanted(rows, effort)) == Counter({one.cell for one in rows})
