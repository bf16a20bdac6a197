"""Dark maze exploration: find the way out of a maze whose walls are invisible.

EvolArena, cases N.53 and N.54. Cells are (row, column) from 1; row 1 is the uppermost. One path
joins any two cells: the passages are a spanning tree of the grid, drawn evenly (D. B. Wilson,
Generating random spanning trees more quickly than the cover time, 1996) among those with a long way
out.

The reference player searches depth first, cells nearer to the exit first, and tries no passage into
a cell that it has seen. It walks each passage forward once, and back once unless it lies on the way
out, and bumps into each wall at most once: with c = n * n cells and e = 2 n (n - 1) pairs of
neighbours at most (c - 1) + (c - 1 - (2 n - 2)) + (e - (c - 1)) turns.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from facelet.generators.arcade.base.grids import Cell, split_rows
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
    blind_limits,
    column,
)
from facelet.generators.arcade.solvers.breadth_first_search import compute_distances, find_path
from facelet.generators.core.random_draws import spanned

WAYS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}
TRIALS = 100
"""Mazes that one attempt draws."""

Passage = tuple[Cell, Cell]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A maze."""

    size: int = column("rows and columns", role="puzzle")
    maze: tuple[str, ...] = column(
        "rows of cells, by the ways open from each: E, S, B for both, . for none",
        role="secret",
    )
    tree: bool = column("whether one path only joins any two cells", role="puzzle")


@dataclass(frozen=True, slots=True)
class State:
    """The cell of the walker, and the reply to the last move."""

    cell: Cell = (1, 1)
    heard: str = ""


