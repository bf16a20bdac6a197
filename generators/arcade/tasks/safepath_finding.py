"""Safe path finding: cross a grid of hidden traps by the numbers of traps nearby.

EvolArena, cases N.45 and N.46. Cells are (x, y) from 1; x is the row. Moves go to the 8 adjacent
cells. No trap lies beside the start, nor on start or goal.

The reference player goes only where no trap can be: it draws what follows from each number alone
and from each pair of numbers. A puzzle is kept if that leads to the goal, so none needs a guess. Of
grids on which a well-known short way is free fewer are asked (facelet.generators.arcade.players.
short_ways): else one list of moves leads through half of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from types import MappingProxyType

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame, Sample, blank_terms, larger
from facelet.generators.arcade.base.params import TURNS, ArcadeParams, levels
from facelet.generators.arcade.base.terms import Terms
from facelet.generators.arcade.numbering import subset
from facelet.generators.arcade.players.short_ways import KEPT, short_ways
from facelet.generators.arcade.solvers.search import path
from facelet.generators.core.columns import column, nested
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.drawing import below
from facelet.generators.core.forms import Form, Said
from facelet.generators.core.game import Luck, Player
from facelet.generators.core.play import Price
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject

TRIALS = 10
"""Grids that one attempt looks at."""
SPARE = 600
"""Grids that each item may try; one in fifty or fewer is kept."""
TRAPS = {6: 9, 7: 12, 8: 13}
"""How many traps the grids of the first three levels have; larger ones have fewer, as reason must
lead through."""
MOVES = {6: 27, 7: 27, 8: 27}
"""Their turns."""
SLACK = {6: 6, 7: 3}
"""How many of these reason leaves: a higher level is to forgive less."""

Cell = tuple[int, int]
Number = tuple[frozenset[Cell], int]
"""Some cells, and how many traps there are among them."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A grid and its traps."""

    terms: Terms = nested(Terms)
    size: int = column("rows and columns", role="puzzle")
    clear: bool = column("whether the cells beside the start are free of traps", role="puzzle")
    traps: tuple[int, ...] = column("cells with traps, from 0, row by row", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """Where the explorer is."""

    cell: Cell = (1, 1)


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; a row of a later level takes seconds, or cannot be drawn."""

    level: int = levels(20)


class SafepathFinding(ArcadeGame[ArcadeParams, Puzzle, State]):
    """The game; see the module."""

    name = "arcade/safepath_finding"
    version = 5
    fixed = 0.15
    category = "state_operation"
    params = Params
    instance = Puzzle
    forms = (Form("move", "My Choice: {int} {int}", "My Choice: X Y"),)
    illegal = Price("end")
    lucky = MappingProxyType({1: 0.25, 2: 0.25, 3: 0.25})
    lucky_reason = "of few short ways some are often free"
    unread = 0.4
    sample = Sample(
        Puzzle(blank_terms("state_operation"), 4, True, (7, 10)),
        (
            Said("move", (2, 2)),
            Said("move", (3, 2)),
            Said("move", (4, 3)),
            Said("move", (4, 4)),
        ),
        "The grid is 4 x 4, and there are traps at (2, 4) and (3, 3).",
    )
    deviations = (
        larger("5, 6 and 7 rows", "6, 7 and 8"),
        Deviation(
            "traps lie anywhere but on start and goal",
            "none lies beside the start either, and the prompt says so",
            "else the first move is a guess",
            "published=true",
        ),
        Deviation(
            "whether reason alone leads to the goal is left to chance",
            "it does, within the turns",
            "luck should not decide",
        ),
        Deviation(
            "how many traps there are is not said",
            "9, 12 and 13, from n = 9 on an eighth of the cells, and fewer on which a short way is "
            "free that is free on many",
            "else one list of moves often wins",
            "published=true",
        ),
        Deviation(
            "15 turns",
            "27, of which reason leaves six and three at levels 1 and 2; beyond the third level "
            "four for every row",
            "reason goes a longer way than luck, and a higher level is to forgive less",
            "published=true, or turns=15",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.size(6, 7, 8, 1, paper=(5, 6, 7))
        if params.published:
            count = size * size // 6
            free = np.arange(1, size * size - 1)
            drawn = sorted(map(int, draw.rng.choice(free, count, replace=False)))
            return Puzzle(self.terms(params, draw), size, False, tuple(drawn))
        turns = params.turns or _cap(size) - SLACK.get(size, 0)
        mirrored = draw.deal("mirrored", (False, True))  # so that neither side is the safer one
        for trial in range(TRIALS):
            traps = _tried(size, replace(draw, attempt=draw.attempt * TRIALS + trial))
            traps = _mirrored(traps, size) if mirrored else traps
            puzzle = Puzzle(self.terms(params, draw), size, True, traps)
            if not _asked(size, traps, draw.rng):
                continue
            if traps and self.played(replace(puzzle, terms=replace(puzzle.terms, turns=turns)))[1]:
                return puzzle
        raise Reject("reason does not lead to the goal")

    def capacity(self, params: ArcadeParams) -> int | None:
        size = params.size(6, 7, 8, 1)
        return None if params.published else comb(len(_free(size)), _count(size)) // SPARE

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        clear = "\nThere is no trap beside the start." if puzzle.clear else ""
        return (
            f"Cross a grid with hidden traps. The grid has {size} rows and {size} columns. A cell "
            f"is (x, y): row x and column y, both from 1. You start at (1, 1); the goal is "
            f"({size}, {size}). Some cells are traps. Start and goal are not.{clear}\n"
            "In each turn you move to one of the up to 8 cells around you, also diagonally. You "
            "may go back to cells where you have been.\n"
            "After each move I say DANGER_LEVEL and how many of the up to 8 cells around you are "
            "traps.\n"
            "You win when you come to the goal. You lose at once if you step on a trap, name a "
            "cell outside the grid, or one that is not adjacent to yours. You also lose if your "
            "turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return f"You are at (1, 1). The goal is ({size}, {size}). Make your first move."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, said: Said) -> str:
        if said.args in _around(puzzle.size, state.cell):
            return ""
        return "that cell is not adjacent to yours, or outside the grid"

    def step(self, puzzle: Puzzle, state: State, said: Said, luck: Luck) -> State:
        row, column = said.args
        return State((row, column))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        near = _around(puzzle.size, state.cell)
        return f"DANGER_LEVEL {sum(_place(puzzle.size, cell) in puzzle.traps for cell in near)}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        if state.cell == (puzzle.size, puzzle.size):
            return True
        return False if _place(puzzle.size, state.cell) in puzzle.traps else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Said:
        near = _around(puzzle.size, state.cell)
        return Said("move", near[below(rng, len(near))])

    def alike(self, puzzle: Puzzle, count: int, rng: np.random.Generator) -> Sequence[Puzzle]:
        """Draw grids that may be asked; of those, reason leads through some."""
        size, found = puzzle.size, list[Puzzle]()
        free = np.array(_free(size) if puzzle.clear else range(1, size * size - 1))
        while len(found) < count:
            traps = sorted(map(int, rng.choice(free, len(puzzle.traps), replace=False)))
            if not puzzle.clear or _asked(size, traps, rng):
                found.append(replace(puzzle, traps=tuple(traps)))
        return found

    def direct(self, puzzle: Puzzle) -> Sequence[Said]:
        size = puzzle.size

        def free(cell: Cell) -> list[Cell]:
            near = _around(size, cell)
            return [other for other in near if _place(size, other) not in puzzle.traps]

        return [Said("move", cell) for cell in (path((1, 1), (size, size), free) or [])[1:]]

    def cap(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        return TURNS if params.published else _cap(shown.size)

    def player(self, shown: Puzzle) -> Player:
        size, cell = shown.size, (1, 1)
        goal = size, size
        safe = {(1, 1), goal} | (set(_around(size, (1, 1))) if shown.clear else set())
        seen, traps = {(1, 1)}, set[Cell]()
        heard: list[tuple[Cell, int]] = []
        while way := _way(size, cell, safe, seen) or _guess(shown, cell, safe | traps):
            for cell in way:
                answer = yield Said("move", cell)
                if cell not in seen:
                    seen.add(cell)
                    heard.append((cell, int(answer.split()[1])))
            _reason(size, heard, safe, traps)


TASK = SafepathFinding()


def _cap(size: int) -> int:
    return MOVES.get(size, 4 * size)


def _tried(size: int, draw: Draw) -> tuple[int, ...]:
    """Return the traps of a draw; () if another grid stands for it.

    Args:
        size: rows and columns.
        draw: the draw.
    """
    free, count = _free(size), _count(size)
    total = comb(len(free), count)
    chosen = subset(draw.number("traps", total, total // SPARE), len(free), count)
    traps = tuple(free[place] for place in chosen)
    return () if _mirrored(traps, size) < traps else traps


def _asked(size: int, traps: Sequence[int], rng: np.random.Generator) -> bool:
    """Return whether a grid is asked: the more rarely, the more of the well-known ways are free."""
    ways = short_ways(size)
    return bool(rng.random() < KEPT ** sum(way.isdisjoint(traps) for way in ways))


def _way(size: int, cell: Cell, safe: set[Cell], seen: set[Cell]) -> list[Cell]:
    """Return a way to the goal or to the safe cell next on a short way to it; [] if none is left.

    Args:
        size: rows and columns.
        cell: where the explorer is.
        safe: cells without a trap.
        seen: cells whose number is known.
    """
    goal = size, size
    best: tuple[int, list[Cell]] | None = None
    for target in sorted(safe - seen):
        way = path(cell, target, lambda at: [n for n in _around(size, at) if n in safe])
        if way is None:
            continue
        cost = len(way) + max(size - target[0], size - target[1])
        if target != goal and best and cost >= best[0]:
            continue
        best = (cost - (target == goal) * size * size, way[1:])
    return best[1] if best else []


def _guess(shown: Puzzle, cell: Cell, known: set[Cell]) -> list[Cell]:
    """Return the adjacent cell nearest to the goal of which nothing is known, where one must guess.

    Args:
        shown: the puzzle; nothing is guessed where reason is promised to do.
        cell: where the explorer is.
        known: cells that are surely safe or surely traps.
    """
    unknown = [near for near in _around(shown.size, cell) if near not in known]
    return [] if shown.clear or not unknown else [max(unknown, key=lambda near: (sum(near), near))]


def _reason(
    size: int, heard: Sequence[tuple[Cell, int]], safe: set[Cell], traps: set[Cell]
) -> None:
    """Add the cells that are surely safe, and those that are surely traps.

    Args:
        size: rows and columns.
        heard: cells and the numbers told there.
        safe: cells without a trap.
        traps: cells with one.
    """
    while True:
        before = len(safe) + len(traps)
        numbers: list[Number] = []
        for cell, count in heard:
            near = set(_around(size, cell)) - safe
            numbers.append((frozenset(near - traps), count - len(near & traps)))
        for cells, count in [*numbers, *_differences(numbers)]:
            if count == 0:
                safe |= cells
            elif count == len(cells):
                traps |= cells
        if len(safe) + len(traps) == before:
            return


def _differences(numbers: Sequence[Number]) -> Iterator[Number]:
    """Yield what two numbers say of the cells that only the first counts.

    If the first has more traps than the second by as many as it has such cells, all are traps, and
    those that only the second counts are safe. If it holds all of the second's cells, the rest of
    the traps are in its others.
    """
    for first, more in numbers:
        for second, fewer in numbers:
            own = first - second
            if own and (second <= first or more - fewer == len(own)):
                yield own, more - fewer
                if more - fewer == len(own):
                    yield second - first, 0


@lru_cache(maxsize=4096)
def _around(size: int, cell: Cell) -> tuple[Cell, ...]:
    """Return the adjacent cells, row by row."""
    row, column = cell
    near = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return tuple(n for n in near if 1 <= n[0] <= size and 1 <= n[1] <= size)


def _place(size: int, cell: Cell) -> int:
    return (cell[0] - 1) * size + cell[1] - 1


def _count(size: int) -> int:
    """Return how many traps there are."""
    return TRAPS.get(size, size * size // 8)


def _free(size: int) -> tuple[int, ...]:
    """Return the places that may have traps."""
    kept = {0, 1, size, size + 1, size * size - 1}
    return tuple(place for place in range(size * size) if place not in kept)


def _mirrored(traps: Sequence[int], size: int) -> tuple[int, ...]:
    """Return the traps with rows for columns."""
    return tuple(sorted(trap % size * size + trap // size for trap in traps))
