"""The board of 7 x 7 tiles and a spare one, its treasures and pawn, and the two actions (MARBLE).

The 24 treasures have names and letters. Twelve lie on the fixed T tiles, always on the same one;
six on loose T tiles and six on loose L tiles (2.3, after the board game).

A tile is the set of its openings, four bits: 1 north, 2 east, 4 south, 8 west; a clockwise quarter
turn moves every bit to the next. Its name is its shape and rotation, clockwise from the upright
tile (D.3): I0 is open to north and south, L0 to north and east, T0 to all but south. I2 and I3 are
other names of I0 and I1.

Cells are numbered 7 * row + column from the top left; a position is written (x, y) = (column, row).
Place 49 is that of the spare tile. The tiles at even rows and columns never move. The spare tile is
pushed in at one of twelve slots: rows and columns 1, 3 and 5 from either end. The line moves on by
one, and the tile that falls out is the new spare one. Treasures stay on their tiles; a pawn that is
pushed off is put on the tile that was pushed in. An insertion must not undo the last one: the same
slot from the opposite side is not allowed (2.3 and D.3).

`draw_board` draws random boards as MARBLE does (2.3). Sixteen tiles and twelve treasures are fixed.
The 34 loose tiles (13 straight ones, 15 corners of which six carry a treasure, six T with a
treasure each) are shuffled and turned; the last one is the spare tile. The pawn is on any cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_uppercase
from typing import Literal

import numpy as np

ON_LOOSE_T = ("bat", "dragon", "genie", "ghost", "troll", "princess")
ON_LOOSE_L = ("lizard", "moth", "owl", "scarab", "rat", "spider")
ON_FIXED: dict[str, tuple[int, int]] = {
    "gold coins": (0, 4),
    "book": (0, 2),
    "crown": (4, 4),
    "candelabra": (6, 2),
    "ring": (4, 0),
    "helmet": (6, 4),
    "emerald": (2, 4),
    "keys": (4, 2),
    "skull": (2, 6),
    "sword": (4, 6),
    "treasure chest": (2, 2),
    "treasure map": (2, 0),
}
"""Row and column of the treasures on fixed tiles."""

TREASURES: tuple[str, ...] = (*ON_LOOSE_T, *ON_LOOSE_L, *ON_FIXED)
LETTERS = ascii_uppercase[: len(TREASURES)]
LOOSE_LETTERS = LETTERS[: len(ON_LOOSE_T) + len(ON_LOOSE_L)]
"""The letters of treasures on loose tiles."""
EMPTY = "-"
"""The mark of a tile without a treasure."""

NAME_OF: dict[str, str] = dict(zip(LETTERS, TREASURES, strict=True))
LETTER_OF: dict[str, str] = dict(zip(TREASURES, LETTERS, strict=True))


NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
OPENINGS: dict[str, int] = {"N": NORTH, "E": EAST, "S": SOUTH, "W": WEST}
UPRIGHT: dict[str, int] = {"I": NORTH | SOUTH, "L": NORTH | EAST, "T": NORTH | EAST | WEST}
ROTATIONS = 4


def turn_tile(tile: int, quarters: int = 1) -> int:
    """Return a tile turned clockwise by a number of quarters."""
    for _ in range(quarters % ROTATIONS):
        tile = (tile << 1 & 15) | tile >> 3
    return tile


NAMES: dict[int, str] = {
    turn_tile(upright, rotation): f"{shape}{rotation}"
    for shape, upright in UPRIGHT.items()
    for rotation in reversed(range(ROTATIONS))
}
"""The name of each of the ten tiles; a straight one has two, and the smaller rotation is used."""
TILES: dict[str, int] = {
    f"{shape}{rotation}": turn_tile(upright, rotation)
    for shape, upright in UPRIGHT.items()
    for rotation in range(ROTATIONS)
}
"""The tile of each of the twelve names."""


def tile_shape(tile: int) -> str:
    """Return the shape of a tile: I, L or T.

    Raises:
        ValueError: no tile has these openings.
    """
    return tile_name(tile)[0]


def tile_name(tile: int) -> str:
    """Return the name of a tile, such as "L2".

    Raises:
        ValueError: no tile has these openings.
    """
    try:
        return NAMES[tile]
    except KeyError:
        raise ValueError(f"no tile has the openings {tile}; use one of {sorted(NAMES)}") from None


def parse_tile_name(text: str) -> int:
    """Return the tile of a name.

    Raises:
        ValueError: there is no such name.
    """
    try:
        return TILES[text]
    except KeyError:
        raise ValueError(f"{text!r} names no tile; use one of {', '.join(TILES)}") from None


def with_openings(letters: str) -> int:
    """Return the tile that is open to the sides named by letters out of NESW."""
    return sum(OPENINGS[letter] for letter in letters)


SIDE = 7
CELLS = SIDE * SIDE
SPARE = CELLS
"""The place of the spare tile."""

Side = Literal["top", "right", "bottom", "left"]
SIDES: tuple[Side, ...] = ("top", "right", "bottom", "left")
LANES = (1, 3, 5)
"""Rows and columns that move."""

FIXED: dict[int, int] = {
    SIDE * row + column: with_openings(letters)
    for (row, column), letters in {
        (0, 0): "ES",
        (0, 2): "ESW",
        (0, 4): "ESW",
        (0, 6): "SW",
        (2, 0): "NES",
        (2, 2): "NES",
        (2, 4): "ESW",
        (2, 6): "NSW",
        (4, 0): "NES",
        (4, 2): "NEW",
        (4, 4): "NSW",
        (4, 6): "NSW",
        (6, 0): "NE",
        (6, 2): "NEW",
        (6, 4): "NEW",
        (6, 6): "NW",
    }.items()
}
"""The tiles that never move, by cell."""
LOOSE: dict[str, int] = {"I": 13, "L": 15, "T": 6}
"""How many loose tiles there are of each shape; 33 lie on the board, one is spare."""


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """Where the spare tile is pushed in: a side of the board, and a row or column."""

    side: Side
    lane: int

    @property
    def slot_number(self) -> int:
        """Number of the slot, 0 to 11, as the compiled search counts."""
        return 3 * SIDES.index(self.side) + LANES.index(self.lane)

    @property
    def opposite_slot(self) -> Slot:
        """The slot at the other end of the same line."""
        return Slot(SIDES[(SIDES.index(self.side) + 2) % 4], self.lane)

    @property
    def line_cells(self) -> tuple[int, ...]:
        """The seven cells of the line, from the one that is filled to the one that is emptied."""
        along = range(SIDE) if self.side in ("top", "left") else range(SIDE - 1, -1, -1)
        if self.side in ("top", "bottom"):
            return tuple(SIDE * row + self.lane for row in along)
        return tuple(SIDE * self.lane + column for column in along)


SLOTS: tuple[Slot, ...] = tuple(Slot(side, lane) for side in SIDES for lane in LANES)


@dataclass(frozen=True, slots=True)
class Board:
    """A state of the game.

    Attributes:
        tiles: openings of the 49 tiles in the order of the cells, then of the spare one.
        treasures: the treasure of each tile, 50 letters out of A to X, or "-" for none.
        pawn: the cell of the pawn.
        last: the last insertion, or None.
    """

    tiles: tuple[int, ...]
    treasures: str
    pawn: int
    last: Slot | None = None

    @property
    def spare_tile(self) -> int:
        """The spare tile with its rotation."""
        return self.tiles[SPARE]

    def treasure_cell(self, letter: str) -> int:
        """Return the cell of a treasure, or SPARE."""
        return self.treasures.index(letter)

    def may_insert(self, slot: Slot) -> bool:
        """Whether an insertion is allowed: it must not undo the last one."""
        return self.last is None or slot != self.last.opposite_slot

    def insert_tile(self, slot: Slot, tile: int) -> Board:
        """Return the board after the spare tile was pushed in.

        Args:
            slot: where.
            tile: the spare tile as it is turned.

        Raises:
            ValueError: this undoes the last insertion, or the tile is no turn of the spare one.
        """
        if not self.may_insert(slot):
            raise ValueError(
                f"inserting at {slot.side} {slot.lane} undoes the last insertion; use another slot"
            )
        if tile not in (turn_tile(self.spare_tile, quarters) for quarters in range(4)):
            raise ValueError(
                f"tile {tile} is no rotation of the spare tile "
                f"{tile_name(self.spare_tile)}; use one that is"
            )
        line = slot.line_cells
        source = list(range(CELLS + 1))
        for before, after in pairwise(line):
            source[after] = before
        source[line[0]], source[SPARE] = SPARE, line[-1]
        tiles = (*self.tiles[:SPARE], tile)
        return Board(
            tuple(tiles[place] for place in source),
            "".join(self.treasures[place] for place in source),
            shift_pawn(self.pawn, slot),
            slot,
        )

    def move_pawn(self, cell: int) -> Board:
        """Return the board with the pawn on another cell, reachable or not."""
        return replace(self, pawn=cell)

    def reachable_cells(self, start: int | None = None) -> frozenset[int]:
        """Return the cells that corridors lead to from a cell, by default from the pawn's."""
        first = self.pawn if start is None else start
        seen, edge = {first}, [first]
        while edge:
            for cell in list_connected_neighbours(self.tiles, edge.pop()):
                if cell not in seen:
                    seen.add(cell)
                    edge.append(cell)
        return frozenset(seen)


