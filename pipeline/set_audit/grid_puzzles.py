"""Grid puzzles as options for each cell and one rule, and a bounded search for two solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Cell = tuple[int, int]
Grid = dict[Cell, str]
Rows = Sequence[Sequence[str]]

MAX_SIDE = 16
"""Rows and columns of a grid that is read."""

MAX_NODES = 50_000
"""Cells that a search fills at most, whatever the budget is."""


@dataclass(frozen=True, slots=True)
class GridPuzzle:
    """A puzzle.

    Attributes:
        options: the values that each cell may have; one for a given cell.
        fits: whether the value of a cell agrees with the other filled cells.
    """

    options: Mapping[Cell, Sequence[str]]
    fits: Callable[[Grid, Cell], bool]

    def find_broken_cell(self, rows: Rows) -> Cell | None:
        """Return a cell of a full grid that breaks a rule; None if there is none.

        Raises:
            ValueError: the grid has another shape.
        """
        grid = {(y, x): value for y, row in enumerate(rows) for x, value in enumerate(row)}
        if grid.keys() != self.options.keys():
            raise ValueError("the answer has another shape than the puzzle")
        for cell, value in grid.items():
            if value not in self.options[cell] or not self.fits(grid, cell):
                return cell
        return None

    def find_solutions(self, nodes: int, most: int = 2) -> tuple[list[list[list[str]]], bool]:
        """Return up to `most` solutions, and whether the search was complete or found as many."""
        found: list[list[list[str]]] = []
        left = min(nodes, MAX_NODES)
        for grid in self._iterate_grids({}):
            left -= 1
            if left < 0:
                return found, False
            if len(grid) == len(self.options):
                found.append(to_rows(grid))
                if len(found) == most:
                    break
        return found, True

    def _iterate_grids(self, grid: Grid) -> Iterator[Grid]:
        """Yield every partial grid of the search; the cell with the fewest values comes first."""
        yield grid
        fewest: tuple[Cell, list[str]] | None = None
        for cell in self.options.keys() - grid.keys():
            values = self._list_fitting(grid, cell)
            if fewest is None or (len(values), cell) < (len(fewest[1]), fewest[0]):
                fewest = cell, values
        if fewest:
            for value in fewest[1]:
                yield from self._iterate_grids({**grid, fewest[0]: value})

    def _list_fitting(self, grid: Grid, cell: Cell) -> list[str]:
        found = []
        for value in self.options[cell]:
            grid[cell] = value
            if self.fits(grid, cell):
                found.append(value)
        del grid[cell]
        return found


def to_rows(grid: Grid) -> list[list[str]]:
    """Return a full grid as rows."""
    height, width = (1 + max(cell[axis] for cell in grid) for axis in (0, 1))
    return [[grid[y, x] for x in range(width)] for y in range(height)]


def list_cells(rows: Rows) -> list[Cell]:
    """Return the cells of a grid of equal rows.

    Raises:
        ValueError: it is empty, too large, or not a rectangle.
    """
    if not 1 <= len(rows) <= MAX_SIDE or len({len(row) for row in rows}) != 1:
        raise ValueError(f"a grid has 1 to {MAX_SIDE} rows of one length")
    if not 1 <= len(rows[0]) <= MAX_SIDE:
        raise ValueError(f"a row has 1 to {MAX_SIDE} cells")
    return [(y, x) for y in range(len(rows)) for x in range(len(rows[0]))]


def list_options(rows: Rows, values: str | Sequence[str]) -> dict[Cell, Sequence[str]]:
    """Return each given value alone, and all values for a cell that is ""."""
    return {(y, x): (rows[y][x],) if rows[y][x] else values for y, x in list_cells(rows)}


def build_latin(
    rows: Rows, box: tuple[int, int] | None, less: Sequence[tuple[Cell, Cell]] = ()
) -> GridPuzzle:
    """Return a Sudoku or a Futoshiki.

    Args:
        rows: the published grid; "" is an empty cell.
        box: rows and columns of a box; None without boxes.
        less: pairs of cells of which the first has the lesser number.
    """
    size = len(rows)
    values = [str(k + 1) for k in range(size)]

    def fits(grid: Grid, cell: Cell) -> bool:
        for other, value in grid.items():
            together = other[0] == cell[0] or other[1] == cell[1]
            if box:
                together |= all(other[k] // box[k] == cell[k] // box[k] for k in (0, 1))
            if together and other != cell and value == grid[cell]:
                return False
        return all(int(grid[a]) < int(grid[b]) for a, b in less if a in grid and b in grid)

    return GridPuzzle(list_options(rows, values), fits)


def build_campsite(
    rows: Rows, row_counts: Sequence[int], column_counts: Sequence[int]
) -> GridPuzzle:
    """Return a puzzle of tents C beside trees T.

    Args:
        rows: the published grid.
        row_counts: tents of each row.
        column_counts: tents of each column.

    Raises:
        ValueError: the numbers do not fit the grid.
    """
    cells = list_cells(rows)
    trees = {cell for cell in cells if rows[cell[0]][cell[1]] == "T"}
    if len(row_counts) != len(rows) or len(column_counts) != len(rows[0]):
        raise ValueError("it needs one number for each row and column")
    options = {
        (y, x): ("T",)
        if (y, x) in trees
        else ("X", "C")
        if trees & {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)}
        else ("X",)
        for y, x in cells
    }

    def fits(grid: Grid, cell: Cell) -> bool:
        y, x = cell
        if grid[cell] == "C" and any(
            grid.get((y + down, x + right)) == "C"
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if (down, right) != (0, 0)
        ):
            return False
        row = [grid.get((y, k), "") for k in range(len(rows[0]))]
        column = [grid.get((k, x), "") for k in range(len(rows))]
        return all(
            line.count("C") <= count <= line.count("C") + line.count("")
            for line, count in ((row, row_counts[y]), (column, column_counts[x]))
        )

    return GridPuzzle(options, fits)


def build_binairo(rows: Rows) -> GridPuzzle:
    """Return a puzzle of equally many 0 and 1 in each line, no three in a row, no equal lines."""
    size = len(rows)

    def fits(grid: Grid, cell: Cell) -> bool:
        for axis in (0, 1):
            lines = [
                "".join(grid.get((own, k) if axis == 0 else (k, own), " ") for k in range(size))
                for own in range(size)
            ]
            line = lines[cell[axis]]
            if max(line.count("0"), line.count("1")) > size // 2 or "000" in line or "111" in line:
                return False
            if " " not in line and lines.count(line) > 1:
                return False
        return True

    return GridPuzzle(list_options(rows, "01"), fits)
