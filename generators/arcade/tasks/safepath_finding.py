"""Safe path finding: cross a grid of hidden traps by the numbers of traps nearby.

EvolArena, cases N.45 and N.46. Cells are (x, y) from 1; x is the row. Moves go to the 8 adjacent
cells. No trap is next to the start, or on start or goal.

The reference player goes only where no trap can be: it draws the conclusions of each number alone
and of each pair of numbers. A puzzle is kept if these lead to the goal, so none needs a guess.
Grids on which a well-known short way is free are kept more rarely
(facelet.generators.arcade.players. trap_grid_player); otherwise one list of moves would lead
through half of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np

from facelet.generators.arcade.base.grids import Cell, adjacent_cells
from facelet.generators.arcade.game_toolkit import (
    TURNS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    ErrorPrice,
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
    number_to_subset,
)
from facelet.generators.arcade.players.trap_grid_player import KEPT, short_ways
from facelet.generators.arcade.solvers.breadth_first_search import find_path

TRIALS = 10
"""Grids that one attempt draws."""
SPARE = 600
"""Grids that each item may try; one in fifty or fewer is kept."""
TRAPS = {6: 9, 7: 12, 8: 13}
"""How many traps the grids of the first three levels have; larger ones have fewer, as reason must
lead through."""
MOVES = {6: 27, 7: 27, 8: 27}
"""Their turns."""
SLACK = {6: 6, 7: 3}
"""Turns that reasoning leaves of these: a higher level forgives less."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A grid and its traps."""

    size: int = column("rows and columns", role="puzzle")
    clear: bool = column("whether the cells beside the start are free of traps", role="puzzle")
    traps: tuple[int, ...] = column("cells with traps, from 0, row by row", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The cell of the explorer."""

    cell: Cell = (1, 1)


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(20)


class SafepathFinding(ArcadeGame[Params, Puzzle, State]):
    """A player crosses a grid of hidden traps by reasoning."""

    name = "arcade/safepath_finding"
    version = 5
    fixed = 0.15
    category = "state_operation"
    forms = (CommandForm("move", "My Choice: {int} {int}", "My Choice: X Y"),)
    illegal = ErrorPrice("end")
    lucky = blind_limits({1: 0.25, 2: 0.25, 3: 0.25}, "of few short ways some are often free")
    unread = 0.4
    sample = Sample(
        Puzzle(blank_terms("state_operation"), 4, True, (7, 10)),
        (
            Command("move", (2, 2)),
            Command("move", (3, 2)),
            Command("move", (4, 3)),
            Command("move", (4, 4)),
        ),
        "The grid is 4 x 4, and there are traps at (2, 4) and (3, 3).",
    )
    deviations = (
        larger_sizes_deviation("5, 6 and 7 rows", "6, 7 and 8"),
        Deviation(
            "traps lie anywhere but on start and goal",
            "none is next to the start either, as the prompt states",
            "otherwise the first move is a guess",
            "published=true",
        ),
        Deviation(
            "",
            "reason alone leads to the goal within the turns",
            "luck should not decide",
        ),
        Deviation(
            "",
            "9, 12 and 13 traps, an eighth of the cells from n = 9 on; fewer grids with a "
            "short way that is often free",
            "otherwise one list of moves often wins",
            "published=true",
        ),
        Deviation(
            "15 turns",
            "27, of which reason leaves six and three at levels 1 and 2; beyond level 3 four a row",
            "reason takes a longer way than luck, and a higher level should forgive less",
            "published=true, or turns=15",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(6, 7, 8, 1, paper=(5, 6, 7))
        if params.published:
            count = size * size // 6
            free = np.arange(1, size * size - 1)
            drawn = sorted(map(int, draw.rng.choice(free, count, replace=False)))
            return Puzzle(self.terms(params, draw), size, False, tuple(drawn))
        turns = params.turns or _turn_limit(size) - SLACK.get(size, 0)
        mirrored = draw.deal_card(
            "mirrored", (False, True)
        )  # so that neither side is the safer one
        for trial in range(TRIALS):
            traps = _draw_traps(size, replace(draw, attempt=draw.attempt * TRIALS + trial))
            traps = _mirror_traps(traps, size) if mirrored else traps
            puzzle = Puzzle(self.terms(params, draw), size, True, traps)
            if not _keeps_grid(size, traps, draw.rng):
                continue
            if (
                traps
                and self.play_reference(replace(puzzle, terms=replace(puzzle.terms, turns=turns)))[
                    1
                ]
            ):
                return puzzle
        raise Reject("reasoning does not reach the goal")

    def capacity(self, params: Params) -> int | None:
        size = params.level_size(6, 7, 8, 1)
        return (
            None if params.published else comb(len(_trap_places(size)), _trap_count(size)) // SPARE
        )

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

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if command.args in adjacent_cells(puzzle.size, state.cell):
            return ""
        return "that cell is not adjacent to yours, or outside the grid"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        row, column = command.args
        return State((row, column))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        near = _neighbor_masks(puzzle.size)[_cell_to_place(puzzle.size, state.cell)]
        return f"DANGER_LEVEL {(near & _places_to_bits(puzzle.traps)).bit_count()}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        if state.cell == (puzzle.size, puzzle.size):
            return True
        return False if _cell_to_place(puzzle.size, state.cell) in puzzle.traps else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        near = adjacent_cells(puzzle.size, state.cell)
        return Command("move", near[below(rng, len(near))])

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw grids that pass the selection of short ways; reasoning may fail on some."""
        size, found = puzzle.size, list[Puzzle]()
        free = np.array(_trap_places(size) if puzzle.clear else range(1, size * size - 1))
        while len(found) < count:
            traps = sorted(map(int, rng.choice(free, len(puzzle.traps), replace=False)))
            if not puzzle.clear or _keeps_grid(size, traps, rng):
                found.append(replace(puzzle, traps=tuple(traps)))
        return found

    def shortest_commands(self, puzzle: Puzzle) -> Sequence[Command]:
        size = puzzle.size

        def list_free_cells(cell: Cell) -> list[Cell]:
            near = adjacent_cells(size, cell)
            return [other for other in near if _cell_to_place(size, other) not in puzzle.traps]

        return [
            Command("move", cell)
            for cell in (find_path((1, 1), (size, size), list_free_cells) or [])[1:]
        ]

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return TURNS if params.published else _turn_limit(shown.size)

    def player(self, shown: Puzzle) -> Player:
        size, here = shown.size, 0
        safe = 1 | 1 << size * size - 1 | (_neighbor_masks(size)[0] if shown.clear else 0)
        seen, traps = 1, 0
        heard: list[tuple[int, int]] = []
        while way := _find_way(size, here, safe, seen) or _guess_cell(shown, here, safe | traps):
            for here in way:
                row, column = divmod(here, size)
                answer = yield Command("move", (row + 1, column + 1))
                if not seen >> here & 1:
                    seen |= 1 << here
                    heard.append((here, int(answer.split()[1])))
            safe, traps = _deduce_cells(size, heard, safe, traps)


TASK = SafepathFinding()


def _turn_limit(size: int) -> int:
    return MOVES.get(size, 4 * size)


def _draw_traps(size: int, draw: Draw) -> tuple[int, ...]:
    """Return the traps of a draw; () if the mirrored grid is the canonical one.

    Args:
        size: rows and columns.
        draw: the draw.
    """
    free, count = _trap_places(size), _trap_count(size)
    total = comb(len(free), count)
    chosen = number_to_subset(draw.unique_number("traps", total, total // SPARE), len(free), count)
    traps = tuple(free[place] for place in chosen)
    return () if _mirror_traps(traps, size) < traps else traps


def _keeps_grid(size: int, traps: Sequence[int], rng: np.random.Generator) -> bool:
    """Return whether a grid is kept: more rarely, the more well-known ways are free."""
    lie = _places_to_bits(traps)
    return bool(rng.random() < KEPT ** sum(not way & lie for way in _short_way_cells(size)))


@lru_cache(maxsize=16)
def _short_way_cells(size: int) -> tuple[int, ...]:
    """Return the cells of the well-known ways, as bits."""
    return tuple(_places_to_bits(way) for way in short_ways(size))


def _places_to_bits(places: Iterable[int]) -> int:
    """Return places as a bit mask."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def _find_way(size: int, here: int, safe: int, seen: int) -> list[int]:
    """Return a way to the goal, or to the safe cell nearest to a short way; [] if none is left.

    Args:
        size: rows and columns.
        here: the place of the explorer.
        safe: cells without a trap, as bits.
        seen: cells whose number is known, as bits.
    """
    beside, goal = _neighbor_places(size), size * size - 1
    before, cost = {here: here}, {here: 1}
    layer, cells = [here], 2
    while layer:
        following = []
        for place in layer:
            for other in beside[place]:
                if other not in before and safe >> other & 1:
                    before[other] = place
                    cost[other] = cells
                    following.append(other)
        layer, cells = following, cells + 1
    if goal in before and not seen >> goal & 1:
        target = goal
    else:
        left = [place for place in sorted(before) if safe >> place & 1 and not seen >> place & 1]
        if not left:
            return []
        target = min(left, key=lambda at: cost[at] + size - 1 - min(divmod(at, size)))
    way = []
    while target != here:
        way.append(target)
        target = before[target]
    return way[::-1]


def _guess_cell(shown: Puzzle, here: int, known: int) -> list[int]:
    """Return the unknown adjacent cell nearest to the goal, where a guess is necessary.

    Args:
        shown: the puzzle; nothing is guessed where reasoning suffices.
        here: the place of the explorer.
        known: cells that are surely safe or surely traps, as bits.
    """
    unknown = [near for near in _neighbor_places(shown.size)[here] if not known >> near & 1]
    if shown.clear or not unknown:
        return []
    return [max(unknown, key=lambda near: (sum(divmod(near, shown.size)), near))]


def _deduce_cells(
    size: int, heard: Sequence[tuple[int, int]], safe: int, traps: int
) -> tuple[int, int]:
    """Return the cells that are surely safe, and those that are surely traps, as bits.

    Compare two numbers. If the first counts more traps than the second by the number of cells that
    only the first counts, all those are traps, and cells that only the second counts are safe. If
    the first counts all cells of the second, its other cells contain the remaining traps.

    Args:
        size: rows and columns.
        heard: places and their numbers.
        safe: the safe cells known before.
        traps: the traps known before.
    """
    besides = _neighbor_masks(size)
    while True:
        before = safe, traps
        numbers: dict[int, int] = {}
        for place, count in heard:
            near = besides[place]
            if cells := near & ~safe & ~traps:
                numbers[cells] = count - (near & traps).bit_count()
        fresh_safe = fresh_traps = 0
        for first, more in numbers.items():
            if more == 0:
                fresh_safe |= first
            elif more == first.bit_count():
                fresh_traps |= first
            for second, fewer in numbers.items():
                if not (own := first & ~second):
                    continue
                size_of, rest = own.bit_count(), more - fewer
                if rest == size_of:
                    fresh_traps |= own
                    fresh_safe |= second & ~first
                elif rest == 0 and not second & ~first:
                    fresh_safe |= own
        safe, traps = safe | fresh_safe, traps | fresh_traps
        if before == (safe, traps):
            return safe, traps


@lru_cache(maxsize=32)
def _neighbor_places(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the places around each place, row by row."""
    cells = [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)]
    return tuple(
        tuple(_cell_to_place(size, near) for near in adjacent_cells(size, cell)) for cell in cells
    )


@lru_cache(maxsize=32)
def _neighbor_masks(size: int) -> tuple[int, ...]:
    """Return the places around each place, as bits."""
    return tuple(map(_places_to_bits, _neighbor_places(size)))


def _cell_to_place(size: int, cell: Cell) -> int:
    return (cell[0] - 1) * size + cell[1] - 1


def _trap_count(size: int) -> int:
    """Return the number of traps."""
    return TRAPS.get(size, size * size // 8)


def _trap_places(size: int) -> tuple[int, ...]:
    """Return the places that may contain traps."""
    kept = {0, 1, size, size + 1, size * size - 1}
    return tuple(place for place in range(size * size) if place not in kept)


def _mirror_traps(traps: Sequence[int], size: int) -> tuple[int, ...]:
    """Return the traps with rows and columns exchanged."""
    return tuple(sorted(trap % size * size + trap // size for trap in traps))
