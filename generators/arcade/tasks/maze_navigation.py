"""Maze navigation: walk to the finish of a visible maze with buttons that may be swapped.

EvolArena, cases N.41 and N.42, algorithms 8 to 10; the puzzle is Codeforces 811 D. Cells are
(row, column) from 1; row 1 is the uppermost. Hidden is which pairs of buttons are swapped: up with
down, left with right, both or neither. A step out of the grid leaves the walker in place; a
dangerous cell loses.

The reference player knows the grid and the pairs that it has tried. An analysis of all its
positions, with the hidden swaps as an adversary, gives its moves and the turns that it needs: sets
of cells are bit masks, and grow turn by turn from the finish. A swapped pair leads to the same
cells as a plain one with its buttons exchanged, so only which pairs are known matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np

from facelet.generators.arcade.base.grids import Cell, format_grid, split_rows, transpose_grid
from facelet.generators.arcade.game_toolkit import (
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Luck,
    Player,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
    level_param,
    number_to_digits,
    number_to_subset,
)
from facelet.generators.arcade.solvers.breadth_first_search import compute_distances

BUTTONS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
OTHER = {"U": "D", "D": "U", "L": "R", "R": "L"}
SWAPS = ((False, False), (False, True), (True, False), (True, True))
LISTED = 12
"""Widest grid for which `make` rejects lists of presses that fit every way of swapping."""
SPARE = 40
"""Grids that each item may try."""

Known = tuple[int, int]
"""Knowledge of up and down, and of left and right: 0 nothing, 1 plain, 2 swapped."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The rows of a grid, and the pairs of buttons that are swapped."""

    grid: tuple[str, ...] = column("rows of cells: . plain, * dangerous, F finish", role="puzzle")
    swap_up_down: bool = column("whether U and D are swapped", role="secret")
    swap_left_right: bool = column("whether L and R are swapped", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The cell of the walker."""

    cell: Cell = (1, 1)


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(40)


class MazeNavigation(ArcadeGame[Params, Puzzle, State]):
    """A player walks to the finish and finds out which buttons are swapped."""

    name = "arcade/maze_navigation"
    version = 3
    category = "state_operation"
    forms = (CommandForm("move", "My Move: {U|D|L|R}", "My Move: X"),)
    unread = 0.75  # one list of presses may fit three of the four ways of swapping
    sample = Sample(
        Puzzle(blank_terms("state_operation"), ("...", ".*.", "..F"), False, True),
        (Command("move", ("R",)), Command("move", ("L",)), Command("move", ("D",))),
        "The grid is 3 x 3, the only dangerous cell is (2, 2), and the finish is (3, 3). R and L "
        "are swapped, U and D are not.",
    )
    deviations = (
        Deviation(
            "",
            "square grids, none another transposed; four equally frequent swaps (in the data "
            "four columns and a swap)",
            "the text has n rows and m columns, and buttons that may be swapped",
        ),
        Deviation(
            "up to a third of the cells are dangerous",
            "a quarter, rounded down; the finish can surely be reached, whatever is swapped",
            "otherwise the first press may lose; no list of presses reaches it under every "
            "swap, so there is something to find out",
            "published=true",
        ),
        Deviation(
            "the finish is any cell but the start",
            "not in the first row or column, and at least n steps away",
            "otherwise a lucky first move wins, or one pair of buttons never matters",
            "published=true",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(4, 5, 6, 1)
        swaps = draw.deal_card("swaps", SWAPS)
        if params.published:
            return Puzzle(self.terms(params, draw), _draw_random_grid(size, draw.rng), *swaps)
        finishes, dangers = _placement_counts(size)
        number = draw.unique_number("grid", finishes * dangers, finishes * dangers // SPARE)
        finish, danger = number_to_digits(number, (finishes, dangers))
        grid = _number_to_grid(
            size, finish, number_to_subset(danger, size * size - 2, size * size // 4)
        )
        if grid > transpose_grid(grid):
            raise Reject("the transposed grid is the canonical one")
        puzzle = Puzzle(self.terms(params, draw), grid, *swaps)
        if (turns := self.bound(puzzle)) is None or turns < size:
            raise Reject("the finish is too near, or cannot surely be reached")
        if size <= LISTED and _blind_walk(grid, max(params.turns or TURNS, turns)):
            raise Reject("one list of presses reaches the finish for every swap")
        return puzzle

    def capacity(self, params: Params) -> int | None:
        finishes, dangers = _placement_counts(params.level_size(4, 5, 6, 1))
        return None if params.published else finishes * dangers // SPARE

    def rules(self, puzzle: Puzzle) -> str:
        rows, columns = len(puzzle.grid), len(puzzle.grid[0])
        return (
            f"Walk through a maze to its finish. The maze is a grid of {rows} rows and {columns} "
            f"columns. A cell is (row, column), both from 1; (1, 1) is the upper left corner, "
            f"where you start, and ({rows}, {columns}) is the lower right one.\n"
            "In each turn you press one of four buttons, which moves you by one cell:\n"
            "- U: up, to (row - 1, column)\n"
            "- D: down, to (row + 1, column)\n"
            "- L: left, to (row, column - 1)\n"
            "- R: right, to (row, column + 1)\n"
            "But some buttons may be swapped. U and D may have changed places, so that U moves "
            "down and D up; and so may L and R. Either pair may be swapped, or both, or neither. "
            "It stays as it is for the whole game, and you are not told.\n"
            "If a move would lead out of the grid, you stay where you are; the turn is spent.\n"
            "After each move I say where you are now: row and column, such as 1 2.\n"
            "If you come to the finish, you win at once. If you come to a dangerous cell, you lose "
            "at once. You also lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        danger = ", ".join(f"({r}, {c})" for r, c in _cells(puzzle.grid, "*")) or "none"
        (finish,) = _cells(puzzle.grid, "F")
        return (
            "The grid, with . for a cell that you may go to, * for a dangerous one and F for the "
            f"finish:\n{format_grid(puzzle.grid)}\n"
            f"Start: (1, 1)\nFinish: ({finish[0]}, {finish[1]})\nDangerous cells: {danger}\n"
            "Press a button."
        )

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        (button,) = command.args
        swapped = puzzle.swap_up_down if button in "UD" else puzzle.swap_left_right
        return State(_move_cell(puzzle.grid, state.cell, OTHER[button] if swapped else button))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        row, column = state.cell
        return "-1 -1" if puzzle.grid[row - 1][column - 1] == "*" else f"{row} {column}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        row, column = state.cell
        return {"F": True, "*": False}.get(puzzle.grid[row - 1][column - 1])

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("move", ("UDLR"[below(rng, 4)],))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (
            replace(shown, swap_up_down=up_down, swap_left_right=left_right)
            for up_down, left_right in SWAPS
        )

    def bound(self, shown: Puzzle) -> int | None:
        return _fewest_turns(shown.grid, ((1, 1), (0, 0)))

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown)

    def player(self, shown: Puzzle) -> Player:
        belief: Belief = ((1, 1), (0, 0))
        while (button := _choose_button(shown.grid, belief)) is not None:
            heard = yield Command("move", (button,))
            follow = _list_successors(shown.grid, *belief, button)
            belief = next(after for after in follow if "{} {}".format(*after[0]) == heard)


TASK = MazeNavigation()

Belief = tuple[Cell, Known]


def _move_cell(grid: Sequence[str], cell: Cell, way: str) -> Cell:
    """Return the cell that a plain button leads to."""
    row, column = cell[0] + BUTTONS[way][0], cell[1] + BUTTONS[way][1]
    inside = 1 <= row <= len(grid) and 1 <= column <= len(grid[0])
    return (row, column) if inside else cell


def _list_successors(grid: Sequence[str], cell: Cell, known: Known, button: str) -> list[Belief]:
    """Return the beliefs that may follow a press."""
    pair = int(button in "LR")
    ways = {1: button, 2: OTHER[button]}
    cells = {
        way: _move_cell(grid, cell, name) for way, name in ways.items() if known[pair] in (0, way)
    }
    if len(cells) == 2 and len(set(cells.values())) == 1:
        return [(cells[1], known)]
    return [
        (after, (way, known[1]) if pair == 0 else (known[0], way)) for way, after in cells.items()
    ]


@lru_cache(maxsize=128)
def _analyze_grid(grid: tuple[str, ...]) -> Sequence[tuple[int, int, int, int]]:
    """Return the cells from which the finish is surely reached within 0, 1, 2, ... turns.

    Sets of cells are bit masks, row by row, for a player that knows no pair, the pair up and down,
    the pair left and right, and both. The finish is in every set.
    """
    width, cells = len(grid[0]), "".join(grid)
    every = (1 << len(cells)) - 1
    top = (1 << width) - 1
    bottom = top << len(cells) - width
    left = sum(1 << place for place in range(0, len(cells), width))
    right = left << width - 1
    safe = sum(1 << place for place, cell in enumerate(cells) if cell != "*")

    def find_predecessors(ends: int) -> tuple[int, int, int, int]:
        """Return the cells from which each plain button leads to one of the ends."""
        return (
            (ends << width & every) | (ends & top),
            ends >> width | (ends & bottom),
            (ends << 1 & every & ~left) | (ends & left),
            (ends >> 1 & ~right) | (ends & right),
        )

    layer = (1 << cells.index("F"),) * 4
    found = [layer]
    while True:
        none, rows, columns, both = layer
        in_both = find_predecessors(both)
        up, down, lefts, rights = find_predecessors(rows)
        # For an unknown pair both cells must be good, since either may follow.
        rows |= (up | down | in_both[2] & in_both[3]) & safe
        none |= up & down & safe
        up, down, lefts, rights = find_predecessors(columns)
        none |= lefts & rights & safe
        columns |= (lefts | rights | in_both[0] & in_both[1]) & safe
        both |= (in_both[0] | in_both[1] | in_both[2] | in_both[3]) & safe
        if layer == (none, rows, columns, both):
            return found
        layer = (none, rows, columns, both)
        found.append(layer)


def _fewest_turns(grid: tuple[str, ...], belief: Belief) -> int | None:
    """Return the fewest turns within which the finish is surely reached, or None."""
    (row, column), (up_down, left_right) = belief
    bit = 1 << (row - 1) * len(grid[0]) + column - 1
    known = (up_down > 0) + 2 * (left_right > 0)
    layers = enumerate(_analyze_grid(grid))
    return next((turns for turns, layer in layers if layer[known] & bit), None)


def _choose_button(grid: tuple[str, ...], belief: Belief) -> str | None:
    """Return the first button of a fastest sure win; None if no win is sure or it is over."""
    if not (turns := _fewest_turns(grid, belief)):
        return None
    for button in BUTTONS:
        needs = [_fewest_turns(grid, after) for after in _list_successors(grid, *belief, button)]
        if all(need is not None and need < turns for need in needs):
            return button
    raise AssertionError("a belief that wins has a button that does")


@lru_cache(maxsize=16)
def _button_targets(rows: int, columns: int) -> dict[str, list[int]]:
    """Return the place that each plain button leads to from each place, row by row."""
    grid = ("." * columns,) * rows
    cells = [(row, column) for row in range(1, rows + 1) for column in range(1, columns + 1)]
    moved = {way: [_move_cell(grid, cell, way) for cell in cells] for way in BUTTONS}
    return {
        way: [(row - 1) * columns + column - 1 for row, column in to] for way, to in moved.items()
    }


def _blind_walk(grid: tuple[str, ...], turns: int) -> bool:
    """Return whether one list of presses reaches the finish in time, whatever is swapped.

    It follows four walkers, one for each way of swapping. They stay at the finish. States in which
    a walker can no longer arrive in time are dropped.
    """
    cells = "".join(grid)
    finish = cells.index("F")
    # The place that a step leads to; -1 for a dangerous cell.
    up, down, left, right = (
        [finish if at == finish else -1 if cells[to] == "*" else to for at, to in enumerate(way)]
        for way in _button_targets(len(grid), len(grid[0])).values()
    )
    far = _finish_distances(grid)
    goal = finish, finish, finish, finish
    layer = {(0, 0, 0, 0)}
    known = set(layer)
    for left_over in range(turns - 1, -1, -1):
        near = [to != -1 and far[to] <= left_over for to in range(len(cells))]
        following = set()
        for one, two, three, four in layer:
            for after in (
                (up[one], up[two], down[three], down[four]),
                (down[one], down[two], up[three], up[four]),
                (left[one], right[two], left[three], right[four]),
                (right[one], left[two], right[three], left[four]),
            ):
                if after not in known:
                    known.add(after)
                    a, b, c, d = after
                    if a >= 0 and b >= 0 and c >= 0 and d >= 0:
                        if near[a] and near[b] and near[c] and near[d]:
                            following.add(after)
        if goal in following:
            return True
        layer = following
    return False


def _finish_distances(grid: tuple[str, ...]) -> list[int]:
    """Return the distance of each cell from the finish if both pairs are known, row by row."""
    found = [len(grid) * len(grid[0])] * (len(grid) * len(grid[0]))
    for turns, layer in reversed(list(enumerate(_analyze_grid(grid)))):
        for place in range(len(found)):
            if layer[3] >> place & 1:
                found[place] = turns
    return found


def _placement_counts(size: int) -> tuple[int, int]:
    """Return the numbers of cells for the finish, and of ways to place the dangers."""
    return (size - 1) ** 2, comb(size * size - 2, size * size // 4)


def _number_to_grid(size: int, finish: int, danger: Sequence[int]) -> tuple[str, ...]:
    """Return the grid with this finish and these dangers.

    Args:
        size: rows and columns.
        finish: its place among the cells outside the first row and column, row by row.
        danger: places among the cells that are neither start nor finish, row by row.
    """
    cells = ["."] * (size * size)
    row, column = divmod(finish, size - 1)
    cells[(row + 1) * size + column + 1] = "F"
    free = [place for place, cell in enumerate(cells) if place and cell == "."]
    for place in danger:
        cells[free[place]] = "*"
    return split_rows(cells, size)


def _draw_random_grid(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw a grid by algorithm 8: dangers that leave a path."""
    cells = ["."] * (size * size)
    cells[1 + below(rng, size * size - 1)] = "F"
    for place in map(int, rng.integers(0, size * size, size * size // 3)):
        if place and cells[place] == ".":
            cells[place] = "*"
            if not _passable(split_rows(cells, size)):
                cells[place] = "."
    return split_rows(cells, size)


def _passable(grid: tuple[str, ...]) -> bool:
    """Return whether a path leads from the start to the finish."""

    def neighbours(cell: Cell) -> Iterator[Cell]:
        for way in BUTTONS:
            row, column = _move_cell(grid, cell, way)
            if grid[row - 1][column - 1] != "*":
                yield row, column

    return _cells(grid, "F")[0] in compute_distances((1, 1), neighbours)


def _cells(grid: Sequence[str], kind: str) -> list[Cell]:
    """Return the cells of a kind, row by row."""
    return [
        (row, column)
        for row, cells in enumerate(grid, start=1)
        for column, cell in enumerate(cells, start=1)
        if cell == kind
    ]
