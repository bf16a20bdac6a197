"""Lay out rooms on a coarse grid, each a row of strips at different heights.

The rooms follow each other along a path that never crosses itself. The strips of a room depend on
the height of its entrance; see `_SHAPES`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelet.generators.chamber.composition.rock_grid import LEDGE, LOW, POOL, FloorStrip, Sort
from facelet.generators.chamber.world.chamber_records import Room
from facelet.generators.chamber.world.grid import DELTAS, EAST, LEVEL, WEST

SIDE = 3
"""Rooms of the coarse grid along each side."""
LENGTHS = (6, 7, 8, 9, 10)
"""Columns of a room along a side, walls excluded."""

_SHAPES: dict[int, tuple[str, ...]] = {
    LOW: (
        *("l", "lwl", "lwh", "lh", "twl", "twh"),
        *("ldl", "lwldl", "ldlwl", "ldlwh", "lwhdh", "lhdh", "ldlh", "lwlwl", "lwhl"),
    ),
    LEDGE: (
        *("h", "hl", "hlh", "hwh", "hwl", "hlwl", "hlwh"),
        *("hdh", "hldl", "hlhdh", "hdhwh", "hwldl", "hdhl", "hlwhl"),
    ),
}
"""Strips by the height of the first: l low, h on a ledge, w liquid, t with a tower, d a wall."""
_DROPS = ("t", "hlh", "hlw")
"""How shapes begin in which one falls from a height and then has to get across something."""
FALLING = 8
"""Columns that each level has such strips for."""
_LEVELS = {"l": LOW, "t": LOW, "h": LEDGE, "w": POOL}
_SORTS: dict[str, Sort] = {"w": "pool", "d": "wall"}
_LEAST = {"t": 4, "d": 1}
"""Fewest columns of a strip, where they are not 2."""


@dataclass(frozen=True, slots=True)
class RoomSlot:
    """Where a room is, and how it is crossed.

    Attributes:
        box: its columns.
        way: the direction in which it is entered.
        turn: where it is left: AHEAD, LEFT or RIGHT of that.
    """

    box: Room
    way: int
    turn: int

    @property
    def column_count(self) -> int:
        """Return how many columns it has along the direction in which it is entered."""
        west, south, east, north = self.box
        return east - west if self.way in (EAST, WEST) else north - south


def lay_out(rooms: int, rng: np.random.Generator) -> tuple[int, int, list[RoomSlot]]:
    """Return width and depth of a plot, and its rooms in the order of the way.

    Args:
        rooms: how many rooms, at most SIDE * SIDE.
        rng: its randomness.
    """
    ways = None
    while ways is None:
        ways = _draw_directions(rooms, rng)
    places = [(0, 0)]
    for way in ways[1:-1]:
        dx, dy, _ = DELTAS[way]
        places.append((places[-1][0] + dx, places[-1][1] + dy))
    west, south = min(x for x, _ in places), min(y for _, y in places)
    places = [(x - west, y - south) for x, y in places]
    columns = [int(rng.choice(LENGTHS)) for _ in range(1 + max(x for x, _ in places))]
    rows = [int(rng.choice(LENGTHS)) for _ in range(1 + max(y for _, y in places))]
    found = []
    for number, (x, y) in enumerate(places):
        left, low = 1 + sum(columns[:x]) + x, 1 + sum(rows[:y]) + y
        box = (left, low, left + columns[x], low + rows[y])
        way, turn = ways[number], (ways[number + 1] - ways[number]) % 4
        found.append(RoomSlot(box, way, turn))
    return sum(columns) + len(columns) + 1, sum(rows) + len(rows) + 1, found


def _draw_directions(rooms: int, rng: np.random.Generator) -> list[int] | None:
    """Return the directions in which rooms are entered, and the one of the last exit.

    None if the way ran into itself.
    """
    ways = [int(rng.choice(LEVEL))]
    places = [(0, 0)]
    while len(places) < rooms:
        free = []
        for way in LEVEL:
            dx, dy, _ = DELTAS[way]
            place = (places[-1][0] + dx, places[-1][1] + dy)
            across = [max(axis) - min(axis) for axis in zip(*places, place, strict=True)]
            if place not in places and max(across) < SIDE:
                free.append((way, place))
        if not free:
            return None
        way, place = free[int(rng.integers(len(free)))]
        # A first room is entered so that one does not leave it where one came in.
        if len(places) == 1:
            ways[0] = [way, (way + 1) % 4, (way + 3) % 4][int(rng.integers(3))]
        ways.append(way)
        places.append(place)
    return [*ways, (ways[-1] + (0, 1, 3)[int(rng.integers(3))]) % 4]


def draw_strips(
    level: int, length: int, rng: np.random.Generator, *, drops: bool = False
) -> tuple[tuple[FloorStrip, ...], bool]:
    """Return strips that fill a length, the first at a level, and whether there is a tower.

    Args:
        level: the height of the first.
        length: columns that they fill.
        rng: the randomness of the chamber.
        drops: whether there must be a height to fall from, if `column_count` is FALLING or more.
    """
    shapes = [
        shape for shape in _SHAPES[level] if sum(_LEAST.get(sign, 2) for sign in shape) <= length
    ]
    high = [shape for shape in shapes if shape.startswith(_DROPS)]
    if drops and high:
        shapes = high
    shape = str(rng.choice(shapes))
    sizes = [_LEAST.get(sign, 2) for sign in shape]
    growing = [place for place, sign in enumerate(shape) if sign != "d"]
    for _ in range(length - sum(sizes)):
        sizes[growing[int(rng.integers(len(growing)))]] += 1
    bands, first = [], 0
    for sign, size in zip(shape, sizes, strict=True):
        level = _LEVELS.get(sign, level)
        bands.append(FloorStrip(first, first + size - 1, level, _SORTS.get(sign, "floor")))
        first += size
    return tuple(bands), shape[0] == "t"
