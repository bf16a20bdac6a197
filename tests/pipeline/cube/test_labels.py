"""Labels: exact, even, resumable at any instant to the same bytes, split by classes of symmetry."""

from __future__ import annotations

import json
import multiprocessing
import random
import runpy
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cube_states import coset_of
from sparse_memory import allocate_zeros

from facelet.generators.cube.distance import compiled_cores
from facelet.generators.cube.distance.coset_search import CosetLevel, CosetSearch, CosetTables
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, symmetry
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline import cli
from facelet.pipeline.cube.labels import label_maker
from facelet.pipeline.cube.labels.label_maker import LevelFile, draw_cosets, draw_level
from facelet.pipeline.cube.labels.label_writer import (
    CosetRecord,
    LabelFile,
    StickerStatistics,
    effective_numbers,
)
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.dataset import atomic_files

KILLS = 30

EXAMPLE = Path(__file__).parents[3] / "conf/docs/examples/learned_distance.py"


@pytest.fixture(scope="module")
def tables() -> CosetTables:
    return CosetTables(allocate_zeros, within=8)


@pytest.fixture
def near(tables: CosetTables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs be of two cosets near solved, which have states at 6 and 7."""
    numbers = [
        coset_of(tables, moves.apply_maneuver(SOLVED, word)) for word in [("R", "F"), ("L'", "F'")]
    ]
    search = CosetSearch(tables, allocate_zeros, threads=2)
    monkeypatch.setattr(label_maker, "draw_cosets", lambda *_: numbers)
    monkeypatch.setattr(label_maker, "CosetTables", lambda _: tables)
    monkeypatch.setattr(label_maker, "CosetSearch", lambda *_, **__: search)
    monkeypatch.setattr(label_maker, "available_memory", lambda: None)


def make_settings(out: Path, **keys: object) -> LabelsSettings:
    given = {"depths": "6-7", "count": 500, "cosets": 2, "shard": 100, "progress": False}
    return LabelsSettings(out=out, **{**given, "splits": "train:3,test:1", **keys})  # type: ignore[arg-type]


def read_rows(out: Path) -> pa.Table:
    return pa.concat_tables(pq.read_table(path) for path in sorted(out.rglob("*.parquet")))


def read_tree(out: Path) -> dict[str, bytes]:
    found = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


def test_labels_are_exact_distinct_and_solved(
    near: None, tables: CosetTables, tmp_path: Path
) -> None:
    out = tmp_path / "labels"
    made = label_maker.make_labels(make_settings(out, solutions=True))
    table = read_rows(out)
    assert Counter(table["distance"].to_pylist()) == {6: 500, 7: 500}
    assert len(set(table["facelets"].to_pylist())) == 1000
    assert "1,000 labels of 2 cosets" in made.format_summary()
    solver = ExactSolver(open_table("htm-small", progress=False))
    for row in table.to_pylist():
        word = tuple(row["solution"].split())
        assert len(word) == row["distance"]
        assert moves.apply_maneuver(row["facelets"], word) == SOLVED
        assert coset_of(tables, row["facelets"]) == row["coset"]
        assert tables.code_of(row["facelets"]) == row["code"]
    for row in table.to_pylist()[::20]:
        assert solver.at_most(row["facelets"], row["distance"] - 1).solution is None
    for coset in made.cosets:
        told = {row["weight"] for row in table.to_pylist() if row["coset"] == coset.number}
        assert told == {coset.levels[6] / 250, coset.levels[7] / 250}


def test_all_states_of_a_level_are_there_without_a_count(near: None, tmp_path: Path) -> None:
    made = label_maker.make_labels(
        make_settings(tmp_path / "labels", count=0, depths="6", facelets=False)
    )
    table = read_rows(tmp_path / "labels")
    assert len(table) == sum(coset.levels[6] for coset in made.cosets)
    assert table.column_names == ["distance", "coset", "code", "weight"]
    assert set(table["weight"].to_pylist()) == {1.0}


def test_classes_of_symmetry_stay_in_one_split(near: None, tmp_path: Path) -> None:
    """The two cosets are mirror images: every class of one has members in the other."""
    label_maker.make_labels(make_settings(tmp_path / "labels", count=0, depths="5"))
    of: dict[str, set[str]] = {}
    members = Counter()
    for path in (tmp_path / "labels").rglob("*.parquet"):
        for state in pq.read_table(path)["facelets"].to_pylist():
            name = symmetry.canonical_with_inverse(state)
            of.setdefault(name, set()).add(path.parent.name)
            members[name] += 1
    assert max(members.values()) > 1
    assert all(len(splits) == 1 for splits in of.values())
    share = Counter(split for splits in of.values() for split in splits)
    assert 0.65 < share["train"] / len(of) < 0.85


def test_levels_are_kept_by_coset_beside_the_records_until_these_are_written(
    near: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[Path, int]] = []

    class NotingKept(LevelFile):
        def __init__(self, path: Path, coset: int) -> None:
            super().__init__(path, coset)
            path.write_bytes(b"a map")
            told.append((path, coset))

    monkeypatch.setattr(label_maker, "LevelFile", NotingKept)
    out = tmp_path / "labels"
    made = label_maker.make_labels(make_settings(out))
    work = out / label_maker.WORK
    names = [work / "coset-00000.map", work / "coset-00001.map"]
    assert told == [(path, one.number) for path, one in zip(names, made.cosets, strict=True)]
    assert not list(out.rglob("*.map"))
    names[0].write_bytes(b"left by a kill after the record")
    label_maker.make_labels(make_settings(out))
    assert not list(out.rglob("*.map"))


class DyingDisk(atomic_files.DiskOperations):
    """Dies before its n-th call."""

    def __init__(self, left: int) -> None:
        self.left = left

    def _count_call(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt

    def sync_path(self, path: Path) -> None:
        self._count_call()

    def rename_file(self, old: Path, new: Path) -> None:
        self._count_call()
        super().rename_file(old, new)


def test_a_run_that_died_anywhere_ends_with_the_same_bytes(
    near: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"shard": 60, "count": 100, "depths": "5-6", "workers": 1}
    label_maker.make_labels(make_settings(tmp_path / "whole", **keys))
    whole = read_tree(tmp_path / "whole")
    assert len(whole) > 10
    for call in range(1, 200, 9):
        out = tmp_path / f"died-{call}"
        with monkeypatch.context() as patch:
            patch.setattr(atomic_files, "disk", DyingDisk(call))
            try:
                label_maker.make_labels(make_settings(out, **keys))
            except KeyboardInterrupt:
                pass
            else:
                break
        label_maker.make_labels(make_settings(out, **keys))
        assert read_tree(out) == whole
    assert 40 < call < 190


@pytest.mark.slow
def test_a_run_that_was_killed_ends_with_the_same_bytes(near: None, tmp_path: Path) -> None:
    """A process of its own is killed, at moments that are spread over a whole run."""
    keys = {"shard": 40, "count": 400, "depths": "5-7", "workers": 1}
    forks, moments = multiprocessing.get_context("fork"), random.Random(28)

    def run_labels(out: Path, seconds: float | None = None) -> int | None:
        process = forks.Process(target=label_maker.make_labels, args=(make_settings(out, **keys),))
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode

    start = time.monotonic()
    assert run_labels(tmp_path / "whole") == 0
    span, whole = time.monotonic() - start, read_tree(tmp_path / "whole")
    kills = runs = 0
    while kills < KILLS:
        out = tmp_path / str(runs)
        while (code := run_labels(out, moments.uniform(0, span))) != 0:
            assert code == -signal.SIGKILL
            kills += 1
        assert read_tree(out) == whole
        runs += 1
    print(f"{kills} kills in {runs} runs")


def test_threads_change_no_byte(near: None, tmp_path: Path) -> None:
    for workers in (1, 3):
        label_maker.make_labels(make_settings(tmp_path / str(workers), workers=workers))
    assert read_tree(tmp_path / "1") == read_tree(tmp_path / "3")


def test_other_settings_are_refused_and_another_folder_is_left_alone(
    near: None, tmp_path: Path
) -> None:
    label_maker.make_labels(make_settings(tmp_path / "labels", depths="5"))
    before = read_tree(tmp_path / "labels")
    with pytest.raises(ValueError, match=r"was made with other settings \(seed=0\)"):
        label_maker.make_labels(make_settings(tmp_path / "labels", depths="5", seed=1))
    assert read_tree(tmp_path / "labels") == before
    plan = tmp_path / "labels" / label_maker.WORK / "plan.json"
    plan.write_bytes(b"PAR1\xcc")
    with pytest.raises(ValueError, match=r"out=\S*labels .*its plan cannot be read"):
        label_maker.make_labels(make_settings(tmp_path / "labels", depths="5"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="is not empty"):
        label_maker.make_labels(make_settings(tmp_path / "mine"))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("depths=16-18", "18 is out of range"),
        ("count=3 cosets=4", "take cosets=3"),
        ("count=0 solutions=true", "solutions=true needs memory"),
        ("splits=train", "cannot read 'train'"),
        ("depths=0", "out of range"),
    ],
)
def test_what_cannot_be_made_is_told_before_any_work(
    words: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels"
    assert cli.main(["labels", f"out={out}", *words.split()]) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()


def test_too_little_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_maker, "available_memory", lambda: 5 * 10**9)
    with pytest.raises(ValueError, match=r"takes 6.4 GB of memory, and 5.0 GB.*depths up to 15"):
        label_maker.make_labels(make_settings(tmp_path / "labels", depths="16"))


def test_a_search_that_is_not_compiled_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_cores, "load_compiled", lambda name: None)
    out = tmp_path / "labels"
    assert cli.main(["labels", f"out={out}"]) == 2
    assert "the coset search is not compiled here: install a wheel" in capsys.readouterr().err
    assert not out.exists()


def make_level(sizes: list[int]) -> CosetLevel:
    codes = np.concatenate(
        [page * 1000 + np.arange(size, dtype=np.uint64) for page, size in enumerate(sizes)]
    )
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return CosetLevel(9, np.array(sizes), lambda low, high: codes[ends[low] : ends[high]])


def test_states_are_drawn_with_one_probability() -> None:
    one = make_level([7, 0, 100, 1, 12])
    drawn = Counter()
    for seed in range(600):
        taken = draw_level(one, seed, 5, 30)
        codes = np.concatenate(
            [taken.codes_in_pages(low, high) for low, high in taken.page_ranges(10)]
        )
        assert len(set(codes.tolist())) == taken.state_count == 30
        assert np.all(np.diff(codes.astype(np.int64)) > 0)
        drawn.update(codes.tolist())
    assert len(drawn) == 120
    assert all(abs(count - 150) < 60 for count in drawn.values())  # 5.6 standard deviations
    assert draw_level(one, 0, 5, 500).state_count == 120


def test_what_is_drawn_of_a_level_unpacks_no_more_than_a_page_at_once() -> None:
    """The codes of a whole level at 17 are 48 GB."""
    whole, asked = make_level([7, 0, 100, 1, 12]), list[tuple[int, int]]()

    def unpack_codes(low: int, high: int) -> np.ndarray:
        asked.append((low, high))
        return whole.codes(low, high)

    taken = draw_level(CosetLevel(9, whole.pages, unpack_codes), 1, 5, 30)
    assert len(taken.codes_in_pages(0, 5)) == 30
    assert asked and all(high - low == 1 and whole.pages[low] for low, high in asked)


def test_cosets_are_drawn_in_order_and_are_no_images_of_each_other(tables: CosetTables) -> None:
    five = draw_cosets(tables, 3, 5)
    assert draw_cosets(tables, 3, 3) == five[:3]
    assert len({tables.least_image(number) for number in five}) == 5


def test_labels_of_few_cosets_are_worth_less() -> None:
    def make_coset(which: int, mean: int) -> CosetRecord:
        file = LabelFile("a", "train", 9, 1000, 1, "")
        found = StickerStatistics(1000, 1000 * mean, 1000 * (mean**2 + 4))
        return CosetRecord(which, which, "", [10] * 10, [file], {9: found})

    shared, stickers = effective_numbers([make_coset(0, 20), make_coset(1, 20)], 9)
    assert (shared, stickers) == (2, 2000)
    shared, stickers = effective_numbers([make_coset(n, 20 + n % 2) for n in range(10)], 9)
    assert shared == pytest.approx(10)
    assert stickers == pytest.approx(9 * (4 + 0.25) / 0.25)
    assert effective_numbers([make_coset(0, 20)], 9) == (1, None)


def test_a_record_is_what_was_recorded(near: None, tmp_path: Path) -> None:
    made = label_maker.make_labels(make_settings(tmp_path / "labels", depths="5"))
    text = json.dumps([coset.to_json() for coset in made.cosets])
    assert [CosetRecord.from_json(entry) for entry in json.loads(text)] == made.cosets


def test_the_example_learns_a_distance(
    near: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label_maker.make_labels(make_settings(tmp_path / "labels", depths="4-7", count=4000))
    words = ["learned_distance.py", str(tmp_path / "labels"), "seconds=2", "hidden=64"]
    monkeypatch.setattr(sys, "argv", words)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    *_, last = capsys.readouterr().out.splitlines()
    name, labels, _, *errors = (cell.strip() for cell in last.strip("|").split("|"))
    assert name == "all" and int(labels.replace(",", "")) > 100
    absolute, plain, root, of_mean = map(float, errors)
    assert absolute < plain and root < of_mean
