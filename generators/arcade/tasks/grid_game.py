"""Grid game: take cells in turn, each next to a taken one; the smaller sum wins.

EvolArena, cases N.71, N.72 and P.1, algorithms 14 to 16; the puzzle is Codeforces 1991 I. A grid of
n rows and COLUMNS columns holds the numbers 1 to their product. The player moves first, the other
side last.

Minimax over sets of cells decides what can be forced: a grid of 3 rows is solved from the start,
and larger grids for the last END cells. Before them no forced win is known; there the reference
player takes a small cell that opens no smaller one, and only a win in the row itself is
guaranteed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from facelet.generators.arcade.game_toolkit import (
    INVALID_LOSES,
    TURNS,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Duel,
    DuelParams,
    DuelPuzzle,
    ErrorPrice,
    Opponent,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
NEVER = -(1 << 40)
"""A value below every advantage."""
COLUMNS = 4
EXACT = 12
"""Most cells of a grid that is searched from the start."""
END = 8
"""Most remaining cells for which every line of play on a larger grid is searched."""


@dataclass(frozen=True, slots=True)
class Puzzle(DuelPuzzle):
    """The numbers, and how the other side plays."""

    rows: int = column("rows of the grid", role="puzzle")
    numbers: tuple[int, ...] = column("the numbers of the cells, row by row", role="puzzle")
    opponent: Opponent = column("how the other side plays: random, greedy or optimal")


@dataclass(frozen=True, slots=True)
class State:
    """The taken cells as bits, the other side's sum minus the player's, and the last cell."""

    taken: int = 0
    lead: int = 0
    last: int = -1


class GridGame(Duel[DuelParams, Puzzle, State]):
    """Two sides take cells of a grid; the smaller sum wins."""

    name = "arcade/grid_game"
    version = 3
    category = "strategic_gaming"
    forms = (CommandForm("choice", "My Choice: {int} {int}", "My Choice: x y"),)
    illegal = ErrorPrice("end")
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"), 2, (3, 8, 1, 5, 6, 2, 7, 4), "random"
        ),
        (Command("choice", (1, 3)), Command("choice", (2, 3))),
        "The grid has the rows 3 8 1 5 and 6 2 7 4.",
    )
    deviations = (
        Deviation(
            "",
            "4 columns at each n",
            "the published data have them",
        ),
        Deviation(
            "",
            "15 turns, or half of the cells if more (appendix F, algorithm 15)",
            "8 rows of 4 need 16 turns of the player",
        ),
        Deviation(
            "any numbers",
            "with 3 rows, those from which the player can force a win",
            "from others a win is luck",
            "published=true",
        ),
        Deviation(
            "the opponent plays at random",
            "with more than 3 rows, it sees forced wins in the last 8 cells",
            "beating a random mover means little",
            "published=true",
        ),
        INVALID_LOSES,
    )

    def make(self, params: DuelParams, draw: Draw) -> Puzzle:
        rows = params.level_size(3, 5, 8, 1)
        numbers = tuple(int(number) + 1 for number in draw.rng.permutation(rows * COLUMNS))
        puzzle = Puzzle(self.terms(params, draw), rows, numbers, params.opponent_kind)
        if len(numbers) <= EXACT and not params.published and self.bound(puzzle) is None:
            raise Reject("a win cannot be forced")
        return puzzle

    def turn_limit(self, params: DuelParams, shown: Puzzle, bound: int | None) -> int:
        return max(TURNS, len(shown.numbers) // 2)

    def optimal_turns(self, shown: Puzzle) -> int | None:
        """Return the bound, since every game has the same length."""
        return self.bound(shown)

    def rules(self, puzzle: Puzzle) -> str:
        cells = len(puzzle.numbers)
        return (
            f"Grid game. A grid has {puzzle.rows} rows and {COLUMNS} columns and holds the numbers "
            f"1 to {cells}, each once. A cell is written x y: its row x from the top, 1 to "
            f"{puzzle.rows}, and its column y from the left, 1 to {COLUMNS}.\n"
            "You and I take cells in turn, you first; each cell is taken once. Your first cell may "
            "be any. Every cell after that must share an edge (up, down, left or right) with a "
            "cell that one of us has taken before.\n"
            "The game is over when all cells are taken. You win if the sum of the numbers in your "
            "cells is then less than that in mine; if it is equal or more, you lose.\n"
            "After each of your choices I tell you the cell that I take."
        )

    def opening(self, puzzle: Puzzle) -> str:
        rows = np.array(puzzle.numbers).reshape(puzzle.rows, COLUMNS)
        listed = "\n".join(" ".join(f"{number:>3}" for number in row) for row in rows)
        return f"The numbers:\n{listed}\nYour choice."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        x, y = command.args
        if not (1 <= x <= puzzle.rows and 1 <= y <= COLUMNS):
            return f"rows are 1 to {puzzle.rows} and columns 1 to {COLUMNS}"
        cell = _place_to_number(command.args)
        if state.taken >> cell & 1:
            return f"the cell {x} {y} is taken"
        if cell in _list_free_cells(puzzle.rows, state.taken):
            return ""
        return f"the cell {x} {y} is next to no cell that was taken"

    def apply_move(self, puzzle: Puzzle, state: State, command: Command) -> State:
        cell = _place_to_number(command.args)
        return State(state.taken | 1 << cell, state.lead - puzzle.numbers[cell], cell)

    def list_opponent_states(self, puzzle: Puzzle, state: State) -> Sequence[State]:
        return [
            State(state.taken | 1 << cell, state.lead + puzzle.numbers[cell], cell)
            for cell in _list_free_cells(puzzle.rows, state.taken)
        ]

    def observe(self, puzzle: Puzzle, state: State) -> str:
        x, y = divmod(state.last, COLUMNS)
        return f"{x + 1} {y + 1}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.lead > 0 if state.taken + 1 == 1 << len(puzzle.numbers) else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        free = _list_free_cells(puzzle.rows, state.taken)
        return _cell_to_command(free[below(rng, len(free))])

    def score_for_opponent(self, puzzle: Puzzle, state: State) -> float:
        """Return more, the smaller the opponent's sum is."""
        return -float(state.lead)

    def turns_to_force_win(self, puzzle: Puzzle, state: State) -> int | None:
        left = len(puzzle.numbers) - state.taken.bit_count()
        if (
            not _is_fully_searched(puzzle, state)
            or state.lead + _opponent_advantage(puzzle.numbers, state.taken) <= 0
        ):
            return None
        return left // 2

    def choose_move(self, puzzle: Puzzle, state: State) -> Command:
        free, numbers = _list_free_cells(puzzle.rows, state.taken), puzzle.numbers
        if _is_fully_searched(puzzle, state):

            def score_cell(cell: int) -> float:
                return -numbers[cell] - _opponent_advantage(numbers, state.taken | 1 << cell)

        else:

            def score_cell(cell: int) -> float:
                after = _list_free_cells(puzzle.rows, state.taken | 1 << cell)
                return min(numbers[other] for other in after) - numbers[cell]

        return _cell_to_command(max(free, key=score_cell))


