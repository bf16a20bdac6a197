"""Finding the biggest: collect the better one of two hidden treasures by hints that may lie.

EvolArena, cases N.51 and N.52. Cells are (x, y) from 1; x is the row, and N is towards row 1. A
hint names the direction, one of eight, of the nearest treasure: the one that takes the fewest moves
(diagonal ones too), of two equally near ones the first row by row. N means the same column, NE
everything above and to the right. Half of the hints are lies: they name one of the other
directions, equally likely; but no two hints in a row are lies.

The reference player keeps the pairs of cells that fit the hints, weighted by their probability,
and moves towards the most likely cell. No number of turns surely suffices, so only a win in the row
itself is guaranteed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Literal

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
    Luck,
    Player,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    level_param,
)

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
PAPER = 5
"""Largest size in the paper."""

Distance = Literal["moves", "manhattan"]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A grid and its two treasures."""

    size: int = column("rows and columns", role="puzzle")
    cells: tuple[int, ...] = column("cells of the treasures, from 0, row by row", role="secret")
    values: tuple[int, ...] = column("their values", role="secret")
    fading: bool = column("whether a treasure that was found draws no more hints", role="puzzle")
    distance: Distance = column("what nearest means: moves, or rows and columns", role="puzzle")


@dataclass(frozen=True, slots=True)
class State:
    """The cell of the explorer, the treasures it found, and whether the last hint was a lie."""

    cell: Cell = (1, 1)
    found: frozenset[Cell] = frozenset()
    lied: bool = False
    heard: str = ""


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(15)


