"""Grid coloring: get a rectangle with corners of four colours, while an opponent picks the colours.

EvolArena, cases N.73 and N.74; the puzzle is Codeforces 1887 E. At the start 2n cells of an n x n
grid have different colours. A turn names an uncoloured cell, which then gets a colour from 1 to 2n,
or answers with a rectangle.

Rows and columns are nodes and coloured cells are edges: 2n edges on 2n nodes contain a cycle, and a
rectangle is a cycle of four. The player takes a cycle of different colours and names a chord that
halves it: at most one other edge of the cycle has the chord's colour, so one of the two halves has
different colours again. Puzzles have one cycle, so no chord is coloured before.

The other side picks a colour from a round that the named cell would close, so that this round is
useless: of two rounds a random one. As published it picks any colour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Literal

import numpy as np

from facelet.generators.arcade.game_toolkit import (
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
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    param,
)

MOVES = 10
"""Turns of the paper's game."""

Colourer = Literal["against", "evenly"]
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The grid and its first colours."""

    size: int = column("cells along a side of the grid", role="puzzle")
    xs: tuple[int, ...] = column("x of each cell that is coloured at first", role="puzzle")
    ys: tuple[int, ...] = column("y of each cell that is coloured at first", role="puzzle")
    colours: tuple[int, ...] = column("the colour of each", role="puzzle")
    colourer: Colourer = column("how cells are coloured: against the player, or evenly")
    lenient: bool = column("whether a wrong answer or a coloured cell costs a turn only")


@dataclass(frozen=True, slots=True)
class State:
    """The cells coloured in play and their colours, in order; whether the game is won.

    `wrong` marks a last command that only cost a turn.
    """

    cells: tuple[Cell, ...] = ()
    colours: tuple[int, ...] = ()
    won: bool | None = None
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game: the level, and how cells get their colours."""

    colourer: Literal["auto", "against", "evenly"] = param(
        "auto",
        "how cells are coloured: with a colour that spoils a round, or evenly as in the published "
        "data; auto is against the player, and evenly where the game is as published",
    )

    @property
    def coloring_kind(self) -> Colourer:
        """The way in which cells get their colours."""
        if self.colourer == "auto":
            return "evenly" if self.published else "against"
        return self.colourer


