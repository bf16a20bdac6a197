"""Grids of magnetic fields with hidden directions: where moves lead, and which move is best.

Cells are (row, column) from 1. A way lists the directions of the four kinds of fields, 1 to 4. A
belief is the cell of the player and the set of ways that fit its observations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

PRESSES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
PUSHES = {"N": (-1, 0), "S": (1, 0), "E": (0, 1), "W": (0, -1)}
WAYS = tuple("".join(way) for way in permutations("NSEW"))
"""All ways: the directions of the kinds 1 to 4."""

FITTING = {
    (kind, push): sum(1 << number for number, way in enumerate(WAYS) if way[int(kind) - 1] == push)
    for kind in "1234"
    for push in PUSHES
}
"""The ways in which a kind pushes in a direction, as bits."""

Cell = tuple[int, int]
Belief = tuple[Cell, int]
"""The cell of the player, and the ways that fit, as bits."""
START: Belief = ((1, 1), (1 << len(WAYS)) - 1)


def read_cell(grid: Sequence[str], cell: Cell) -> str:
    """Return the content of a cell."""
    return grid[cell[0] - 1][cell[1] - 1]


def describe_cell(grid: Sequence[str], cell: Cell) -> str:
    """Return the cell of the player as replies describe it."""
    return "-1 -1" if read_cell(grid, cell) == "X" else "{} {}".format(*cell)


def shift_cell(grid: Sequence[str], cell: Cell, shift: Cell) -> Cell | None:
    """Return the cell next to a cell, or None outside the grid."""
    row, column = cell[0] + shift[0], cell[1] + shift[1]
    return (row, column) if 1 <= row <= len(grid) and 1 <= column <= len(grid) else None


def move_to(grid: Sequence[str], directions: str, cell: Cell, press: str) -> Cell:
    """Return the cell that a move inside the grid leads to.

    Args:
        grid: the rows.
        directions: the directions of the kinds.
        cell: where the player is.
        press: its move.
    """
    here = shift_cell(grid, cell, PRESSES[press]) or cell
    acted: set[Cell] = set()
    while (kind := read_cell(grid, here)) in "1234" and here not in acted:
        acted.add(here)
        here = shift_cell(grid, here, PUSHES[directions[int(kind) - 1]]) or here
    return here


def beliefs_after(grid: Sequence[str], belief: Belief, press: str) -> list[Belief]:
    """Return the beliefs that may follow a move."""
    cell, ways = belief
    return [
        (after, ways & fit)
        for after, fit in _move_outcomes(tuple(grid), cell, press).items()
        if ways & fit
    ]


Worth = tuple[int, int]
"""The number of ways won, and minus the sum of their turns."""


@lru_cache(maxsize=4096)
def _move_outcomes(grid: tuple[str, ...], cell: Cell, press: str) -> dict[Cell, int]:
    """Return the cells that a move may lead to, each with its ways as bits."""
    found: dict[Cell, int] = {}
    walks = [(shift_cell(grid, cell, PRESSES[press]) or cell, START[1], frozenset[Cell]())]
    while walks:
        here, ways, acted = walks.pop()
        if (kind := read_cell(grid, here)) not in "1234" or here in acted:
            found[here] = found.get(here, 0) | ways
            continue
        for push, shift in PUSHES.items():
            # Ways with the same pushes so far are followed together.
            if some := ways & FITTING[kind, push]:
                walks.append((shift_cell(grid, here, shift) or here, some, acted | {here}))
    return found


Moves = Sequence[tuple[str, Sequence[tuple[Cell, int, str]]]]
"""The moves from a cell, each with its outcomes: cell, ways as bits, and content."""


class MoveTable:
    """The moves from each cell of a grid, computed on demand."""

    def __init__(self, grid: tuple[str, ...]) -> None:
        """Take the rows."""
        self._grid = grid
        self._known: dict[Cell, Moves] = {}

    def __getitem__(self, cell: Cell) -> Moves:
        """Return the moves from a cell."""
        if (known := self._known.get(cell)) is None:
            found = []
            for press in list_presses(self._grid, cell):
                down, right = PRESSES[press]
                beside = cell[0] + down, cell[1] + right
                if (kind := read_cell(self._grid, beside)) not in "1234":
                    found.append((press, [(beside, START[1], kind)]))
                    continue
                follow = _move_outcomes(self._grid, cell, press).items()
                found.append((press, [(to, fit, read_cell(self._grid, to)) for to, fit in follow]))
            known = self._known[cell] = found
        return known


def most_won(grid: tuple[str, ...]) -> int:
    """Return the number of ways that a player wins that knows them: an upper bound for all."""
    steps = analyze_grid(grid).steps
    fit = {START[0]: START[1]}
    queue, won = [START[0]], 0
    for cell in queue:
        here = fit[cell]
        for _, follow in steps[cell]:
            for after, some, kind in follow:
                if kind == "X" or not (ways := here & some):
                    continue
                if kind == "G":
                    won |= ways
                elif ways & ~fit.get(after, 0):
                    fit[after] = fit.get(after, 0) | ways
                    queue.append(after)
                    if after == cell:
                        here = fit[cell]
    return won.bit_count()


class FieldAnalysis:
    """The best moves, by the ways that fit and the cell of the player.

    A move after which all ways still fit leads to another cell with the same set of ways; a move
    that separates them leads to smaller sets. So sets are solved from the smaller ones up.
    """

    def __init__(self, grid: tuple[str, ...]) -> None:
        """Take the rows of the grid."""
        self.steps = MoveTable(grid)
        self._best: defaultdict[int, dict[Cell, tuple[Worth, str]]] = defaultdict(dict)

    def best_move(self, belief: Belief) -> tuple[Worth, str]:
        """Return the worth of a belief, and the best move; "" if none ever wins."""
        cell, ways = belief
        known = self._best[ways]
        if cell not in known:
            known |= self._solve_belief(belief)
        return known[cell]

    def _solve_belief(self, belief: Belief) -> dict[Cell, tuple[Worth, str]]:
        """Return the best moves of a belief and of those with the same ways that it leads to."""
        start, ways = belief
        best: dict[Cell, tuple[Worth, str]] = {start: ((0, 0), "")}
        moves: list[tuple[Cell, str, Cell]] = []
        queue = [start]
        for here in queue:
            for press, outcomes in self.steps[here]:
                if len(outcomes) == 1:
                    follow = outcomes
                else:
                    follow = [outcome for outcome in outcomes if outcome[1] & ways]
                after, _, kind = follow[0]
                if len(follow) == 1 and kind not in "GX":
                    if after not in best:
                        best[after] = ((0, 0), "")
                        queue.append(after)
                    moves.append((here, press, after))
                    continue
                won = turns = 0
                for after, fit, kind in follow:
                    if kind == "G":
                        won += (ways & fit).bit_count()
                    elif kind != "X":
                        part = self.best_move((after, ways & fit))[0]
                        won += part[0]
                        turns += part[1]
                if (won, turns - won) > best[here][0]:
                    best[here] = (won, turns - won), press
        changed = True
        while changed:
            changed = False
            for here, press, after in moves:
                won, turns = best[after][0]
                if won and (won, turns - won) > best[here][0]:
                    best[here] = (won, turns - won), press
                    changed = True
        return best


@lru_cache(maxsize=128)
def analyze_grid(grid: tuple[str, ...]) -> FieldAnalysis:
    """Return the analysis of a grid; the same object while it is cached."""
    return FieldAnalysis(grid)


def turns_to_win(grid: tuple[str, ...], directions: str) -> int:
    """Return the turns in which the reference player wins one way; 0 if it does not."""
    belief, turns = START, 0
    while press := analyze_grid(grid).best_move(belief)[1]:
        turns += 1
        cell = move_to(grid, directions, belief[0], press)
        if read_cell(grid, cell) in "GX":
            return turns if read_cell(grid, cell) == "G" else 0
        belief = next(after for after in beliefs_after(grid, belief, press) if after[0] == cell)
    return 0


def list_presses(grid: Sequence[str], cell: Cell) -> tuple[str, ...]:
    """Return the moves that stay inside the grid."""
    return _moves_inside(len(grid), cell)


@lru_cache(maxsize=4096)
def _moves_inside(size: int, cell: Cell) -> tuple[str, ...]:
    """Return the moves that stay inside a grid of this size."""
    row, column = cell
    return tuple(
        press
        for press, (down, right) in PRESSES.items()
        if 1 <= row + down <= size and 1 <= column + right <= size
    )
