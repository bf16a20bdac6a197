"""Magnetic field exploration: cross a grid of fields that push, each kind in a hidden direction.

EvolArena, cases N.49 and N.50. Cells are (row, column) from 1; row 1 is the uppermost. A player
that lands on a field is pushed one cell, and again if that cell is a field; at the border nothing
happens. A field acts at most once a turn, so that every push ends: a player that returns to it
stays there.

The four kinds have the four directions, in one of 24 ways. The reference player keeps the ways that
fit its observations. A search of all moves over cells and such sets gives the moves that win the
most ways and, among these, take the fewest turns on average. All ways are played, so the
probability of a win within the turns is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np

from facelet.generators.arcade.base.grids import format_grid, split_rows, transpose_grid
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
    blind_limits,
    column,
    larger_sizes_deviation,
    level_param,
    number_to_digits,
    number_to_subset,
    subset_sized,
    subsets_sized,
)
from facelet.generators.arcade.solvers.breadth_first_search import compute_distances
from facelet.generators.arcade.solvers.magnetic_fields import (
    PRESSES,
    START,
    WAYS,
    Cell,
    analyze_grid,
    beliefs_after,
    describe_cell,
    list_presses,
    most_won,
    move_to,
    read_cell,
    shift_cell,
    turns_to_win,
)

TRIALS = 8
"""Grids that one attempt draws."""
SPARE = 2000
"""Grids that each item may try."""
SPARE_TURNS = 1
"""Turns beyond those of the reference player in the longest way that it wins."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A grid, and the directions of its fields."""

    grid: tuple[str, ...] = column(
        "rows of cells: . neutral, X danger, G goal, 1 to 4 fields", role="puzzle"
    )
    directions: str = column("directions of the kinds 1 to 4, such as NWSE", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The cell of the player."""

    cell: Cell = (1, 1)


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(16)


class MagneticFieldExploration(ArcadeGame[Params, Puzzle, State]):
    """A player crosses a grid of fields whose directions are hidden."""

    name = "arcade/magnetic_field_exploration"
    version = 4
    fixed = 0.08
    category = "state_operation"
    forms = (CommandForm("move", "My Move: {U|D|L|R}", "My Move: X"),)
    lucky = blind_limits({1: 0.25, 2: 0.2, 3: 0.2}, "moves to the right and down cross many a grid")
    unread = 0.5  # a player that is pushed back can often repeat the way: one list may fit all
    sample = Sample(
        Puzzle(blank_terms("state_operation"), ("1.X", ".2.", "..G"), "ENSW"),
        (
            Command("move", ("R",)),
            Command("move", ("D",)),
            Command("move", ("D",)),
            Command("move", ("R",)),
        ),
        "The grid has the rows . . X, . 2 . and . . G. The fields 2 push north.",
    )
    deviations = (
        larger_sizes_deviation("3, 4 and 5 rows", "5, 6 and 7"),
        Deviation(
            "15 turns",
            "one more than the reference player needs for any way that it wins",
            "with more, one list of moves suits many ways",
            "published=true",
        ),
        Deviation(
            "fields may push each other's way for ever",
            "a field acts at most once a turn",
            "otherwise a turn may not end",
        ),
        Deviation(
            "",
            "a move outside is illegal: it costs a turn, and the reason is given",
            "format and legality are separate",
        ),
        Deviation(
            "",
            "a field that pushes into the border leaves the player there; lethal in the data",
            "the text has priority",
        ),
        Deviation(
            "grids are random; some cannot be won",
            "the goal is reachable for at least half of the 24 ways, not on neutral cells "
            "alone; kinds are numbered by appearance; no grid is another transposed",
            "otherwise there is nothing to find out, or luck decides",
            "published=true",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = _grid_size(params)
        directions = draw.deal_card("directions", WAYS)
        if params.published:
            return Puzzle(self.terms(params, draw), _draw_random_grid(size, draw.rng), directions)
        for trial in range(TRIALS):
            if grid := _draw_grid(size, replace(draw, attempt=draw.attempt * TRIALS + trial)):
                return Puzzle(self.terms(params, draw), grid, directions)
        raise Reject("no drawn grid is both canonical and of the right difficulty")

    def capacity(self, params: Params) -> int | None:
        return (
            None
            if params.published
            else _multiply_all(_placement_counts(_grid_size(params))) // SPARE
        )

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.grid)
        return (
            f"Cross a grid of {size} rows and {size} columns with magnetic fields. A cell is "
            "(row, column), both from 1; (1, 1) is the upper left corner, where you start, and "
            f"({size}, {size}) is the lower right one, the goal G.\n"
            "In each turn you go one cell: U (up, row - 1), D (down, row + 1), L (left, "
            "column - 1) or R (right, column + 1). A move out of the grid is not allowed; it costs "
            "a turn.\n"
            "- On a neutral cell (.) you stay.\n"
            "- On a danger zone (X) you lose at once.\n"
            "- On the goal you win at once.\n"
            "- A field (1, 2, 3 or 4) pushes you one cell in its direction: north, south, east or "
            "west. If that would lead out of the grid, you stay on the field. If it leads to "
            "another field, that one pushes you on, and so forth; if you come back to a field "
            "that has pushed you in this turn, you stay there.\n"
            "Each of the four numbers stands for another one of the four directions, the same in "
            "the whole grid and the whole game. You are not told which.\n"
            "After each move I say where you are then: row and column, such as 1 2; or -1 -1 if "
            "you came to a danger zone. You also lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The grid:\n{format_grid(puzzle.grid)}\nYou are at (1, 1). Make your first move."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        inside = shift_cell(puzzle.grid, state.cell, PRESSES[command.args[0]])
        return "" if inside else "that leads out of the grid"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        return State(move_to(puzzle.grid, puzzle.directions, state.cell, command.args[0]))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return describe_cell(puzzle.grid, state.cell)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return {"G": True, "X": False}.get(read_cell(puzzle.grid, state.cell))

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        ways = list_presses(puzzle.grid, state.cell)
        return Command("move", (ways[below(rng, len(ways))],))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (replace(shown, directions=directions) for directions in WAYS)

    def bound(self, shown: Puzzle) -> int | None:
        if analyze_grid(shown.grid).best_move(START)[0][0] < len(WAYS):
            return None
        return max(_winning_turns(shown.grid))

    def win_probability(self, shown: Puzzle) -> float:
        lengths = _winning_turns(shown.grid)
        return sum(0 < length <= shown.terms.turns for length in lengths) / len(WAYS)

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return TURNS if params.published else max(_winning_turns(shown.grid)) + SPARE_TURNS

    def player(self, shown: Puzzle) -> Player:
        grid, belief = shown.grid, START
        while press := analyze_grid(grid).best_move(belief)[1]:
            heard = yield Command("move", (press,))
            follow = beliefs_after(grid, belief, press)
            belief = next(after for after in follow if describe_cell(grid, after[0]) == heard)


TASK = MagneticFieldExploration()


@lru_cache(maxsize=8)
def _winning_turns(grid: tuple[str, ...]) -> tuple[int, ...]:
    """Return the turns of the reference player in each way; 0 where it does not win."""
    return tuple(turns_to_win(grid, directions) for directions in WAYS)


def _grid_size(params: Params) -> int:
    """Return rows and columns; they grow every second level, since the search grows fast."""
    return params.level_size(10, 12, 14, 1, paper=(6, 8, 10)) // 2


def _draw_grid(size: int, draw: Draw) -> tuple[str, ...] | None:
    """Return the grid of a draw, if it is canonical and neither too easy nor too hard.

    Args:
        size: rows and columns.
        draw: the draw.
    """
    numbers = _placement_counts(size)
    number = draw.unique_number("grid", _multiply_all(numbers), _multiply_all(numbers) // SPARE)
    grid = _number_to_grid(size, number_to_digits(number, numbers))
    stands = _rename_kinds(grid) == grid and grid <= _rename_kinds(transpose_grid(grid))
    if not stands or _plain_way(grid) or 2 * most_won(grid) < len(WAYS):
        return None
    return grid if 2 * analyze_grid(grid).best_move(START)[0][0] >= len(WAYS) else None


def _plain_way(grid: tuple[str, ...]) -> bool:
    """Return whether neutral cells alone lead to the goal."""

    def iterate_neighbors(cell: Cell) -> Iterator[Cell]:
        for shift in PRESSES.values():
            if (after := shift_cell(grid, cell, shift)) and read_cell(grid, after) in ".G":
                yield after

    return (len(grid), len(grid)) in compute_distances((1, 1), iterate_neighbors)


def _zone_counts(size: int) -> tuple[int, tuple[int, ...]]:
    """Return the number of fields, and the possible numbers of danger zones."""
    return size * size // 3, (size - 1, size, size + 1)


def _placement_counts(size: int) -> tuple[int, ...]:
    """Return the numbers of ways to place fields, to name each of them, and to place dangers."""
    fields, dangers = _zone_counts(size)
    free = size * size - 2
    names = tuple(min(place + 1, 4) for place in range(fields))
    return (comb(free, fields), *names, subsets_sized(free - fields, dangers))


def _multiply_all(numbers: Sequence[int]) -> int:
    total = 1
    for number in numbers:
        total *= number
    return total


def _number_to_grid(size: int, chosen: Sequence[int]) -> tuple[str, ...]:
    """Return the grid of these numbers, each below that of `_placement_counts`."""
    count, dangers = _zone_counts(size)
    free = size * size - 2
    fields = number_to_subset(chosen[0], free, count)
    cells = ["."] * free
    for place, name in zip(fields, chosen[1:-1], strict=True):
        cells[place] = str(name + 1)
    rest = [place for place in range(free) if place not in fields]
    for place in subset_sized(chosen[-1], len(rest), dangers):
        cells[rest[place]] = "X"
    return split_rows([".", *cells, "G"], size)


def _rename_kinds(grid: Sequence[str]) -> tuple[str, ...]:
    """Return the grid with its kinds numbered in the order of their appearance."""
    text = "".join(grid)
    order = list(dict.fromkeys(sign for sign in text if sign in "1234"))
    names = {sign: str(place + 1) for place, sign in enumerate(order)}
    return split_rows([names.get(sign, sign) for sign in text], len(grid))


def _draw_random_grid(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw a grid cell by cell: half neutral, a third fields."""
    signs = rng.choice(list("......1234XX"), size=size * size - 2)
    return split_rows([".", *map(str, signs), "G"], size)
