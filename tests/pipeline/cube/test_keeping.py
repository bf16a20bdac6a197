"""Keeping: a level goes on after a kill where it was kept, and what is damaged is not read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cube_states import coset_of
from sparse_memory import allocate_zeros

from facelet.generators.cube.distance import coset_search
from facelet.generators.cube.distance.coset_search import CosetSearch, CosetTables, LevelCheckpoint
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cube.labels import label_maker
from facelet.pipeline.cube.labels.label_maker import LevelFile

SIZE = 5 * (1 << 20) + 77


def make_marked_map() -> np.ndarray:
    """Return a map with bits in the second, fourth and last piece."""
    bits = np.zeros(SIZE, dtype=np.uint8)
    bits[[1 << 20, (1 << 20) + 5, 3 * (1 << 20) + 9, SIZE - 1]] = [1, 128, 7, 255]
    return bits


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a level at 17 of coset 3, 200 beginnings searched."""
    LevelFile(tmp_path / "level.map", 3, every=0).save_level(17, make_marked_map(), 200)
    return tmp_path / "level.map"


def make_full_map() -> np.ndarray:
    """Return a map whose bits are all set, as if of another level."""
    return np.full(SIZE, 255, dtype=np.uint8)


def test_a_map_comes_back_whole_and_takes_no_room_for_empty_pieces(file: Path) -> None:
    bits = make_full_map()
    assert LevelFile(file, 3).resume_level(17, bits) == 200
    assert np.array_equal(bits, make_marked_map())
    assert file.stat().st_size < 3 * (1 << 20)
    assert [path.name for path in file.parent.iterdir()] == ["level.map"]


@pytest.mark.parametrize(("coset", "depth"), [(3, 16), (4, 17)])
def test_what_is_of_another_level_is_not_taken(file: Path, coset: int, depth: int) -> None:
    bits = make_full_map()
    assert LevelFile(file, coset).resume_level(depth, bits) == 0
    assert np.array_equal(bits, make_full_map())


def test_what_an_earlier_form_wrote_is_not_taken(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_maker, "FORM", label_maker.FORM + 1)
    assert LevelFile(file, 3).resume_level(17, make_full_map()) == 0


@pytest.mark.parametrize("place", [0, 5, (1 << 20) + 9, -1, -9, -12, -40, -70])
def test_a_file_with_a_wrong_byte_is_no_file(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)
    bits = make_full_map()
    assert LevelFile(file, 3).resume_level(17, bits) == 0
    assert np.array_equal(bits, make_full_map())


@pytest.mark.parametrize("size", [0, 7, 8, 100, 1 << 20, -1])
def test_a_file_that_is_cut_is_no_file(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])
    assert LevelFile(file, 3).resume_level(17, make_full_map()) == 0


def test_it_is_kept_when_it_is_time_and_the_last_one_stays(tmp_path: Path) -> None:
    kept = LevelFile(tmp_path / "level.map", 3, every=1000)
    kept.save_level(17, make_marked_map(), 1)
    assert not list(tmp_path.iterdir())
    now = LevelFile(tmp_path / "level.map", 3, every=0)
    now.save_level(17, make_marked_map(), 1)
    now.save_level(17, make_full_map(), 2)
    bits = make_marked_map()
    assert now.resume_level(17, bits) == 2
    assert np.array_equal(bits, make_full_map())


def test_a_deeper_level_stays_where_one_before_it_is_searched_again(file: Path) -> None:
    LevelFile(file, 3, every=0).save_level(16, make_full_map(), 5)
    bits = make_full_map()
    assert LevelFile(file, 3).resume_level(17, bits) == 200
    assert np.array_equal(bits, make_marked_map())


@pytest.mark.parametrize(("coset", "cut"), [(4, False), (3, True)])
def test_what_is_of_no_use_does_not_stay(file: Path, coset: int, cut: bool) -> None:
    if cut:
        file.write_bytes(file.read_bytes()[:-1])
    LevelFile(file, coset, every=0).save_level(16, make_full_map(), 5)
    assert LevelFile(file, coset).resume_level(16, make_marked_map()) == 5


def test_a_full_disk_is_told_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_write(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(label_maker, "write_atomically", refuse_write)
    LevelFile(tmp_path / "level.map", 3, every=0).save_level(17, make_marked_map(), 1)
    assert "level 17 is not kept: [Errno 28] No space left" in capsys.readouterr().err


class InterruptingKeeper:
    """Keeps a level once, after a hundred beginnings, and stops the search."""

    def __init__(self, path: Path, number: int) -> None:
        self.kept = LevelFile(path, number, every=0)

    def resume_level(self, depth: int, bits: np.ndarray) -> int:
        """There is nothing yet."""
        return 0

    def save_level(self, depth: int, bits: np.ndarray, done: int) -> None:
        """Stop in the midst of the level at 7."""
        if (depth, done) == (7, 100):
            self.kept.save_level(depth, bits, done)
            raise KeyboardInterrupt


@pytest.mark.slow
def test_a_search_that_was_killed_goes_on_to_the_same_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coset_search, "_SPLIT_FROM", 6)
    tables = CosetTables(allocate_zeros, within=8)
    number = coset_of(tables, moves.apply_maneuver(SOLVED, ("R", "F")))

    def search_levels(kept: LevelCheckpoint | None, told: list[tuple[str, int]]) -> list[list[int]]:
        search = CosetSearch(tables, allocate_zeros, threads=2, spread_from=6)
        found = search.iterate_levels(
            number, 7, lambda what, done, _: told.append((what, done)), kept
        )
        return [level.codes(0, coset_search.core.PAGES).tolist() for level in found]

    known = search_levels(None, [])
    assert len(known[7]) > 100
    path, told = tmp_path / "level.map", list[tuple[str, int]]()
    with pytest.raises(KeyboardInterrupt):
        search_levels(InterruptingKeeper(path, number), [])
    assert search_levels(LevelFile(path, number), told) == known
    assert [done for what, done in told if what == "search 7"] == list(range(101, 325))
    assert not any(what == "spread 7" for what, _ in told)
