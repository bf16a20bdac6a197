"""Grid coloring: get a rectangle of four differently coloured corners, while chance colours.

EvolArena, cases N.73 and N.74; the puzzle is Codeforces 1887 E. Of the cells of a grid of n x n,
2n have a colour at the start, all different. A turn names an uncoloured cell, which then gets a
colour from 1 to 2n, or answers with a rectangle.

Rows and columns are nodes and coloured cells edges: 2n edges of 2n nodes have a cycle, and a
rectangle is a cycle of four. The player takes a cycle of different colours and has a chord coloured
that halves it: at most one other edge of the cycle has the chord's colour, so one of the two halves
is of different colours again. Puzzles have one cycle, so no chord has a colour before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame, Sample, blank_terms
from facelet.generators.arcade.base.params import ArcadeParams
from facelet.generators.arcade.base.terms import Terms
from facelet.generators.core.columns import column, nested
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.forms import Form, Said
from facelet.generators.core.game import Luck, Player
from facelet.generators.core.play import Price
from facelet.generators.core.seeding import Draw

MOVES = 10
"""Turns of the paper's game."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The grid and its first colours."""

    terms: Terms = nested(Terms)
    size: int = column("cells along a side of the grid", role="puzzle")
    xs: tuple[int, ...] = column("x of each cell that is coloured at first", role="puzzle")
    ys: tuple[int, ...] = column("y of each cell that is coloured at first", role="puzzle")
    colours: tuple[int, ...] = column("the colour of each", role="puzzle")


@dataclass(frozen=True, slots=True)
class State:
    """The cells that were coloured in play and their colours, in order; whether it is won."""

    cells: tuple[Cell, ...] = ()
    colours: tuple[int, ...] = ()
    won: bool | None = None


