"""A deliberately naive twin of the labyrinth: dictionaries of letters, one pawn, no masks."""

import copy
import itertools
from typing import Any

import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.board_engine import Board

STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
FACING = {"N": "S", "S": "N", "E": "W", "W": "E"}
ENDS = {
    "top": lambda lane: [(row, lane) for row in range(7)],
    "bottom": lambda lane: [(row, lane) for row in reversed(range(7))],
    "left": lambda lane: [(lane, column) for column in range(7)],
    "right": lambda lane: [(lane, column) for column in reversed(range(7))],
}
ACROSS = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}


class NaiveLabyrinth:
    """A position: `grid` maps (row, column) to a tile, a pair of sides and treasure."""

    def __init__(self, board: Board) -> None:
        def read_tile(place: int) -> tuple[frozenset[str], str]:
            openings = board.tiles[place]
            sides = {side for bit, side in enumerate("NESW") if openings // 2**bit % 2}
            return frozenset(sides), board.treasures[place]

        self.grid = {divmod(place, 7): read_tile(place) for place in range(49)}
        self.spare = read_tile(49)
        self.pawn = divmod(board.pawn, 7)
        self.last = None if board.last is None else (board.last.side, board.last.lane)

    def spare_rotations(self) -> set[frozenset[str]]:
        found, sides = set(), self.spare[0]
        for _ in range(4):
            sides = frozenset("NESW"[("NESW".index(side) + 1) % 4] for side in sides)
            found.add(sides)
        return found

    def insertions(self) -> list[tuple[str, int, frozenset[str]]]:
        """Every legal insertion, each board once."""
        return [
            (side, lane, sides)
            for side, lane in itertools.product(ENDS, (1, 3, 5))
            if self.last != (ACROSS[side], lane)
            for sides in sorted(self.spare_rotations(), key=sorted)
        ]

    def insert(self, side: str, lane: int, sides: frozenset[str]) -> "NaiveLabyrinth":
        after = copy.copy(self)
        after.grid = dict(self.grid)
        cells = ENDS[side](lane)
        tiles = [(sides, self.spare[1]), *(self.grid[cell] for cell in cells)]
        for cell, tile in zip(cells, tiles, strict=False):
            after.grid[cell] = tile
        after.spare = tiles[-1]
        if self.pawn in cells:
            after.pawn = (cells + cells)[cells.index(self.pawn) + 1]
        after.last = (side, lane)
        return after

    def reachable(self) -> set[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        self._visit_cell(self.pawn, seen)
        return seen

    def _visit_cell(self, cell: tuple[int, int], seen: set[tuple[int, int]]) -> None:
        seen.add(cell)
        for side, (down, across) in STEPS.items():
            other = (cell[0] + down, cell[1] + across)
            if other in self.grid and other not in seen:
                if side in self.grid[cell][0] and FACING[side] in self.grid[other][0]:
                    self._visit_cell(other, seen)

    def at(self, cell: tuple[int, int]) -> "NaiveLabyrinth":
        after = copy.copy(self)
        after.pawn = cell
        return after

    def place(self, letter: str) -> tuple[int, int] | None:
        return next((cell for cell, tile in self.grid.items() if tile[1] == letter), None)

    def plans(self, letter: str, turns: int) -> tuple[int, int, float]:
        """Count insertion sequences and whole plans to a treasure in exactly so many turns.

        Every plan is played out on its own; the sequences are those of the plans found. Also tell
        how likely a random player plays one of them.
        """
        sequences: set[Any] = set()
        number, chance = 0, 0.0

        def count_from(now: NaiveLabyrinth, history: tuple[Any, ...], share: float) -> None:
            nonlocal number, chance
            actions = now.insertions()
            for action in actions:
                after = now.insert(*action)
                stops = after.reachable()
                path = (*history, action)
                each = share / len(actions) / len(stops)
                if len(path) == turns:
                    if after.place(letter) in stops:
                        number += 1
                        chance += each
                        sequences.add(path)
                else:
                    for stop in sorted(stops):
                        count_from(after.at(stop), path, each)

        count_from(self, (), 1.0)
        return len(sequences), number, pytest.approx(chance, rel=1e-5)


@pytest.fixture(scope="session")
def naive() -> type[NaiveLabyrinth]:
    """Return the twin."""
    return NaiveLabyrinth


@pytest.fixture(scope="session")
def boards() -> list[Board]:
    """Return some random boards."""
    return [
        board_engine.draw_board(make_generator("tests", "labyrinth", number))
        for number in range(40)
    ]