class FindingBiggest(ArcadeGame[Params, Puzzle, State]):
    """A player collects the better one of two treasures by hints that may lie."""

    name = "arcade/finding_biggest"
    version = 4
    fixed = 0.2
    picks_to = 6  # the player weighs all places of a larger grid, at every turn
    category = "state_operation"
    forms = (
        CommandForm("move", "My Choice: {int} {int}", "My Choice: X Y"),
        CommandForm("collect", "My Choice: COLLECT"),
    )
    by_luck = True
    lucky = blind_limits({1: 0.2}, "one walk passes many cells of a small board")
    sample = Sample(
        Puzzle(blank_terms("state_operation", seed="0"), 3, (2, 3), (80, 30), True, "moves"),
        (
            Command("move", (1, 2)),
            Command("move", (2, 1)),
            Command("move", (1, 2)),
            Command("move", (1, 3)),
            Command("collect", ()),
        ),
        "The grid is 3 x 3. The treasures are 80 at (1, 3) and 30 at (2, 1).",
    )
    deviations = (
        Deviation(
            "",
            "a move outside is illegal: it costs a turn, and the reason is given",
            "format and legality are separate",
        ),
        Deviation(
            "hints point to the nearest treasure, found or not",
            "a found treasure gives no more hints",
            "otherwise nothing near it hints at the second",
            "published=true",
        ),
        Deviation(
            "",
            "distance counts moves; of two equally near treasures the first row by row counts",
            "a hint is then either true or a lie",
            "published=true, for rows and columns added up",
        ),
        Deviation(
            "",
            "a lie is drawn evenly from the seven wrong directions",
            "the text calls it completely wrong",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(3, 4, 5, 1)
        free = size * size - 1
        pairs = list(combinations(range(1, free + 1), 2))
        cells = pairs[draw.unique_number("cells", len(pairs))]
        values = _draw_values(draw.rng)
        distance: Distance = "manhattan" if params.published else "moves"
        terms = self.terms(params, draw)
        return Puzzle(terms, size, cells, values, not params.published, distance)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        nearest = (
            "the nearest treasure that you have not found yet"
            if puzzle.fading
            else "the nearest treasure"
        )
        measured = (
            "what takes the fewest moves"
            if puzzle.distance == "moves"
            else "what is the fewest rows and columns away, added up"
        )
        return (
            f"Collect the better one of two hidden treasures. The grid has {size} rows and {size} "
            "columns. A cell is (x, y): row x and column y, both from 1; row 1 is the uppermost. "
            "You start at (1, 1), where there is none. The two treasures lie in different cells, "
            "and their values are different numbers from 1 to 100.\n"
            "In each turn you either move or collect.\n"
            "- Move: name one of the up to 8 cells around yours, also a diagonal one. If there is "
            "a treasure, I say TREASURE and its value. If not, I say EMPTY and a hint.\n"
            "- Collect: say COLLECT where you are. You win if the treasure with the higher value "
            "is there, else you lose.\n"
            f"A hint is the direction of {nearest}: N if it is above you in your column, NE if it "
            "is above and to your right, E if it is to your right in your row, and so on with SE, "
            f"S, SW, W and NW. Nearest is {measured}; of two equally near ones it "
            "is the first one row by row.\n"
            "But each hint is a lie with chance one half, and then names any of the seven other "
            "directions. Two hints in a row are never both lies: the hint after a lie is true. A "
            "turn in which I say TREASURE has no hint; the next hint may be a lie again.\n"
            "A move that is not to an adjacent cell of the grid is not allowed; it costs a turn. "
            "You lose if your turns run out."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return "You are at (1, 1). Give your first command."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if command.form == "collect" or command.args in adjacent_cells(puzzle.size, state.cell):
            return ""
        return "that cell is not adjacent to yours, or outside the grid"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        after = self._step_without_hint(puzzle, state, command)
        if after.heard:
            return after
        true = _true_hint(puzzle, after)
        lie = None if state.lied else luck.draw_memoized(_draw_lie)
        if lie is None:
            return State(after.cell, after.found, False, f"EMPTY {true}")
        others = [way for way in DIRECTIONS if way != true]
        return State(after.cell, after.found, True, f"EMPTY {others[lie]}")

    def list_outcomes(self, puzzle: Puzzle, state: State, command: Command) -> Iterator[State]:
        after = self._step_without_hint(puzzle, state, command)
        if after.heard:
            yield after
            return
        true = _true_hint(puzzle, after)
        yield from (
            replace(after, lied=way != true, heard=f"EMPTY {way}")
            for way in DIRECTIONS
            if way == true or not state.lied
        )

    def _step_without_hint(self, puzzle: Puzzle, state: State, command: Command) -> State:
        """Return the state after a command, before its hint if there is one."""
        if command.form == "collect":
            best = _treasure_cells(puzzle)[puzzle.values.index(max(puzzle.values))]
            return replace(state, heard="Win" if state.cell == best else "Lose")
        row, column = command.args
        cell = row, column
        if cell in _treasure_cells(puzzle):
            value = puzzle.values[_treasure_cells(puzzle).index(cell)]
            return State(cell, state.found | {cell}, False, f"TREASURE {value}")
        return State(cell, state.found)

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return state.heard

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return {"Win": True, "Lose": False}.get(state.heard)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.1:
            return Command("collect", ())
        near = adjacent_cells(puzzle.size, state.cell)
        return Command("move", near[below(rng, len(near))])

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        found = []
        for _ in range(count):
            cells = rng.choice(np.arange(1, puzzle.size**2), 2, replace=False)
            terms = replace(puzzle.terms, seed=f"{int(rng.integers(1 << 62)):016x}")
            pair = tuple(sorted(map(int, cells)))
            found.append(replace(puzzle, terms=terms, cells=pair, values=_draw_values(rng)))
        return found

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return TURNS if params.published or shown.size <= PAPER else 5 * shown.size

    def player(self, shown: Puzzle) -> Player:
        # The weight of each pair, with the last hint true and with it a lie.
        pairs = _list_cell_pairs(shown.size)
        chances: Chances = {pair: (1.0, 0.0) for pair in pairs}
        state, values = State(), dict[Cell, int]()
        while len(values) < 2:
            likely: dict[Cell, float] = {}
            for pair, (true, lie) in chances.items():
                for cell in pair:
                    if cell not in values:
                        likely[cell] = likely.get(cell, 0.0) + true + lie
            row, column = state.cell
            target, best = state.cell, -1.0
            for cell, chance in likely.items():
                if (worth := chance / (2 + max(abs(cell[0] - row), abs(cell[1] - column)))) > best:
                    target, best = cell, worth
            cell = _step_toward(state.cell, target)
            heard = yield Command("move", cell)
            word, command = heard.split()
            if word == "TREASURE":
                values[cell] = int(command)
            state = State(cell, frozenset(values))
            chances = _update_chances(shown, state, chances, "" if word == "TREASURE" else command)
        richest = max(values, key=lambda cell: values[cell])
        while state.cell != richest:
            state = State(_step_toward(state.cell, richest))
            yield Command("move", state.cell)
        yield Command("collect", ())


TASK = FindingBiggest()

Pair = tuple[Cell, Cell]
"""Two cells, the first row by row before the other."""
Chances = dict[Pair, tuple[float, float]]


def _update_chances(shown: Puzzle, state: State, chances: Chances, hint: str) -> Chances:
    """Return the probabilities of the pairs after a move.

    Args:
        shown: the puzzle.
        state: where the explorer is now, and the treasures that it found.
        chances: their probabilities before.
        hint: the direction of the hint; "" for a treasure.
    """
    found: Chances = {}
    hints = _true_hints(shown.size, shown.distance, shown.fading, state.cell, state.found)
    here, known = state.cell, state.cell in state.found
    for pair, (true, lie) in chances.items():
        if (here in pair) != known:
            continue
        if not hint:
            found[pair] = true + lie, 0.0
        elif hint == hints[pair]:
            found[pair] = true / 2 + lie, 0.0
        elif true:
            found[pair] = 0.0, true / 14
    return found


@lru_cache(maxsize=64)
def _list_cell_pairs(size: int) -> tuple[Pair, ...]:
    """Return all pairs of cells that may contain the treasures."""
    return tuple(combinations(_list_treasure_cells(size), 2))


def _list_treasure_cells(size: int) -> list[Cell]:
    """Return all cells that may contain a treasure, row by row."""
    return [(place // size + 1, place % size + 1) for place in range(1, size * size)]


@lru_cache(maxsize=1 << 10)
def _true_hints(
    size: int, distance: Distance, fading: bool, cell: Cell, found: frozenset[Cell]
) -> Mapping[Pair, str]:
    """Return the true hint in a cell, by the pair of cells that contain the treasures.

    Args:
        size: rows and columns.
        distance: the measure of "nearest".
        fading: whether hints ignore a treasure that was found.
        cell: where the explorer is.
        found: the treasures that it found.
    """
    far = _count_moves if distance == "moves" else _count_offsets
    answers = {}
    steps = {at: (far(at, cell), _find_direction(cell, at)) for at in _list_treasure_cells(size)}
    gone = found if fading else frozenset[Cell]()
    for pair in _list_cell_pairs(size):
        first, second = pair
        nearer = second if steps[second][0] < steps[first][0] else first
        if (first in gone) != (second in gone):
            nearer = second if first in gone else first
        answers[pair] = steps[nearer][1]
    return answers


def _draw_lie(rng: np.random.Generator) -> int | None:
    """Draw which of the seven wrong directions a hint names; None for a true hint."""
    return None if rng.random() < 0.5 else below(rng, 7)


def _draw_values(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(value) + 1 for value in rng.choice(100, 2, replace=False))


def _treasure_cells(puzzle: Puzzle) -> tuple[Cell, Cell]:
    """Return the cells of the treasures."""
    first, second = (divmod(place, puzzle.size) for place in puzzle.cells)
    return (first[0] + 1, first[1] + 1), (second[0] + 1, second[1] + 1)


def _count_moves(first: Cell, second: Cell) -> int:
    """Return the number of moves between two cells."""
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _count_offsets(first: Cell, second: Cell) -> int:
    """Return the sum of the row and column distances of two cells."""
    return abs(first[0] - second[0]) + abs(first[1] - second[1])


def _find_direction(cell: Cell, target: Cell) -> str:
    """Return the direction of another cell."""
    down = "N" if target[0] < cell[0] else "S" if target[0] > cell[0] else ""
    return down + ("W" if target[1] < cell[1] else "E" if target[1] > cell[1] else "")


def _true_hint(puzzle: Puzzle, state: State) -> str:
    """Return the true hint."""
    hints = _true_hints(puzzle.size, puzzle.distance, puzzle.fading, state.cell, state.found)
    return hints[_treasure_cells(puzzle)]


def _step_toward(cell: Cell, target: Cell) -> Cell:
    """Return the next cell on a shortest way; a neighbor, if the target is the cell itself."""
    if cell == target:
        return (cell[0], cell[1] + 1) if cell[1] == 1 else (cell[0], cell[1] - 1)
    (row, column), (down, right) = cell, target
    return row + (down > row) - (down < row), column + (right > column) - (right < column)
