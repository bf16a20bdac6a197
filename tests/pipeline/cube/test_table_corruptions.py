"""Whoever issues a certificate has hashed the bytes that it searched.

A hostile neighbour does what he likes to the file of a table: before it is opened, while it is
open, with forged words beside it. Every certificate is right, or there is none.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet.generators.cube.distance import pruning_tables
from facelet.generators.cube.distance.exact_solver import ExactSolver, Unproven
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cube import frozen_memory
from facelet.pipeline.cube import table_cache as cache_of_tables
from facelet.pipeline.cube.table_cache import open_table, table_path

NAME = "htm-small"
SPEC = pruning_tables.find_spec(NAME)
WORDS = ("R U F", "R U2 F' L D B2 R' U", "U F2 L' D B R2 U' F L2")
FORMS = ("own", "sealed")

ENOUGH = 100_000
"""Nodes that a search for one of the words does not take with a good table."""


class RebuildAskedError(Exception):
    """A table was refused, so that it would be built again."""


@pytest.fixture(scope="module")
def known() -> np.ndarray:
    return np.array(open_table(NAME, progress=False).memory)


@pytest.fixture(scope="module")
def truth(known: np.ndarray) -> dict[str, int]:
    solver = ExactSolver(pruning_tables.PruningTable(SPEC, known))
    return {word: solver.exact_distance(moves.apply_maneuver(SOLVED, word)) for word in WORDS}


@pytest.fixture(scope="module")
def folder(known: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    known.tofile(table_path(NAME, folder))
    return folder


@pytest.fixture
def cache(
    known: np.ndarray, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, Path]]:
    """A cache with a good table in it, and its file; a table that is refused is not built."""

    def refuse_build(*_: object) -> None:
        raise RebuildAskedError

    monkeypatch.setattr(cache_of_tables, "_build_file", refuse_build)
    yield folder, table_path(NAME, folder)
    known.tofile(table_path(NAME, folder))


def is_truthful(table: pruning_tables.PruningTable, truth: dict[str, int]) -> bool:
    """Whether all certificates of a table say the truth, under the hash of the bytes it has."""
    solver = ExactSolver(table)
    for word, depth in truth.items():
        try:
            proof = solver.solve_state(moves.apply_maneuver(SOLVED, word), node_limit=ENOUGH)
        except (Unproven, RuntimeError):  # a table that rules out nothing, or everything
            return False
        if (proof.optimal_length, proof.table_hash) != (depth, SPEC.digest):
            return False
    return pruning_tables.hash_table(table.memory) == SPEC.digest


def forge(path: Path) -> None:
    """Say beside a table that it was hashed and found good, as it is now."""
    status = path.stat()
    stamp = {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }
    path.with_suffix(".checked").write_text(json.dumps(stamp))


def damage(path: Path, known: np.ndarray, rng: np.random.Generator) -> Callable[[], None]:
    """Change a table's file in one random way; return what undoes it."""
    kind = int(rng.integers(6))
    size = len(known)
    length = int(2 ** rng.uniform(0, 20))
    place, other = (int(x) for x in rng.integers(0, size - length, 2))
    if kind == 5:  # another file takes its place
        new = path.with_suffix(".new")
        shutil.copyfile(path, new)
        write_bytes(new, place, noise(known, place, 1, rng))
        os.replace(new, path)
        return lambda: write_bytes(path, place, known[place : place + 1])
    if kind == 4:  # cut, or one byte longer
        os.truncate(path, size + 1 if rng.integers(2) else place)

        def restore_file() -> None:
            os.truncate(path, place)
            write_bytes(path, place, known[place:])

        return restore_file
    if kind == 0:  # one bit
        data = known[place : place + 1] ^ np.uint8(1 << int(rng.integers(8)))
    elif kind == 1:  # a stretch of noise
        data = noise(known, place, length, rng)
    elif kind == 2:  # all distances far too great, or nothing but zeros
        data = np.full(length, 0xFF if rng.integers(2) else 0, dtype=np.uint8)
    else:  # a block that stands elsewhere
        data = known[other : other + length]
    write_bytes(path, place, data)
    return lambda: write_bytes(path, place, known[place : place + len(data)])


def noise(known: np.ndarray, place: int, length: int, rng: np.random.Generator) -> np.ndarray:
    """Return random bytes, the first of which differs from what stands there."""
    data = rng.integers(0, 256, length, dtype=np.uint8)
    data[0] = known[place] ^ np.uint8(1 + int(rng.integers(255)))
    return data


def write_bytes(path: Path, place: int, data: np.ndarray) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data.tobytes())