def shift_pawn(cell: int, slot: Slot) -> int:
    """Return the cell of a pawn after an insertion."""
    line = slot.line_cells
    return line[(line.index(cell) + 1) % SIDE] if cell in line else cell


def list_connected_neighbours(tiles: tuple[int, ...], cell: int) -> list[int]:
    """Return the neighbours that a cell is connected to: both tiles are open to each other."""
    row, column = divmod(cell, SIDE)
    joined = []
    for here, there, down, across in (
        (NORTH, SOUTH, -1, 0),
        (EAST, WEST, 0, 1),
        (SOUTH, NORTH, 1, 0),
        (WEST, EAST, 0, -1),
    ):
        if 0 <= row + down < SIDE and 0 <= column + across < SIDE:
            other = cell + SIDE * down + across
            if tiles[cell] & here and tiles[other] & there:
                joined.append(other)
    return joined


def cell_to_position(cell: int) -> tuple[int, int]:
    """Return a cell as (x, y) = (column, row)."""
    return cell % SIDE, cell // SIDE


def cell_at(x: int, y: int) -> int:
    """Return the cell at a position."""
    return SIDE * y + x


def split_into_rows(values: Iterable[str]) -> list[list[str]]:
    """Return 49 values as seven rows."""
    flat = list(values)
    return [flat[start : start + SIDE] for start in range(0, CELLS, SIDE)]


