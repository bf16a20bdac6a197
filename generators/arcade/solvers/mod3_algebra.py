"""Grids of three colors as linear algebra modulo 3, for the operations of color magic.

R is 0, B is 1, Y is 2. Alpha adds 1 to a cell and subtracts 1 from each neighbor; beta is its
inverse. They commute, so the need of a grid is a number modulo 3 for each cell: 1 for one alpha, 2
for one beta.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import isqrt

import numpy as np
import numpy.typing as npt

from facelet.generators.core.task import Reject

COLORS = "RBY"

Vector = npt.NDArray[np.int64]


def format_rows(cells: Sequence[int] | Vector, size: int) -> tuple[str, ...]:
    """Return the rows of a grid of numbers, taken modulo 3."""
    text = "".join(COLORS[int(cell) % 3] for cell in cells)
    return tuple(text[start : start + size] for start in range(0, size * size, size))


@lru_cache(maxsize=16)
def list_neighbors(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbors of each cell as places."""
    found = []
    for place in range(size * size):
        row, column = divmod(place, size)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        inside = ((r, c) for r, c in around if 0 <= r < size and 0 <= c < size)
        found.append(tuple(r * size + c for r, c in inside))
    return tuple(found)


@lru_cache(maxsize=16)
def _operation_matrix(size: int) -> Vector:
    """Return the effect of alpha at each position, shape (cells, positions)."""
    found = np.eye(size * size, dtype=np.int64)
    for place, near in enumerate(list_neighbors(size)):
        found[list(near), place] = -1
    return found


@lru_cache(maxsize=16)
def _reduce_matrix(size: int) -> tuple[Vector, Vector, tuple[int, ...]]:
    """Return the matrix reduced by rows modulo 3, the operations on rows, and the pivots."""
    cells = size * size
    both = np.hstack([_operation_matrix(size), np.eye(cells, dtype=np.int64)]) % 3
    pivots: list[int] = []
    for place in range(cells):
        rows = np.flatnonzero(both[len(pivots) :, place])
        if not len(rows):
            continue
        top, row = len(pivots), len(pivots) + int(rows[0])
        both[[top, row]] = both[[row, top]]
        both[top] = both[top] * both[top, place] % 3
        others = np.arange(cells) != top
        both[others] = (both[others] - np.outer(both[others, place], both[top])) % 3
        pivots.append(place)
    return both[:, :cells], both[:, cells:], tuple(pivots)


@lru_cache(maxsize=16)
def _null_space(size: int) -> Vector:
    """Return all needs without an effect, shape (3 ** k, cells)."""
    reduced, _, pivots = _reduce_matrix(size)
    free = [place for place in range(size * size) if place not in pivots]
    basis = np.zeros((len(free), size * size), dtype=np.int64)
    for row, place in enumerate(free):
        basis[row, place] = 1
        basis[row, list(pivots)] = -reduced[: len(pivots), place] % 3
    weights = np.array(list(product(range(3), repeat=len(free))), dtype=np.int64)
    return weights.reshape(3 ** len(free), len(free)) @ basis % 3


def build_grid(color: int, needs: Vector) -> tuple[str, ...]:
    """Return the grid that becomes one color when each cell gets its need."""
    size = isqrt(len(needs))
    return format_rows(color - _operation_matrix(size) @ needs, size)


def list_solutions(grid: tuple[str, ...]) -> list[tuple[int, Vector]]:
    """Return the colors that alpha and beta can reach, each with all needs, shape (k, cells).

    Raises:
        Reject: there are none.
    """
    size = len(grid)
    cells = np.array([COLORS.index(cell) for row in grid for cell in row])
    _, change, pivots = _reduce_matrix(size)
    right = change @ (np.arange(3) - cells[:, None]) % 3  # of each color
    colors = np.flatnonzero(~right[len(pivots) :].any(axis=0))
    if not len(colors):
        raise Reject("alpha and beta do not suffice")
    bases = np.zeros((len(colors), size * size), dtype=np.int64)
    bases[:, list(pivots)] = right[: len(pivots), colors].T
    idle = _null_space(size)
    return [(int(color), (base + idle) % 3) for color, base in zip(colors, bases, strict=True)]


@lru_cache(maxsize=4096)
def fewest_operations(grid: tuple[str, ...], summed: bool = False) -> Vector:
    """Return the fewest needs that make a grid one color: 0, 1 or 2 for each cell.

    Args:
        grid: the rows.
        summed: whether a need of 2 counts twice.

    Raises:
        Reject: alpha and beta do not suffice.
    """
    every = np.vstack([needs for _, needs in list_solutions(grid)])
    weights = every.sum(axis=1) if summed else np.count_nonzero(every, axis=1)
    needs: Vector = every[int(weights.argmin())]
    return needs