class GridColoring(ArcadeGame[ArcadeParams, Puzzle, State]):
    """The game; see the module."""

    name = "arcade/grid_coloring"
    version = 1
    category = "strategic_gaming"
    params = ArcadeParams
    instance = Puzzle
    by_luck = True
    forms = (
        Form("choice", "My Choice: {int} {int}", "My Choice: x y"),
        Form("answer", "My Answer: {int} {int} {int} {int}", "My Answer: x1 x2 y1 y2"),
    )
    illegal = Price("end")
    # A colour that is drawn seldom spoils a rectangle: who has four corners coloured unseen mostly
    # wins. The bound holds against colours that spoil; the paper's draws them.
    fixed = 0.75
    fixed_reason = "a color that chance gives seldom spoils a rectangle"
    unread = 1.0
    sample = Sample(
        Puzzle(
            blank_terms("strategic_gaming", seed="sample"),
            3,
            (1, 1, 2, 2, 3),
            (1, 2, 2, 3, 3),
            (5, 1, 4, 2, 6),
        ),
        (Said("choice", (2, 1)), Said("answer", (1, 2, 1, 2))),
        "On a grid of 3 x 3 the cells (1, 1), (1, 2), (2, 2), (2, 3) and (3, 3) have the colours "
        "5, 1, 4, 2 and 6.",
    )
    deviations = (
        Deviation(
            "which cells are coloured at first, and how, is not said; in the data they all have "
            "one colour",
            "2n cells have 2n different colours",
            "that makes the game one that can surely be won",
        ),
        Deviation(
            "nothing is said of how the first cells lie",
            "as edges of rows and columns they have one cycle, of at least 6 cells",
            "otherwise a rectangle is often there at the start, and read off",
        ),
        Deviation(
            "the colour is of the other side's choice; the published one draws it",
            "it is drawn evenly from 1 to 2n",
            "the bound holds for every choice",
        ),
        Deviation(
            "whether a wrong answer ends the game is not said",
            "it does",
            "four numbers that are no such rectangle are a claim that is false",
        ),
        Deviation(
            "up to 10 moves; whether the answer is one of them is not said",
            "10 turns, the answer included, or as many as surely suffice if that is more",
            "a turn is a turn; on the paper's boards 6 suffice",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.size(10, 20, 30, 10)
        rows, columns = (draw.rng.permutation(size) + 1 for _ in range(2))
        half = 3 + int(draw.rng.integers(size - 2))
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
            other = others[int(draw.rng.integers(len(others)))]
            cells.append((node, other) if side == 0 else (other, node))
            joined[side].append(node)
        listed = sorted((int(x), int(y)) for x, y in cells)
        xs, ys = zip(*listed, strict=True)
        colours = tuple(int(colour) + 1 for colour in draw.rng.permutation(2 * size))
        return Puzzle(self.terms(params, draw), size, xs, ys, colours)

    def cap(self, params: ArcadeParams, shown: Puzzle, bound: int | None) -> int:
        return max(MOVES, bound or 0)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Grid coloring. A grid has {size} x {size} cells (x, y), x and y from 1 to {size}. "
            f"Colours are numbers from 1 to {2 * size}. {2 * size} cells have a colour at the "
            "start, all different; all other cells are uncoloured.\n"
            "In each turn you either choose or answer.\n"
            "- Choice: name an uncoloured cell. I colour it; you do not know with which colour "
            "before. It may be one that other cells have. To choose a coloured cell ends the "
            "game, and you lose.\n"
            "- Answer: name two different numbers x1 and x2, and two different numbers y1 and y2. "
            "The cells (x1, y1), (x1, y2), (x2, y1) and (x2, y2) must all be coloured, with four "
            "different colours. If they are, you win; if not, you lose.\n"
            "You lose if your turns run out before you have answered."
        )

    def opening(self, puzzle: Puzzle) -> str:
        cells = zip(puzzle.xs, puzzle.ys, puzzle.colours, strict=True)
        listed = "\n".join(f"Cell ({x}, {y}) has colour {colour}" for x, y, colour in cells)
        return f"{listed}\nAll other cells are uncoloured. Give your first command."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, said: Said) -> str:
        if not all(1 <= number <= puzzle.size for number in said.args):
            return f"numbers are 1 to {puzzle.size}"
        if said.form == "answer":
            left, right, low, high = said.args
            return "a rectangle has two x and two y" if left == right or low == high else ""
        return "this cell is coloured" if said.args in _coloured(puzzle, state) else ""

    def step(self, puzzle: Puzzle, state: State, said: Said, luck: Luck) -> State:
        if said.form == "answer":
            return self._answered(puzzle, state, said)
        return _with(state, said.args, 1 + int(luck.rng.integers(2 * puzzle.size)))

    def outcomes(self, puzzle: Puzzle, state: State, said: Said) -> Sequence[State]:
        if said.form == "answer":
            return (self._answered(puzzle, state, said),)
        return [_with(state, said.args, colour) for colour in range(1, 2 * puzzle.size + 1)]

    def _answered(self, puzzle: Puzzle, state: State, said: Said) -> State:
        left, right, low, high = said.args
        coloured = _coloured(puzzle, state)
        found = {coloured.get((x, y), 0) for x in (left, right) for y in (low, high)}
        return State(state.cells, state.colours, len(found - {0}) == 4)

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.colours[-1] if state.colours else 0

    def tell(self, puzzle: Puzzle, state: State) -> str:
        if not state.cells or state.won is not None:
            return "Wrong."
        x, y = state.cells[-1]
        return f"Cell ({x}, {y}) coloured with color {state.colours[-1]}"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return state.won

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Said:
        if rng.random() < 0.2:
            xs, ys = (sorted(int(k) + 1 for k in rng.permutation(puzzle.size)[:2]) for _ in "xy")
            return Said("answer", (*xs, *ys))
        coloured = _coloured(puzzle, state)
        while True:
            x, y = (int(number) for number in rng.integers(1, puzzle.size + 1, size=2))
            if (x, y) not in coloured:
                return Said("choice", (x, y))

    def bound(self, shown: Puzzle) -> int:
        return _turns(len(_cycle(shown)))

    def player(self, shown: Puzzle) -> Player:
        cycle = _cycle(shown)
        colours = dict(_coloured(shown, State()))
        while len(cycle) > 4:
            # Nodes are rows and columns by turns; a chord leaves cycles of 2k + 2 and the rest.
            end = 2 * (len(cycle) // 4) + 1
            chord = _cell(cycle[0], cycle[end])
            colours[chord] = yield Said("choice", chord)
            halves = (cycle[: end + 1], [*cycle[end:], cycle[0]])
            cycle = min((half for half in halves if _different(half, colours)), key=len)
        rows, columns = (sorted(number for kind, number in cycle if kind == k) for k in (0, 1))
        yield Said("answer", (*rows, *columns))


TASK = GridColoring()

Node = tuple[int, int]
"""(0, x) for the cells with this x, (1, y) for those with this y."""


def _coloured(puzzle: Puzzle, state: State) -> dict[Cell, int]:
    """Return the coloured cells and their colours."""
    found = dict(zip(zip(puzzle.xs, puzzle.ys, strict=True), puzzle.colours, strict=True))
    return found | dict(zip(state.cells, state.colours, strict=True))


def _with(state: State, cell: Cell, colour: int) -> State:
    return State((*state.cells, cell), (*state.colours, colour))


def _cell(one: Node, other: Node) -> Cell:
    """Return the cell of a row and a column, given in any order."""
    (_, x), (_, y) = sorted((one, other))
    return x, y


def _different(cycle: Sequence[Node], colours: dict[Cell, int]) -> bool:
    """Return whether the edges of a cycle have different colours."""
    pairs = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    found = [colours[_cell(one, other)] for one, other in pairs]
    return len(set(found)) == len(found)


def _cycle(puzzle: Puzzle) -> list[Node]:
    """Return the nodes of the cycle of the first cells, in order."""
    near: dict[Node, list[Node]] = {}
    for x, y in zip(puzzle.xs, puzzle.ys, strict=True):
        near.setdefault((0, x), []).append((1, y))
        near.setdefault((1, y), []).append((0, x))
    # What has one neighbour is in no cycle.
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
def _turns(length: int) -> int:
    """Return the turns that surely suffice from a cycle of different colours."""
    if length == 4:
        return 1
    end = 2 * (length // 4) + 1
    return 1 + max(_turns(end + 1), _turns(length - end + 1))