def find_board_faults(board: Board) -> list[str]:
    """Return what makes a board impossible, in words; empty if it can occur.

    Checks the tiles, fixed ones and numbers of loose ones, and that no treasure occurs twice.
    """
    if len(board.tiles) != CELLS + 1 or len(board.treasures) != CELLS + 1:
        return ["there are not 50 tiles and 50 marks of treasures"]
    try:
        names = [tile_name(tile) for tile in board.tiles]
    except ValueError as error:
        return [str(error)]
    wrong = []
    if any(board.tiles[cell] != tile for cell, tile in FIXED.items()):
        wrong.append("a fixed tile is not what it is in the game")
    loose = [names[place][0] for place in range(CELLS + 1) if place not in FIXED]
    if any(loose.count(shape) != number for shape, number in LOOSE.items()):
        wrong.append(f"the loose tiles are {sorted(loose)}, not {LOOSE}")
    letters = board.treasures.replace(EMPTY, "")
    if len(set(letters)) != len(letters):
        wrong.append("a treasure lies on two tiles")
    if not 0 <= board.pawn < CELLS:
        wrong.append(f"the pawn is on {board.pawn}, off the board")
    return wrong


_LOOSE: tuple[tuple[int, str], ...] = (
    *((UPRIGHT["I"], EMPTY) for _ in range(LOOSE["I"])),
    *((UPRIGHT["L"], EMPTY) for _ in range(LOOSE["L"] - len(ON_LOOSE_L))),
    *((UPRIGHT["L"], LETTER_OF[treasure]) for treasure in ON_LOOSE_L),
    *((UPRIGHT["T"], LETTER_OF[treasure]) for treasure in ON_LOOSE_T),
)
_PLACES = tuple(place for place in range(CELLS + 1) if place not in FIXED)
_ON_FIXED = {SIDE * row + column: LETTER_OF[name] for name, (row, column) in ON_FIXED.items()}


def draw_board(rng: np.random.Generator) -> Board:
    """Return a random board before the first insertion."""
    tiles = [FIXED.get(place, 0) for place in range(CELLS + 1)]
    treasures = [_ON_FIXED.get(place, EMPTY) for place in range(CELLS + 1)]
    order = rng.permutation(len(_LOOSE)).tolist()
    turns = rng.integers(ROTATIONS, size=len(_LOOSE)).tolist()
    for place, index, quarters in zip(_PLACES, order, turns, strict=True):
        upright, treasures[place] = _LOOSE[index]
        tiles[place] = turn_tile(upright, quarters)
    return Board(tuple(tiles), "".join(treasures), int(rng.integers(CELLS)))
