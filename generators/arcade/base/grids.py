"""Square grids: cells as (row, column) from 1, and grids as their rows, one string each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Cell = tuple[int, int]


@lru_cache(maxsize=4096)
def adjacent_cells(size: int, cell: Cell) -> tuple[Cell, ...]:
    """Return the up to eight cells around a cell, row by row.

    Args:
        size: rows and columns of the grid.
        cell: the cell.
    """
    row, column = cell
    near = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return tuple(n for n in near if 1 <= n[0] <= size and 1 <= n[1] <= size)


def split_rows(cells: Sequence[str], size: int) -> tuple[str, ...]:
    """Return the rows of a grid whose cells are listed row by row."""
    return tuple("".join(cells[start : start + size]) for start in range(0, len(cells), size))


def transpose_grid(grid: Sequence[str]) -> tuple[str, ...]:
    """Return the grid whose rows are the columns of this one."""
    return tuple("".join(cells) for cells in zip(*grid, strict=True))


def format_grid(grid: Sequence[str]) -> str:
    """Return the grid as players see it, with blanks between cells."""
    return "\n".join(" ".join(row) for row in grid)
