"""Color magic: make a grid one color by operations whose numbers are hidden.

EvolArena, cases N.55 and N.56. Colors are numbers modulo 3: R is 0, B is 1, Y is 2. Alpha adds 1 to
the selected cell and takes 1 from each neighbor; beta is its inverse; gamma maps each neighbor x to
1 - x, which swaps R and B and leaves Y. The printed beta is the same as alpha, and the printed
gamma is no map; both are decided here.

Alpha and beta commute, so what a grid needs is a number modulo 3 for each cell, found by linear
algebra; a cell that needs 1 needs alpha once, one that needs 2 beta. The reference player uses the
fewest such. It learns on the way which number is which: a wrong one of alpha and beta turns the
need of a cell into the other, which costs a turn once; gamma is its own inverse and costs two. So
it surely wins within the needs and 3 turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from math import comb

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.base.game import ArcadeGame, Sample, blank_terms
from facelet.generators.arcade.base.params import ArcadeParams
from facelet.generators.arcade.base.terms import Terms
from facelet.generators.arcade.numbering import digits, subset
from facelet.generators.core.columns import column, nested
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.forms import Form, Said
from facelet.generators.core.game import Luck, Player
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

COLORS = "RBY"
ORDERS = tuple("".join(order) for order in permutations("abg"))
"""What the numbers 1 to 3 may stand for: a alpha, b beta, g gamma."""
ALPHAS = 11
"""Alphas that mix a grid as published."""
SPARE = 64
"""Grids that each item may try."""

Vector = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A grid, and what the numbers stand for."""

    terms: Terms = nested(Terms)
    grid: tuple[str, ...] = column("rows of cells: R, B or Y", role="puzzle")
    twins: bool = column("whether beta does what alpha does", role="puzzle")
    order: str = column("what the numbers 1 to 3 stand for, such as agb", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The rows of the grid."""

    grid: tuple[str, ...]


class ColorMagic(ArcadeGame[ArcadeParams, Puzzle, State]):
    """The game; see the module."""

    name = "arcade/color_magic"
    version = 1
    category = "state_operation"
    params = ArcadeParams
    instance = Puzzle
    forms = (Form("move", "My Move: {int} {int}", "My Move: OPERATION POSITION"),)
    unread = 0.7  # one of six ways of numbering, and ways of two kinds of operations
    sample = Sample(
        Puzzle(blank_terms("state_operation"), ("RB", "BB"), False, "gab"),
        (Said("move", (2, 2)), Said("move", (3, 2)), Said("move", (1, 3))),
        "The grid has the rows R B and B B, and its positions are 1 to 4.",
    )
    deviations = (
        Deviation(
            "alpha and beta do the same: their cycles of colors are written differently only",
            "beta is the inverse of alpha",
            "else there is no third operation to find",
            "published=true",
        ),
        Deviation(
            "gamma swaps R and B, B and Y, and Y and R at once",
            "gamma swaps R and B and leaves Y",
            "no map of colors does what is printed",
        ),
        Deviation(
            "grids are drawn at random",
            "a grid needs n + 1 operations at least (2 n - 2 at n = 5, and so on); of grids that "
            "are turned or mirrored one is made",
            "all can be won, and none at once",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.size(3, 4, 5, 1)
        order = draw.deal("order", ORDERS)
        terms = self.terms(params, draw)
        if params.published:
            needs = np.bincount(draw.rng.integers(0, size * size, ALPHAS), minlength=size * size)
            color = int(draw.rng.integers(3))
            return Puzzle(terms, _rows(color - _matrix(size) @ needs, size), True, order)
        count = _needed(size)
        bases = (3, comb(size * size, count), 2**count)
        total = 3 * bases[1] * bases[2]
        color, places, signs = digits(draw.number("grid", total, total // SPARE), bases)
        needs = np.zeros(size * size, dtype=np.int64)
        for bit, place in enumerate(subset(places, size * size, count)):
            needs[place] = 1 + (signs >> bit & 1)
        grid = _rows(color - _matrix(size) @ needs, size)
        if grid > min(_turned(grid)):
            raise Reject("another grid stands for this one")
        if np.count_nonzero(_needs(grid)) < count:
            raise Reject("the grid needs fewer operations")
        return Puzzle(terms, grid, False, order)

    def capacity(self, params: ArcadeParams) -> int | None:
        size = params.size(3, 4, 5, 1)
        count = _needed(size)
        total = 3 * comb(size * size, count) * 2**count
        return None if params.published else total // SPARE

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.grid)
        beta = (
            "the same as alpha"
            if puzzle.twins
            else "the inverse of alpha. The selected cell changes from R to Y, from Y to B, and "
            "from B to R; each adjacent cell changes from R to B, from B to Y, and from Y to R"
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
            "- Gamma: the selected cell stays as it is; each adjacent cell changes from R to B and "
            "from B to R, and stays as it is if it is Y.\n"
            "The operations have the numbers 1, 2 and 3, but you are not told which has which. "
            "That stays the same for the whole game.\n"
            "In each turn you do the operation of a number at a position. I show the grid after "
            "it. You win as soon as all cells have the same color, whichever it is. You lose if "
            "your turns run out before."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The grid:\n{_text(puzzle.grid)}\nMake your first move."

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.grid)

    def legal(self, puzzle: Puzzle, state: State, said: Said) -> str:
        number, position = said.args
        last = len(puzzle.grid) ** 2
        if not 1 <= number <= 3:
            return "operations are 1 to 3"
        return "" if 1 <= position <= last else f"positions are 1 to {last}"

    def step(self, puzzle: Puzzle, state: State, said: Said, luck: Luck) -> State:
        number, position = said.args
        kind = puzzle.order[number - 1]
        return State(_done(state.grid, "a" if puzzle.twins and kind == "b" else kind, position))

    def observe(self, puzzle: Puzzle, state: State) -> tuple[str, ...]:
        return state.grid

    def tell(self, puzzle: Puzzle, state: State) -> str:
        return _text(state.grid)

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if _same(state.grid) else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Said:
        position = int(rng.integers(len(puzzle.grid) ** 2)) + 1
        return Said("move", (int(rng.integers(3)) + 1, position))

    def candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        for order in ORDERS:
            yield replace(shown, order=order)

    def bound(self, shown: Puzzle) -> int:
        """Return the needs and 3; where beta is alpha, a need of 2 takes two turns, and gamma 2."""
        needs = _needs(shown.grid, shown.twins)
        return int(needs.sum()) + 2 if shown.twins else int(np.count_nonzero(needs)) + 3

    def player(self, shown: Puzzle) -> Player:
        grid, known = shown.grid, dict.fromkeys((1, 2, 3), "abg")
        while not _same(grid):
            number, position = _chosen(_needs(grid, shown.twins), known, shown.twins)
            heard = yield Said("move", (number, position))
            kind = next(k for k in "abg" if _done(grid, k, position) == heard)
            if kind == "g":
                yield Said("move", (number, position))
            else:
                grid = heard
            if shown.twins and kind != "g":
                known[number] = kind
                continue
            for other, kinds in known.items():
                known[other] = kind if other == number else kinds.replace(kind, "")


TASK = ColorMagic()


def _chosen(needs: Vector, known: dict[int, str], twins: bool) -> tuple[int, int]:
    """Return the number and the position of the next operation.

    Args:
        needs: what each cell needs: 0, 1 for alpha, 2 for beta.
        known: what each number may stand for.
        twins: whether beta does what alpha does.
    """
    places = np.flatnonzero(needs)
    wanted = [(int(place) + 1, "a" if twins else "ab"[needs[place] - 1]) for place in places]
    for position, kind in wanted:
        for number, kinds in known.items():
            if kinds == kind:
                return number, position
    position, kind = wanted[0]
    return next(number for number, kinds in known.items() if kind in kinds), position


def _needed(size: int) -> int:
    """Return how many operations a grid needs."""
    return size + 1 if size < 5 else 2 * size - 2


@lru_cache(maxsize=16)
def _near(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbors of each cell, by their places."""
    found = []
    for place in range(size * size):
        row, column = divmod(place, size)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        inside = ((r, c) for r, c in around if 0 <= r < size and 0 <= c < size)
        found.append(tuple(r * size + c for r, c in inside))
    return tuple(found)


def _done(grid: tuple[str, ...], kind: str, position: int) -> tuple[str, ...]:
    """Return the grid after an operation.

    Args:
        grid: the rows.
        kind: a, b or g.
        position: the selected cell, from 1.
    """
    size = len(grid)
    cells = [COLORS.index(cell) for row in grid for cell in row]
    own = {"a": 1, "b": -1, "g": 0}[kind]
    cells[position - 1] = (cells[position - 1] + own) % 3
    for place in _near(size)[position - 1]:
        cells[place] = (1 - cells[place] if kind == "g" else cells[place] - own) % 3
    return _rows(cells, size)


def _matrix(size: int) -> Vector:
    """Return what alpha adds, shape (cells, positions)."""
    found = np.eye(size * size, dtype=np.int64)
    for place, near in enumerate(_near(size)):
        found[list(near), place] = -1
    return found


@lru_cache(maxsize=16)
def _reduced(size: int) -> tuple[Vector, Vector, tuple[int, ...]]:
    """Return the matrix reduced by rows modulo 3, the operations on rows, and the pivots."""
    cells = size * size
    both = np.hstack([_matrix(size), np.eye(cells, dtype=np.int64)]) % 3
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
def _idle(size: int) -> Vector:
    """Return all needs that change nothing, shape (3 ** k, cells)."""
    reduced, _, pivots = _reduced(size)
    free = [place for place in range(size * size) if place not in pivots]
    basis = np.zeros((len(free), size * size), dtype=np.int64)
    for row, place in enumerate(free):
        basis[row, place] = 1
        basis[row, list(pivots)] = -reduced[: len(pivots), place] % 3
    weights = np.array(list(product(range(3), repeat=len(free))), dtype=np.int64)
    return weights.reshape(3 ** len(free), len(free)) @ basis % 3


@lru_cache(maxsize=4096)
def _needs(grid: tuple[str, ...], summed: bool = False) -> Vector:
    """Return fewest needs that make a grid one color: 0, 1 or 2 for each cell.

    Args:
        grid: the rows.
        summed: whether a need of 2 counts twice.

    Raises:
        Reject: alpha and beta alone cannot do it.
    """
    size = len(grid)
    cells = np.array([COLORS.index(cell) for row in grid for cell in row])
    _, change, pivots = _reduced(size)
    found = []
    for color in range(3):
        right = change @ (color - cells) % 3
        if right[len(pivots) :].any():
            continue
        base = np.zeros(size * size, dtype=np.int64)
        base[list(pivots)] = right[: len(pivots)]
        found.append((base + _idle(size)) % 3)
    if not found:
        raise Reject("alpha and beta do not suffice")
    every = np.vstack(found)
    weights = every.sum(axis=1) if summed else np.count_nonzero(every, axis=1)
    needs: Vector = every[int(weights.argmin())]
    return needs


def _turned(grid: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the grid turned and mirrored in all eight ways."""
    rows = tuple(grid)
    for _ in range(4):
        rows = tuple("".join(line) for line in zip(*rows[::-1], strict=True))
        yield rows
        yield rows[::-1]


def _same(grid: Sequence[str]) -> bool:
    return len(set("".join(grid))) == 1


def _rows(cells: Sequence[int] | Vector, size: int) -> tuple[str, ...]:
    text = "".join(COLORS[int(cell) % 3] for cell in cells)
    return tuple(text[start : start + size] for start in range(0, size * size, size))


def _text(grid: Sequence[str]) -> str:
    return "\n".join(" ".join(row) for row in grid)
