"""Accept or reject full grids by the rules of each puzzle, one whole grid at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise, permutations

Rows = Sequence[Sequence[str]]


def keeps_givens(givens: Rows, grid: Rows) -> bool:
    """Whether a grid has the shape and the given values; "" is an empty cell."""
    return [len(row) for row in givens] == [len(row) for row in grid] and all(
        given in ("", value)
        for old, new in zip(givens, grid, strict=True)
        for given, value in zip(old, new, strict=True)
    )


def is_latin(givens: Rows, grid: Rows, box: Sequence[int] | None = None) -> bool:
    """Whether each row, column and box contains each number once.

    Args:
        givens: the puzzle; "" is an empty cell.
        grid: the full grid.
        box: rows and columns of a box, if there are boxes.
    """
    size = len(grid)
    lines = [list(row) for row in grid] + [list(column) for column in zip(*grid, strict=True)]
    if box:
        high, wide = box
        lines += [
            [value for row in grid[top : top + high] for value in row[left : left + wide]]
            for top in range(0, size, high)
            for left in range(0, size, wide)
        ]
    whole = {str(k) for k in range(1, size + 1)}
    return keeps_givens(givens, grid) and all(
        len(line) == size and set(line) == whole for line in lines
    )


def is_campsite(givens: Rows, grid: Rows, counts: Sequence[Sequence[int]]) -> bool:
    """Whether tents C stand beside trees T, apart from each other, as many as each line needs.

    Args:
        givens: the puzzle.
        grid: the full grid.
        counts: tents of each row, and of each column.
    """
    if [[cell == "T" for cell in row] for row in givens] != [[c == "T" for c in r] for r in grid]:
        return False
    tents = [complex(x, y) for y, row in enumerate(grid) for x, c in enumerate(row) if c == "C"]
    trees = [complex(x, y) for y, row in enumerate(grid) for x, c in enumerate(row) if c == "T"]
    apart = all(abs(a - b) >= 2 for k, a in enumerate(tents) for b in tents[:k])
    beside = all(any(abs(tent - tree) == 1 for tree in trees) for tent in tents)
    by_row = [list(row).count("C") for row in grid]
    by_column = [column.count("C") for column in zip(*grid, strict=True)]
    return apart and beside and [by_row, by_column] == [list(count) for count in counts]


def is_binairo(givens: Rows, grid: Rows) -> bool:
    """Whether each line has as many 0 as 1, no run of three, and no equal line."""
    if not keeps_givens(givens, grid):
        return False
    for lines in (["".join(row) for row in grid], list(map("".join, zip(*grid, strict=True)))):
        if len(set(lines)) < len(lines):
            return False
        for line in lines:
            longest = max(len(list(run)) for _, run in groupby(line))
            if longest > 2 or line.count("0") * 2 != len(line) or set(line) - {"0", "1"}:
                return False
    return True


def has_no_star_battle(regions: Rows) -> bool:
    """Whether no placement of one star in each row, column and region keeps stars apart."""
    size = len(regions)
    if size > 8:  # 8! placements take a second
        return False
    return not any(
        all(abs(a - b) > 1 for a, b in pairwise(columns))
        and len({regions[y][x] for y, x in enumerate(columns)}) == size
        for columns in permutations(range(size))
    )


def list_views(grid: Rows) -> list[list[int]]:
    """Return how many skyscrapers are seen from left, right, top and bottom, line by line."""
    rows, columns = [list(row) for row in grid], [list(c) for c in zip(*grid, strict=True)]
    sides = rows, [row[::-1] for row in rows], columns, [column[::-1] for column in columns]
    return [
        [sum(height > max(["0", *line[:k]]) for k, height in enumerate(line)) for line in side]
        for side in sides
    ]
