"""Color magic: make a grid one color by operations whose numbers are hidden.

EvolArena, cases N.55 and N.56. Colors are numbers modulo 3: R is 0, B is 1, Y is 2. Alpha adds 1 to
the selected cell and subtracts 1 from each neighbor; beta is its inverse; gamma maps each neighbor
x to 1 - x, which swaps R and B and keeps Y. The printed beta equals alpha, and the printed gamma,
three swaps at once, is no map: the published setting reads its arrows from left to right, which
adds 1 to each neighbor.

The need of a cell is a number modulo 3, found by linear algebra: a need of 1 takes one alpha, a
need of 2 one beta. The reference player uses the fewest such operations. It learns the numbers on
the way: a beta in place of an alpha, or the reverse, turns the need of a cell into the other one,
which costs one turn once; gamma is its own inverse and costs two (three as published). So the
player surely wins within the needs and 3 turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from math import comb

import numpy as np

from facelet.generators.arcade.base.grids import format_grid, split_rows
from facelet.generators.arcade.game_toolkit import (
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
    subset_number,
)
from facelet.generators.arcade.solvers.mod3_algebra import (
    COLORS,
    Vector,
    build_grid,
    fewest_operations,
    list_neighbors,
    list_solutions,
)
from facelet.generators.core.seeding import Name

ORDERS = tuple("".join(order) for order in permutations("abg"))
"""The possible meanings of the numbers 1 to 3: a alpha, b beta, g gamma."""
PRINTED = {"b": "a", "a": "a", "g": "t"}
"""The operations of the published setting, by the meaning of a number."""
ALPHAS = 11
"""Number of alphas that mix a grid in the published setting."""
SPARE = 64
"""Numbers that each item may try."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A grid, and the meaning of the numbers."""

    grid: tuple[str, ...] = column("rows of cells: R, B or Y", role="puzzle")
    twins: bool = column(
        "whether beta does what alpha does and gamma turns colors, as printed", role="puzzle"
    )
    order: str = column("what the numbers 1 to 3 stand for, such as agb", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The rows of the grid."""

    grid: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(14)


class ColorMagic(ArcadeGame[Params, Puzzle, State]):
    """A player makes a grid one color by operations with hidden numbers."""

    name = "arcade/color_magic"
    version = 4
    category = "state_operation"
    forms = (CommandForm("move", "My Move: {int} {int}", "My Move: OPERATION POSITION"),)
    unread = 0.7  # one of six ways of numbering, and ways of two kinds of operations
    sample = Sample(
        Puzzle(blank_terms("state_operation"), ("RB", "BB"), False, "gab"),
        (Command("move", (2, 2)), Command("move", (3, 2)), Command("move", (1, 3))),
        "The grid has the rows R B and B B, and its positions are 1 to 4.",
    )
    deviations = (
        Deviation(
            "alpha and beta have the same effect",
            "beta is the inverse of alpha",
            "otherwise there is no third operation to find",
            "published=true",
        ),
        Deviation(
            "gamma swaps R and B, B and Y, and Y and R at once",
            "it swaps R and B and leaves Y",
            "no map of colors does what is printed; read from left to right it turns all three",
            "published=true",
        ),
        Deviation(
            "grids are random",
            "they need at least n + 1 operations (2 n - 2 at n = 5, and so on); none is "
            "another turned or mirrored",
            "all can be won, and none at once",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(3, 4, 5, 1)
        order = draw.deal_card("order", ORDERS)
        terms = self.terms(params, draw)
        if params.published:
            needs = np.bincount(draw.rng.integers(0, size * size, ALPHAS), minlength=size * size)
            color = int(draw.rng.integers(3))
            return Puzzle(terms, build_grid(color, needs), True, order)
        grid = _draw_own_grid(size, draw) if draw.attempt < SPARE else _draw_spare_grid(size, draw)
        if not grid:
            raise Reject("the grid is not canonical, belongs to another item, or is too easy")
        return Puzzle(terms, grid, False, order)

    def capacity(self, params: Params) -> int | None:
        return None if params.published else _count_numbers(params.level_size(3, 4, 5, 1))[1]

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.grid)
        beta = (
            "the same as alpha"
            if puzzle.twins
            else "the inverse of alpha. The selected cell changes from R to Y, from Y to B, and "
            "from B to R; each adjacent cell changes from R to B, from B to Y, and from Y to R"
        )
        gamma = (
            "from B to Y, and from Y to R"
            if puzzle.twins
            else "and from B to R, and stays as it is if it is Y"
        )
        return (
            f"Make all cells of a grid the same color. The grid has {size} rows and {size} "
            "columns. Each cell is red (R), blue (B) or yellow (Y). Positions are numbered 1 to "
            f"{size * size}, row by row from the upper left cell.\n"
            "There are three operations. Each is done at a position, the selected cell; adjacent "
            "cells share a side with it.\n"
            "- Alpha: the selected cell changes from R to B, from B to Y, and from Y to R; each "
            "adjacent cell changes from R to Y, from Y to B, and from B to R.\n"
            f"- Beta: {beta}.\n"
            "- Gamma: the selected cell stays as it is; each adjacent cell changes from R to B, "
            f"{gamma}.\n"
            "The operations have the numbers 1, 2 and 3, but you are not told which has which. "
            "That stays the same for the whole game.\n"
            "In each turn you do the operation of a number at a position. I show the grid after "
            "it. You win as soon as all cells have the same color, whichever it is. You lose if "
            "your turns run out before."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The grid:\n{format_grid(puzzle.grid)}\nMake your first move."

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.grid)

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        number, position = command.args
        last = len(puzzle.grid) ** 2
        if not 1 <= number <= 3:
            return "operations are 1 to 3"
        return "" if 1 <= position <= last else f"positions are 1 to {last}"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        number, position = command.args
        kind = puzzle.order[number - 1]
        return State(_apply_number(puzzle, state.grid, kind, position))

    def observe(self, puzzle: Puzzle, state: State) -> tuple[str, ...]:
        return state.grid

    def describe_last_reply(self, puzzle: Puzzle, state: State) -> str:
        return format_grid(state.grid)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if _is_uniform(state.grid) else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        position = below(rng, len(puzzle.grid) ** 2) + 1
        return Command("move", (below(rng, 3) + 1, position))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (replace(shown, order=order) for order in ORDERS)

    def bound(self, shown: Puzzle) -> int:
        """Return the needs plus 3; where beta equals alpha, a need of 2 takes two turns."""
        needs = fewest_operations(shown.grid, shown.twins)
        return int(needs.sum()) + 3 if shown.twins else int(np.count_nonzero(needs)) + 3

    def player(self, shown: Puzzle) -> Player:
        grid, known = shown.grid, dict.fromkeys((1, 2, 3), "abg")
        while not _is_uniform(grid):
            number, position = _choose_operation(
                fewest_operations(grid, shown.twins), known, shown.twins
            )
            heard = yield Command("move", (number, position))
            kind = next(k for k in "abg" if _apply_number(shown, grid, k, position) == heard)
            if kind == "g":
                yield from (
                    Command("move", (number, position)) for _ in range(2 if shown.twins else 1)
                )
            else:
                grid = heard
            if shown.twins and kind != "g":
                known[number] = kind
                continue
            for other, kinds in known.items():
                known[other] = kind if other == number else kinds.replace(kind, "")


TASK = ColorMagic()


def _apply_number(
    puzzle: Puzzle, grid: tuple[str, ...], kind: str, position: int
) -> tuple[str, ...]:
    """Return the grid after the operation that a number stands for, at a position."""
    return _apply_operation(grid, PRINTED[kind] if puzzle.twins else kind, position)


def _choose_operation(needs: Vector, known: dict[int, str], twins: bool) -> tuple[int, int]:
    """Return the number and the position of the next operation.

    Args:
        needs: the need of each cell: 0, 1 for alpha, 2 for beta.
        known: the possible meanings of each number.
        twins: whether beta equals alpha.
    """
    places = np.flatnonzero(needs)
    wanted = [(int(place) + 1, "a" if twins else "ab"[needs[place] - 1]) for place in places]
    for position, kind in wanted:
        for number, kinds in known.items():
            if kinds == kind:
                return number, position
    position, kind = wanted[0]
    return next(number for number, kinds in known.items() if kind in kinds), position


def _count_numbers(size: int) -> tuple[int, int]:
    """Return how many numbers encode grids, and the most items."""
    count = _count_operations(size)
    total = 3 * comb(size * size, count) * 2**count
    return total, total // SPARE


def _draw_own_grid(size: int, draw: Draw) -> tuple[str, ...]:
    """Return the grid of a draw's number; () if it is not canonical or an earlier item has it.

    Where several numbers encode one grid, the first item that would keep it has it.
    """
    count = _count_operations(size)
    total, items = _count_numbers(size)
    number = draw.unique_number("grid", total, items)
    color, places, signs = number_to_digits(number, (3, comb(size * size, count), 2**count))
    needs = np.zeros(size * size, dtype=np.int64)
    for bit, place in enumerate(number_to_subset(places, size * size, count)):
        needs[place] = 1 + (signs >> bit & 1)
    grid = build_grid(color, needs)
    if grid > min(_iterate_symmetries(grid)) or np.count_nonzero(fewest_operations(grid)) < count:
        return ()
    for other in _grid_numbers(grid) - {number}:
        index, attempt = draw.number_holder("grid", other, total, items)
        if index < draw.index and _find_kept_attempt(draw.path, size, index) == attempt:
            return ()
    return grid


def _grid_numbers(grid: tuple[str, ...]) -> set[int]:
    """Return all numbers that encode a grid, which needs as many operations as they have."""
    size = len(grid)
    count = _count_operations(size)
    found = set()
    for color, every in list_solutions(grid):
        for needs in every[np.count_nonzero(every, axis=1) == count]:
            chosen = np.flatnonzero(needs).tolist()
            places = subset_number(chosen, size * size)
            signs = sum(int(needs[place] - 1) << bit for bit, place in enumerate(chosen))
            found.add((color * comb(size * size, count) + places) * 2**count + signs)
    return found


@lru_cache(maxsize=4096)
def _find_kept_attempt(path: tuple[Name, ...], size: int, index: int) -> int | None:
    """Return the attempt whose number an item keeps; None if it keeps none of its own.

    Args:
        path: the path of the draws.
        size: rows and columns.
        index: the number of the item.
    """
    return next((a for a in range(SPARE) if _draw_own_grid(size, Draw(path, index, a))), None)


def _draw_spare_grid(size: int, draw: Draw) -> tuple[str, ...]:
    """Return a grid that a later item could keep but does not need; () if it has too few.

    The item d places later supplies the d-th of its spare grids, so no two items get the same one.
    Grids with several numbers are left out, since other items may draw them.
    """
    later = draw.attempt - SPARE + 1
    index = (draw.index + later) % _count_numbers(size)[1]
    kept = _find_kept_attempt(draw.path, size, index)
    spare = []
    for attempt in range(SPARE):
        grid = _draw_own_grid(size, Draw(draw.path, index, attempt)) if attempt != kept else ()
        if grid and len(_grid_numbers(grid)) == 1:
            spare.append(grid)
    return spare[later - 1] if len(spare) >= later else ()


def _count_operations(size: int) -> int:
    """Return the number of operations that a grid needs."""
    return size + 1 if size < 5 else 2 * size - 2


def _apply_operation(grid: tuple[str, ...], kind: str, position: int) -> tuple[str, ...]:
    """Return the grid after an operation.

    Args:
        grid: the rows.
        kind: a, b, g, or t for a gamma as published.
        position: the selected cell, from 1.
    """
    size = len(grid)
    cells = list("".join(grid))
    _operate_cells(cells, size, kind, position)
    return split_rows(cells, size)


def _operate_cells(cells: list[str], size: int, kind: str, position: int) -> None:
    """Apply an operation to the cells of a grid; see `_apply_operation`."""
    own, other = _CHANGES[kind]
    cells[position - 1] = own[cells[position - 1]]
    for place in list_neighbors(size)[position - 1]:
        cells[place] = other[cells[place]]


def _shift_colors(by: int) -> dict[str, str]:
    return {color: COLORS[(place + by) % 3] for place, color in enumerate(COLORS)}


_CHANGES = {
    "a": (_shift_colors(1), _shift_colors(-1)),
    "b": (_shift_colors(-1), _shift_colors(1)),
    "g": (_shift_colors(0), {color: COLORS[(1 - place) % 3] for place, color in enumerate(COLORS)}),
    "t": (_shift_colors(0), _shift_colors(1)),
}
"""The effect of an operation on the selected cell, and on its neighbors."""


def _iterate_symmetries(grid: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the eight rotations and reflections of the grid."""
    rows = tuple(grid)
    for _ in range(4):
        rows = tuple("".join(line) for line in zip(*rows[::-1], strict=True))
        yield rows
        yield rows[::-1]


def _is_uniform(grid: Sequence[str]) -> bool:
    return len(set("".join(grid))) == 1
