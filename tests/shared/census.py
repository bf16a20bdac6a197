"""Counting all positions, depth by depth, through the coordinates that proofs rest on.

Breadth first from solved. A position is known by the entry that a table with all flips has for it
and the order of the pieces within that coset (see census.c, which is compiled here against the
certifier's own headers); of the up to 48 positions that symmetry makes equal, one is kept and
counts for all. So every count tests moves, coordinates and symmetries of the certifier together,
against numbers that have been published (Rokicki, Kociemba, Davidson, Dethridge, "The diameter of
the Rubik's Cube group is twenty", 2010).

Depth 8 in face turns has 27,762,103 positions up to symmetry: two minutes of processor time.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from cube_states import SOLVED_CUBIES

from facelet.generators.cube import distance
from facelet.generators.cube.distance.pruning_tables import count_processors
from facelet.generators.cube.engine.cubies import Cubies
from facelet.generators.cube.engine.notation import Metric

Numbers = npt.NDArray[np.uint64]

MOVES: dict[Metric, int] = {"htm": 18, "qtm": 12}
"""Moves of length one."""

_CHUNK = 1 << 17
"""Positions that one call works on."""


@dataclass(frozen=True, slots=True)
class CensusShell:
    """All positions at one depth.

    Attributes:
        depth: the exact distance to solved.
        positions: how many there are.
        distinct: how many there are up to the 48 symmetries.
    """

    depth: int
    positions: int
    distinct_count: int


@cache
def _load_library() -> ctypes.CDLL:
    """Return census.c, compiled; its calls run outside the interpreter's lock."""
    source = Path(__file__).with_name("census.c")
    (headers,) = distance.__path__
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "census.so")
        command = ["gcc", "-O3", "-std=c11", "-shared", "-fPIC", f"-I{headers}"]
        subprocess.run([*command, source, "-o", made], check=True)
        library = ctypes.CDLL(str(made))
    library.number.restype = ctypes.c_uint64
    assert library.prepare() == 0
    return library


def position_number(pieces: Cubies) -> int:
    """Return the number of a position: the same for all its 48 symmetric images, and no others."""
    found: int = _load_library().number(bytes((*pieces.cp, *pieces.co, *pieces.ep, *pieces.eo)))
    return found


def iterate_shells(metric: Metric, *, threads: int | None = None) -> Iterator[CensusShell]:
    """Yield the positions at depth 0, 1, 2, ...; each shell takes ten times as long as the last.

    Args:
        metric: what depth counts.
        threads: how many to use; all processors by default. The counts are the same.
    """
    inner: Numbers = np.empty(0, dtype=np.uint64)
    shell: Numbers = np.array([position_number(SOLVED_CUBIES)], dtype=np.uint64)
    depth = 0
    with ThreadPoolExecutor(threads or count_processors()) as pool:
        while len(shell):
            orders = np.concatenate(list(pool.map(count_symmetries, _split_chunks(shell))))
            positions = int((48 // orders).sum(dtype=np.int64))
            yield CensusShell(depth, positions, len(shell))
            parts = pool.map(
                lambda chunk: np.unique(expand_positions(chunk, metric)), _split_chunks(shell)
            )
            reached = _merge_sorted(list(parts))
            # A move leads one shell in, one out, or (in face turns) to the same shell.
            inner, shell = shell, _subtract_sorted(_subtract_sorted(reached, shell), inner)
            depth += 1


def _split_chunks(numbers: Numbers) -> list[Numbers]:
    return [numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK)]


def count_symmetries(numbers: Numbers) -> npt.NDArray[np.uint8]:
    """Return how many symmetries leave each position as it is."""
    orders = np.empty(len(numbers), dtype=np.uint8)
    _load_library().symmetric(
        _array_pointer(numbers), ctypes.c_size_t(len(numbers)), _array_pointer(orders)
    )
    return orders


def expand_positions(numbers: Numbers, metric: Metric) -> Numbers:
    """Return what each move makes of each position, in the order of positions, then of moves."""
    made = np.empty(len(numbers) * MOVES[metric], dtype=np.uint64)
    count = ctypes.c_size_t(len(numbers))
    _load_library().expand(
        _array_pointer(numbers), count, int(metric == "qtm"), _array_pointer(made)
    )
    return made


def _array_pointer(array: npt.NDArray[np.generic]) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


def _merge_sorted(parts: list[Numbers]) -> Numbers:
    """Return the numbers of several arrays, sorted, each once."""
    every = np.concatenate(parts)
    parts.clear()
    every.sort()
    return every[np.flatnonzero(np.concatenate(([True], every[1:] != every[:-1])))]


def _subtract_sorted(numbers: Numbers, others: Numbers) -> Numbers:
    """Return the numbers that are not among the others; both are sorted."""
    if not len(others):
        return numbers
    places = np.searchsorted(others, numbers)
    places[places == len(others)] = 0
    kept: Numbers = numbers[others[places] != numbers]
    return kept