TASK = GridGame()


def _is_fully_searched(puzzle: Puzzle, state: State) -> bool:
    """Return whether every line of play is searched."""
    cells = len(puzzle.numbers)
    return cells <= EXACT or cells - state.taken.bit_count() <= END


def _place_to_number(place: Sequence[int]) -> int:
    """Return the number of a cell, from 0, row by row."""
    return (place[0] - 1) * COLUMNS + place[1] - 1


def _cell_to_command(cell: int) -> Command:
    x, y = divmod(cell, COLUMNS)
    return Command("choice", (x + 1, y + 1))


@lru_cache(maxsize=128)
def _neighbor_bits(rows: int) -> tuple[int, ...]:
    """Return the neighbours of each cell, as bits."""
    found = []
    for cell in range(rows * COLUMNS):
        x, y = divmod(cell, COLUMNS)
        others = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
        bits = (1 << (a * COLUMNS + b) for a, b in others if 0 <= a < rows and 0 <= b < COLUMNS)
        found.append(sum(bits))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _list_free_cells(rows: int, taken: int) -> tuple[int, ...]:
    """Return the cells that may be taken now, ascending."""
    every = (1 << rows * COLUMNS) - 1
    first = every // ((1 << COLUMNS) - 1)
    rights, lefts = (taken & ~(first << COLUMNS - 1)) << 1, (taken & ~first) >> 1
    near = taken << COLUMNS | taken >> COLUMNS | rights | lefts if taken else every
    left, found = near & every & ~taken, list[int]()
    while left:
        found.append((left & -left).bit_length() - 1)
        left &= left - 1
    return tuple(found)


def _opponent_advantage(numbers: tuple[int, ...], taken: int) -> int:
    """Return how much less than the other the side to move gets, if both play best."""
    if len(numbers) <= EXACT:
        return int(_search_advantages(numbers)[taken])
    known = _list_known_advantages(numbers)
    if (found := known.get(taken)) is None:
        free = _list_free_cells(len(numbers) // COLUMNS, taken)
        if len(free) == len(numbers) - taken.bit_count():
            # Every remaining cell may be taken from now on: each side takes the least number.
            least = sorted(numbers[cell] for cell in free)
            found = sum(least[1::2]) - sum(least[::2])
        else:
            found = max(
                -numbers[cell] - _opponent_advantage(numbers, taken | 1 << cell) for cell in free
            )
        known[taken] = found
    return found


@lru_cache(maxsize=128)
def _search_advantages(numbers: tuple[int, ...]) -> Ints:
    """Return the advantage of the side to move by the taken cells, shape (2 ** cells,)."""
    found = np.zeros(1 << len(numbers), dtype=np.int64)
    for sets, free in _by_count(len(numbers) // COLUMNS):
        after = sets[:, None] | 1 << np.arange(len(numbers))
        worth = np.where(free, -np.array(numbers) - found[after], NEVER)
        found[sets] = worth.max(axis=1)
    return found


@lru_cache(maxsize=EXACT)
def _by_count(rows: int) -> list[tuple[Ints, Bools]]:
    """Return sets of taken cells, the largest first, and the cells that may be taken then.

    Sets of one size are together; the set of all cells is left out.
    """
    cells = rows * COLUMNS
    counts = np.array([taken.bit_count() for taken in range(1 << cells)])
    near = np.array(_neighbor_bits(rows))
    found = []
    for count in range(cells - 1, -1, -1):
        sets = np.flatnonzero(counts == count)
        touched = (sets[:, None] & near != 0) | (count == 0)
        found.append((sets, touched & (sets[:, None] >> np.arange(cells) & 1 == 0)))
    return found


@lru_cache(maxsize=128)
def _list_known_advantages(numbers: tuple[int, ...]) -> dict[int, int]:
    """Return a cache of advantages in a grid, by the taken cells.

    `_opponent_advantage` fills it.
    """
    return {}