class GridColoring(ArcadeGame[Params, Puzzle, State]):
    """A player gets a rectangle of four colours by naming cells."""

    name = "arcade/grid_coloring"
    version = 6
    category = "strategic_gaming"
    by_luck = True
    lucky = blind_limits(
        {2: 0.3, 3: 0.35},
        "of two rounds that a cell closes one is spoiled, so four corners win at times",
    )
    unread = 0.45  # 32 to 40% was measured: what the colorer does is foreseen in part
    forms = (
        CommandForm("choice", "My Choice: {int} {int}", "My Choice: x y"),
        CommandForm("answer", "My Answer: {int} {int} {int} {int}", "My Answer: x1 x2 y1 y2"),
    )
    illegal = ErrorPrice("end")
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"),
            3,
            (1, 1, 2, 2, 3),
            (1, 2, 2, 3, 3),
            (5, 1, 4, 2, 6),
            "evenly",
            False,
        ),
        (Command("choice", (2, 1)), Command("answer", (1, 2, 1, 2))),
        "On a grid of 3 x 3 the cells (1, 1), (1, 2), (2, 2), (2, 3) and (3, 3) have the colors "
        "5, 1, 4, 2 and 6.",
    )
    deviations = (
        Deviation(
            "",
            "2n cells begin with 2n different colours; with one colour in the data",
            "the game can then surely be won",
        ),
        Deviation(
            "",
            "as edges of rows and columns, the first cells have one cycle, of at least 6 cells",
            "otherwise a rectangle is often visible at the start",
        ),
        Deviation(
            "the published opponent draws the colour",
            "it is one of a round of cells that the cell would close",
            "random colours seldom matter, and a plan without answers wins",
            "published=true",
        ),
        Deviation(
            "",
            "a wrong answer, or choosing a coloured cell, ends the game",
            "four numbers that are no such rectangle are a false claim",
            "published=true",
        ),
        Deviation(
            "",
            "10 turns, the answer included, or what surely suffices if more",
            "on the paper's boards 6 suffice",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = params.level_size(10, 20, 30, 10)
        rows, columns = (draw.rng.permutation(size) + 1 for _ in range(2))
        # A long cycle takes several chords, each with two possible outcomes.
        least = 3 if params.published else max(3, size // 2)
        half = least + below(draw.rng, size + 1 - least)
        cells = [
            cell
            for k in range(half)
            for cell in ((rows[k], columns[k]), (rows[(k + 1) % half], columns[k]))
        ]
        joined = [list(rows[:half]), list(columns[:half])]
        waiting = [(0, row) for row in rows[half:]] + [(1, col) for col in columns[half:]]
        for place in draw.rng.permutation(len(waiting)):
            side, node = waiting[int(place)]
            others = joined[1 - side]
            other = others[below(draw.rng, len(others))]
            cells.append((node, other) if side == 0 else (other, node))
            joined[side].append(node)
        listed = sorted((int(x), int(y)) for x, y in cells)
        xs, ys = zip(*listed, strict=True)
        colours = tuple(int(colour) + 1 for colour in draw.rng.permutation(2 * size))
        return Puzzle(
            self.terms(params, draw), size, xs, ys, colours, params.coloring_kind, params.published
        )

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return max(MOVES, bound or 0)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        wrong = "the game goes on" if puzzle.lenient else "you lose"
        return (
            f"Grid coloring. A grid has {size} x {size} cells (x, y), x and y from 1 to {size}. "
            f"Colors are numbers from 1 to {2 * size}. {2 * size} cells have a color at the "
            "start, all different; all other cells are uncolored.\n"
            "In each turn you either choose or answer.\n"
            f"- Choice: name an uncolored cell. {_COLOURED[puzzle.colourer]} To choose a colored "
            f"cell {'costs a turn' if puzzle.lenient else 'ends the game, and you lose'}.\n"
            "- Answer: name two different numbers x1 and x2, and two different numbers y1 and y2. "
            "The cells (x1, y1), (x1, y2), (x2, y1) and (x2, y2) must all be colored, with four "
            f"different colors. If they are, you win; if not, {wrong}.\n"
            "You lose if your turns run out before you have answered."
        )

    def opening(self, puzzle: Puzzle) -> str:
        cells = zip(puzzle.xs, puzzle.ys, puzzle.colours, strict=True)
        listed = "\n".join(f"Cell ({x}, {y}) has color {colour}" for x, y, colour in cells)
        return f"{listed}\nAll other cells are uncolored. Give your first command."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= number <= puzzle.size for number in command.args):
            return f"numbers are 1 to {puzzle.size}"
        if command.form == "answer":
            left, right, low, high = command.args
            return "a rectangle has two x and two y" if left == right or low == high else ""
        taken = not puzzle.lenient and command.args in _list_colored_cells(puzzle, state)
        return "this cell is colored" if taken else ""

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        if command.form == "answer":
            return self._color_cell(puzzle, state, command)
        coloured = _list_colored_cells(puzzle, state)
        if command.args in coloured:
            return replace(state, wrong=True)
        rng = luck.rng
        colours: Sequence[int] = range(1, 2 * puzzle.size + 1)
        if puzzle.colourer == "against":
            rounds = _list_cycle_colors(puzzle, state, coloured, command.args)
            colours = rounds[below(rng, len(rounds))] if rounds else colours
        return _add_colored_cell(state, command.args, colours[below(rng, len(colours))])

    def list_outcomes(self, puzzle: Puzzle, state: State, command: Command) -> Sequence[State]:
        if command.form == "answer":
            return (self._color_cell(puzzle, state, command),)
        if command.args in _list_colored_cells(puzzle, state):
            return (replace(state, wrong=True),)
        return [
            _add_colored_cell(state, command.args, colour)
            for colour in range(1, 2 * puzzle.size + 1)
        ]

    def _color_cell(self, puzzle: Puzzle, state: State, command: Command) -> State:
        left, right, low, high = command.args
        coloured = _list_colored_cells(puzzle, state)
        found = {coloured.get((x, y), 0) for x in (left, right) for y in (low, high)}
        if len(found - {0}) == 4:
            return replace(state, won=True, wrong=False)
        return replace(state, won=None if puzzle.lenient else False, wrong=True)

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.colours[-1] if state.colours and not state.wrong else 0

    def describe_last_reply(self, puzzle: Puzzle, state: State) -> str:
        if state.wrong:
            return "Wrong."
        x, y = state.cells[-1]
        return f"Cell ({x}, {y}) has color {state.colours[-1]}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.won

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.2:
            xs, ys = (sorted(int(k) + 1 for k in rng.permutation(puzzle.size)[:2]) for _ in "xy")
            return Command("answer", (*xs, *ys))
        coloured = _list_colored_cells(puzzle, state)
        while True:
            x, y = (int(number) for number in rng.integers(1, puzzle.size + 1, size=2))
            if (x, y) not in coloured:
                return Command("choice", (x, y))

    def bound(self, shown: Puzzle) -> int:
        return _sufficient_turns(len(_list_cycle_nodes(shown.xs, shown.ys)))

    def player(self, shown: Puzzle) -> Player:
        cycle = _list_cycle_nodes(shown.xs, shown.ys)
        colours = dict(_list_colored_cells(shown, State()))
        while len(cycle) > 4:
            # Rows and columns alternate; a chord leaves a cycle of 2k + 2 nodes and the rest.
            end = 2 * (len(cycle) // 4) + 1
            chord = _nodes_to_cell(cycle[0], cycle[end])
            colours[chord] = yield Command("choice", chord)
            halves = (cycle[: end + 1], [*cycle[end:], cycle[0]])
            cycle = min((half for half in halves if _has_distinct_colors(half, colours)), key=len)
        rows, columns = (sorted(number for kind, number in cycle if kind == k) for k in (0, 1))
        yield Command("answer", (*rows, *columns))


TASK = GridColoring()

_COLOURED = {
    "against": "I color it as I like, and I play against you: where it would close a rectangle "
    "of colored cells, or a longer round in which each cell shares its row with the one before and "
    "its column with the one after, or the other way, I take the color of a cell of that round.",
    "evenly": "I color it; each color is as likely as any other, also one that other cells have.",
}

Node = tuple[int, int]
"""(0, x) for the cells with this x, (1, y) for those with this y."""


@lru_cache(maxsize=32)
def _first_colors(
    xs: tuple[int, ...], ys: tuple[int, ...], colours: tuple[int, ...]
) -> dict[Cell, int]:
    return dict(zip(zip(xs, ys, strict=True), colours, strict=True))


def _list_colored_cells(puzzle: Puzzle, state: State) -> dict[Cell, int]:
    """Return the coloured cells and their colours."""
    first = _first_colors(puzzle.xs, puzzle.ys, puzzle.colours)
    return first | dict(zip(state.cells, state.colours, strict=True))


@lru_cache(maxsize=128)
def _node_neighbors(xs: tuple[int, ...], ys: tuple[int, ...]) -> Mapping[int, Sequence[int]]:
    """Return the neighbours of each node, the least number first.

    A row is its number, and a column the negative of its number.
    """
    near: defaultdict[int, list[int]] = defaultdict(list)
    for x, y in zip(xs, ys, strict=True):
        near[x].append(-y)
        near[-y].append(x)
    return {node: sorted(others, key=abs) for node, others in near.items()}


def _list_cycle_colors(
    puzzle: Puzzle, state: State, coloured: Mapping[Cell, int], cell: Cell
) -> list[list[int]]:
    """Return the colours of two rounds that a cell would close: the shortest, and a disjoint one.

    A round is a path from the row to the column of the cell over coloured cells.
    """
    near = dict(_node_neighbors(puzzle.xs, puzzle.ys))
    for x, y in state.cells:
        near[x] = sorted([*near.get(x, ()), -y], key=abs)
        near[-y] = sorted([*near.get(-y, ()), x], key=abs)
    found = []
    for _ in range(2):
        if not (way := _find_path_cells(near, cell[0], -cell[1])):
            break
        found.append([coloured[edge] for edge in way])
        for x, y in way:
            near[x] = [other for other in near[x] if other != -y]
            near[-y] = [other for other in near[-y] if other != x]
    return found


def _find_path_cells(near: Mapping[int, Sequence[int]], start: int, end: int) -> list[Cell]:
    """Return the cells of a shortest path between two nodes; [] if there is none."""
    if not near.get(start) or not near.get(end):
        return []
    before = {start: start}
    waiting = [start]
    for node in waiting:
        for other in near[node]:
            if other not in before:
                before[other] = node
                waiting.append(other)
        if end in before:
            break
    way: list[Cell] = []
    while end in before and end != start:
        one, other = sorted((before[end], end), reverse=True)
        way.append((one, -other))
        end = before[end]
    return way


def _add_colored_cell(state: State, cell: Cell, colour: int) -> State:
    return State((*state.cells, cell), (*state.colours, colour), state.won)


def _nodes_to_cell(one: Node, other: Node) -> Cell:
    """Return the cell of a row and a column, given in any order."""
    (_, x), (_, y) = sorted((one, other))
    return x, y


def _has_distinct_colors(cycle: Sequence[Node], colours: dict[Cell, int]) -> bool:
    """Return whether the edges of a cycle have different colours."""
    pairs = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    found = [colours[_nodes_to_cell(one, other)] for one, other in pairs]
    return len(set(found)) == len(found)


@lru_cache(maxsize=32)
def _list_cycle_nodes(xs: tuple[int, ...], ys: tuple[int, ...]) -> Sequence[Node]:
    """Return the nodes of the cycle of the first cells, in order."""
    near: dict[Node, list[Node]] = {}
    for x, y in zip(xs, ys, strict=True):
        near.setdefault((0, x), []).append((1, y))
        near.setdefault((1, y), []).append((0, x))
    # A node with one neighbour lies on no cycle.
    leaves = [node for node, others in near.items() if len(others) == 1]
    while leaves:
        leaf = leaves.pop()
        (other,) = near.pop(leaf)
        near[other].remove(leaf)
        if len(near[other]) == 1:
            leaves.append(other)
    first = min(near)
    cycle = [first, min(near[first])]
    while True:
        one, other = near[cycle[-1]]
        following = other if one == cycle[-2] else one
        if following == first:
            return cycle
        cycle.append(following)


@cache
def _sufficient_turns(length: int) -> int:
    """Return the turns that surely suffice from a cycle of different colours."""
    if length == 4:
        return 1
    end = 2 * (length // 4) + 1
    return 1 + max(_sufficient_turns(end + 1), _sufficient_turns(length - end + 1))