class DarkMazeExploration(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player finds the way out of a maze by bumping into walls."""

    name = "arcade/dark_maze_exploration"
    version = 4
    category = "state_operation"
    forms = (CommandForm("move", "My Choice: {N|E|S|W}", "My Choice: X"),)
    lucky = blind_limits(
        {1: 0.25}, "a blocked move costs a turn only, so one way out fits many a small maze"
    )
    sample = Sample(
        Puzzle(blank_terms("state_operation"), 2, ("B.", "E."), True),
        (
            Command("move", ("E",)),
            Command("move", ("S",)),
            Command("move", ("W",)),
            Command("move", ("S",)),
        ),
        "The maze has 2 rows and 2 columns.",
    )
    deviations = (
        Deviation(
            "",
            "a move outside is illegal: it costs a turn, and the reason is given",
            "format and legality are separate",
        ),
        Deviation(
            "sizes 2, 3 and 4",
            "6, 7 and 8; the way out has at least 16, 20 and 22 steps",
            "a blocked move costs only a turn, so one list of moves leads out of most small mazes",
            "published=true",
        ),
        Deviation(
            "walls between any cells",
            "one path joins any two cells, as the prompt states",
            "with loops, most lists of steps east and south lead out",
            "published=true",
        ),
        Deviation(
            "15 turns",
            "50, 60 and 70; the reference player leaves in them",
            "any long enough walk leads out",
            "published=true",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        if params.published:
            size = params.level_size(2, 3, 4, 1)
            return Puzzle(self.terms(params, draw), size, _draw_loose_maze(size, draw.rng), False)
        size = params.level_size(6, 7, 8, 1)
        return Puzzle(self.terms(params, draw), size, _draw_long_maze(size, draw.rng), True)

    def turn_limit(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        if params.published:
            return super().turn_limit(params, shown, bound)
        # A depth-first walk takes about as many turns as there are cells.
        return max(10 * (shown.size - 1), shown.size * (shown.size + 1) - 2)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        joined = (
            "One path, and no other, joins any two cells; from start to exit it "
            f"has {_least_exit_distance(size)} "
            "steps or more."
            if puzzle.tree
            else "The exit can be reached."
        )
        return (
            f"Find the way out of a dark maze of {size} rows and {size} columns. A cell is "
            "(row, column), both from 1; (1, 1) is the north-west corner, where you start, and "
            f"({size}, {size}) is the south-east corner, the exit. There may be a wall between two "
            f"cells that are side by side. You see no walls. {joined}\n"
            "In each turn you try to go one cell: N (north, row - 1), E (east, column + 1), S "
            "(south, row + 1) or W (west, column - 1). I answer:\n"
            "- MOVED: you are in the next cell now.\n"
            "- BLOCKED: there is a wall; you stay where you are, and the turn is spent.\n"
            "- WIN: you have come to the exit, and win.\n"
            "A move out of the maze is not allowed; it costs a turn. You lose if your turns run "
            "out before you are at the exit."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"You stand at (1, 1). The exit is ({puzzle.size}, {puzzle.size}). Choose a way."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        inside = _is_inside(puzzle.size, _step_cell(state.cell, command.args[0]))
        return "" if inside else "that leads out of the maze"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        after = _step_cell(state.cell, command.args[0])
        if not _has_passage(puzzle.maze, state.cell, command.args[0]):
            return State(state.cell, "BLOCKED")
        return State(after, "WIN" if after == (puzzle.size, puzzle.size) else "MOVED")

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return state.heard

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.heard == "WIN" else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        ways = [way for way in WAYS if _is_inside(puzzle.size, _step_cell(state.cell, way))]
        return Command("move", (ways[below(rng, len(ways))],))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        drawn = _draw_long_maze if puzzle.tree else _draw_loose_maze
        return [replace(puzzle, maze=drawn(puzzle.size, rng)) for _ in range(count)]

    def shortest_commands(self, puzzle: Puzzle) -> Sequence[Command]:
        size = puzzle.size

        def list_neighbors(cell: Cell) -> list[Cell]:
            near = [(way, _step_cell(cell, way)) for way in WAYS]
            return [
                other
                for way, other in near
                if _is_inside(size, other) and _has_passage(puzzle.maze, cell, way)
            ]

        cells = find_path((1, 1), (size, size), list_neighbors) or []
        shifts = {shift: way for way, shift in WAYS.items()}
        return [
            Command("move", (shifts[after[0] - cell[0], after[1] - cell[1]],))
            for cell, after in pairwise(cells)
        ]

    def bound(self, shown: Puzzle) -> int:
        size = shown.size
        if not shown.tree:  # cells may be closed in, and walls are as many as they like
            return 2 * size * (size - 1) + size * size - 1 - 2 * (size - 1)
        cells, pairs = size * size, 2 * size * (size - 1)
        return (cells - 1) + (cells - 1 - 2 * (size - 1)) + (pairs - (cells - 1))

    def player(self, shown: Puzzle) -> Player:
        yield from _explore_from(shown.size, (1, 1), {(1, 1)})


TASK = DarkMazeExploration()


def _explore_from(size: int, cell: Cell, seen: set[Cell]) -> Generator[Command, str, None]:
    """Search depth first from a cell, and come back to it."""
    for way in "ESWN":
        if (after := _step_cell(cell, way)) in seen or not _is_inside(size, after):
            continue
        heard = yield Command("move", (way,))
        if heard == "MOVED":
            seen.add(after)
            yield from _explore_from(size, after, seen)
            yield Command("move", (BACK[way],))


@lru_cache(maxsize=16)
def _inner_directions(size: int) -> Sequence[Sequence[tuple[str, int]]]:
    """Return the directions from each place that stay inside, with the places they lead to."""
    span = range(1, size + 1)
    return [
        [
            (way, (after[0] - 1) * size + after[1] - 1)
            for way in WAYS
            if _is_inside(size, after := _step_cell((row, column), way))
        ]
        for row in span
        for column in span
    ]


def _step_cell(cell: Cell, way: str) -> Cell:
    row, column = WAYS[way]
    return cell[0] + row, cell[1] + column


def _is_inside(size: int, cell: Cell) -> bool:
    return 1 <= cell[0] <= size and 1 <= cell[1] <= size


def _has_passage(maze: Sequence[str], cell: Cell, way: str) -> bool:
    """Return whether a passage leads from a cell to its neighbour inside the maze."""
    if way in "NW":
        cell, way = _step_cell(cell, way), BACK[way]
    return maze[cell[0] - 1][cell[1] - 1] in ("B", way)


def _build_maze(size: int, passages: set[Passage]) -> tuple[str, ...]:
    """Return the rows of a maze; each passage names its northern or western cell first."""

    def passage_sign(cell: Cell) -> str:
        ways = "".join(way for way in "ES" if (cell, _step_cell(cell, way)) in passages)
        return {"": ".", "ES": "B"}.get(ways, ways)

    span = range(1, size + 1)
    return tuple("".join(passage_sign((row, column)) for column in span) for row in span)


def _list_cell_pairs(size: int) -> list[Passage]:
    """Return all pairs of neighbours."""
    span = range(1, size + 1)
    cells = [(row, column) for row in span for column in span]
    pairs = [(cell, _step_cell(cell, way)) for cell in cells for way in "ES"]
    return [pair for pair in pairs if _is_inside(size, pair[1])]


def _reachable_cells(size: int, maze: Sequence[str]) -> dict[Cell, int]:
    """Return the cells that can be reached from the start."""

    def iterate_neighbors(cell: Cell) -> Iterator[Cell]:
        for way in WAYS:
            after = _step_cell(cell, way)
            if _is_inside(size, after) and _has_passage(maze, cell, way):
                yield after

    return compute_distances((1, 1), iterate_neighbors)


def _draw_long_maze(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw a maze in which one path joins any two cells, and the path to the exit is long.

    Raises:
        Reject: no drawn maze has a long way out.
    """
    far = _least_exit_distance(size)
    for _ in range(TRIALS):
        tree = _draw_tree(size, rng)
        place, steps = size * size - 1, 0
        while place:
            place, steps = tree[place], steps + 1
        if steps >= far:
            return _tree_to_maze(size, tree)
    raise Reject("the way out is short")


def _least_exit_distance(size: int) -> int:
    """Return the least number of steps to the exit; every way has an even number."""
    return 3 * size - 2 + size % 2


def _draw_tree(size: int, rng: np.random.Generator) -> list[int]:
    """Draw a spanning tree of all places, all equally likely.

    Returns:
        The next place on the way to the start, by place, row by row; -1 for the start.
    """
    return spanned(rng, _beside_each(size))


@lru_cache(maxsize=16)
def _beside_each(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours of each place."""
    return tuple(tuple(after for _, after in ways) for ways in _inner_directions(size))


def _tree_to_maze(size: int, tree: Sequence[int]) -> tuple[str, ...]:
    """Return the rows of the maze whose passages are those of a tree."""

    def passage_sign(place: int) -> str:
        below, beside = place + size, place + 1
        south = tree[place] == below or (below < len(tree) and tree[below] == place)
        east = tree[place] == beside or (beside < len(tree) and tree[beside] == place)
        return ".ESB"[east + 2 * south]

    return split_rows(list(map(passage_sign, range(len(tree)))), size)


def _draw_loose_maze(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw a maze with independent passages between neighbours, in which the exit is reachable."""
    for _ in range(200):
        maze = _build_maze(size, {pair for pair in _list_cell_pairs(size) if rng.random() < 0.6})
        if (size, size) in _reachable_cells(size, maze):
            return maze
    raise Reject("the exit is cut off")