def count_outcomes(
    cache: tuple[Path, Path], known: np.ndarray, truth: dict[str, int], trials: int
) -> dict[str, int]:
    """Return how many of some corruptions had which outcome."""
    folder, path = cache
    rng = np.random.default_rng(6)
    found = {"refused": 0, "right": 0, "wrong": 0}
    for number in range(trials):
        early = bool(rng.integers(4))
        table = None if early else open_table(NAME, folder, progress=False, private=number % 2 == 0)
        undo = damage(path, known, rng)
        same = path.stat().st_size == len(known) and np.array_equal(np.fromfile(path, "u1"), known)
        forge(path)
        try:
            if table is None:
                table = open_table(NAME, folder, progress=False, private=number % 2 == 0)
            good = is_truthful(table, truth)
            found["right" if good and (same or not early) else "wrong"] += 1
        except RebuildAskedError:
            found["refused"] += 1
        table = None
        undo()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "trials", [pytest.param(40, id="some"), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_no_corruption_makes_a_wrong_certificate(
    cache: tuple[Path, Path], known: np.ndarray, truth: dict[str, int], trials: int
) -> None:
    found = count_outcomes(cache, known, truth, trials)
    assert found["wrong"] == 0
    assert found["refused"] > 0.6 * trials and found["right"] > 0.1 * trials


def test_a_table_of_noise_with_a_forged_stamp_is_refused(cache: tuple[Path, Path]) -> None:
    folder, path = cache
    np.full(SPEC.byte_count, 0xFF, dtype=np.uint8).tofile(path)
    forge(path)
    for private in (False, True):
        with pytest.raises(RebuildAskedError):
            open_table(NAME, folder, progress=False, private=private)


@pytest.mark.parametrize("form", FORMS)
def test_what_happens_to_the_file_afterwards_makes_no_difference(
    form: str, cache: tuple[Path, Path], truth: dict[str, int]
) -> None:
    """Overwritten, cut to nothing, and gone, while certificates are issued."""
    folder, path = cache
    table = open_table(NAME, folder, progress=False, private=form == "own")
    for change in (
        lambda: np.full(SPEC.byte_count, 0xFF, dtype=np.uint8).tofile(path),
        lambda: os.truncate(path, 0),
        path.unlink,
    ):
        change()
        assert is_truthful(table, truth)
        assert pruning_tables.hash_table(table.memory) == SPEC.digest


def test_the_file_may_change_while_it_is_read(
    cache: tuple[Path, Path], known: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is hashed is what was read, even if it is hashed after the file is whole again."""
    folder, path = cache
    read = frozen_memory._fill_view

    def copy_slowly(source: Path, view: memoryview) -> bool:
        write_bytes(path, 999, known[999:1000] ^ np.uint8(1))
        done = read(source, view)
        write_bytes(path, 999, known[999:1000])
        return done

    monkeypatch.setattr(frozen_memory, "_fill_view", copy_slowly)
    for private in (False, True):
        with pytest.raises(RebuildAskedError):
            open_table(NAME, folder, progress=False, private=private)


def test_a_table_whose_bytes_are_others_cannot_be_made(known: np.ndarray) -> None:
    wrong = known.copy()
    wrong[77] ^= 1
    with pytest.raises(pruning_tables.WrongTableError, match="the hash is"):
        pruning_tables.PruningTable(SPEC, wrong)
    with pytest.raises(pruning_tables.WrongTableError):
        pruning_tables.PruningTable(replace(SPEC, digest="0" * 32), known)


def test_a_deeper_claim_of_a_lying_table_is_the_defect(known: np.ndarray) -> None:
    """The damage is of the kind that matters: the searcher believes its table."""
    memory = known.copy()
    table = pruning_tables.PruningTable(SPEC, memory)
    memory[:] = 0xFF
    word = notation.parse_maneuver("R U")
    longer = (*notation.parse_maneuver("F2 F2"), *notation.invert_maneuver(word))
    proof = ExactSolver(table).certify_state(moves.apply_maneuver(SOLVED, word), longer)
    assert proof.optimal_length > 2, "so nobody may write to what was hashed"


def test_other_bytes_where_a_shared_copy_is_looked_for_are_not_taken(
    cache: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sealed noise under the right label, found before the file is read."""
    if not frozen_memory.can_seal():
        return
    folder, _ = cache
    labels: list[str] = []
    seal = frozen_memory.read_sealed

    def seal_copy(source: Path, size: int, label: str) -> Any:
        labels.append(label)
        return seal(source, size, label)

    monkeypatch.setattr(frozen_memory, "read_sealed", seal_copy)
    assert open_table(NAME, folder, progress=False).memory_hash == SPEC.digest
    noise = tmp_path / "noise"
    np.full(SPEC.byte_count, 0xFF, dtype=np.uint8).tofile(noise)
    forged = seal(noise, SPEC.byte_count, labels[0])
    assert forged is not None
    assert len(list(frozen_memory.iterate_sealed(SPEC.byte_count, labels[0]))) == 1
    table = open_table(NAME, folder, progress=False)
    assert len(labels) == 2 and pruning_tables.hash_table(table.memory) == SPEC.digest
    del forged
