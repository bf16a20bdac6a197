"""Choose the viewpoints of a room so that everything named in it is visible.

The first two views are from opposite corners. Each further view is the one that shows most of the
points that are still unseen. Views are added until no viewpoint shows another unseen point.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, pi, radians

from facelet.generators.chamber.world.chamber_records import Room
from facelet.generators.chamber.world.grid import Cell
from facelet.renderers.scenes.chamber import EYE, ChamberEye

Point = tuple[float, float, float]

MOST = 8
"""Views of a room at most."""
HALF = 42.0
"""Degrees to either side in which a view shows something well."""
STEEP = 33.0
"""Degrees above and below the middle in which it does."""
TILTS = (-14, 26)
"""Degrees up that eyes look."""
NEAR = 1.3
"""Cells from which on it does."""
CLEAR = 0.05
"""Cells to either side of a line of sight that stay free, so that no pixel of an edge is hit."""
LAST = 0.35
"""Cells before its end from which on nothing hides what it leads to; the painter names it then."""
_STEP = 0.1
_WAYS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")


def choose_viewpoints(
    box: Room, floor: Sequence[tuple[Cell, str]], marks: Sequence[Point], rock: Sequence[Cell]
) -> tuple[ChamberEye, ...]:
    """Return the views of a room.

    Args:
        box: the room's columns.
        floor: cells of plain floor, each with the name of its floor.
        marks: points that are to be seen.
        rock: the cells that hide what is behind them; all others of the room are free.
    """
    closed = frozenset(rock)
    west, south, east, north = box
    middle = ((west + east) / 2, (south + north) / 2)
    first = [
        min(floor, key=lambda at: (abs(at[0][0] - x) + abs(at[0][1] - y), at))
        for x, y in ((west, south), (east - 1, north - 1))
    ]
    chosen = [
        _make_viewpoint(place, _yaw_to_middle(place[0], middle)) for place in dict.fromkeys(first)
    ]
    unseen = [mark for mark in marks if not any(is_in_view(eye, mark, closed) for eye in chosen)]
    every = [
        _make_viewpoint(place, yaw, up)
        for up in TILTS
        for place in floor
        for yaw in range(0, 360, 45)
    ]
    while unseen and len(chosen) < MOST:
        best = max(every, key=lambda eye: sum(is_in_view(eye, mark, closed) for mark in unseen))
        left = [mark for mark in unseen if not is_in_view(best, mark, closed)]
        if len(left) == len(unseen):
            break
        chosen.append(best)
        unseen = left
    return tuple(chosen)


def _yaw_to_middle(cell: Cell, middle: tuple[float, float]) -> int:
    """Return the direction to the middle of a room, in degrees."""
    angle = degrees(atan2(middle[1] - cell[1] - 0.5, middle[0] - cell[0] - 0.5))
    return round(angle / 5) * 5 % 360


def _make_viewpoint(place: tuple[Cell, str], yaw: int, tilt: int = TILTS[0]) -> ChamberEye:
    way = f"{'up ' if tilt > 0 else ''}{_WAYS[round(yaw / 45) % 8]}"
    return ChamberEye(place[0], yaw, f"From floor {place[1]}, looking {way}", tilt)


def is_in_view(eye: ChamberEye, mark: Point, closed: frozenset[Cell]) -> bool:
    """Return whether a point is well in view, with nothing between.

    Args:
        eye: the viewpoint.
        mark: the point.
        closed: the cells that hide what is behind them; the one with the point hides nothing.
    """
    at = (eye.cell[0] + 0.5, eye.cell[1] + 0.5, eye.cell[2] + EYE)
    away = [there - here for there, here in zip(mark, at, strict=True)]
    if (flat := (away[0] ** 2 + away[1] ** 2) ** 0.5) < NEAR:
        return False
    turn = atan2(away[1], away[0]) - radians(eye.yaw)
    turn = (turn + pi) % (2 * pi) - pi
    rise = degrees(atan2(away[2], flat * max(cos(turn), 0.01)))
    if abs(degrees(turn)) > HALF or abs(rise - eye.tilt) > STEEP:
        return False
    own = (int(mark[0]), int(mark[1]), int(mark[2]))
    across = (-away[1] / flat * CLEAR, away[0] / flat * CLEAR)
    far = (flat**2 + away[2] ** 2) ** 0.5
    parts = [_STEP * part / far for part in range(int((far - LAST) / _STEP) + 1)]
    for side in (0, -1, 1):
        east, north = away[0] + side * across[0], away[1] + side * across[1]
        for part in parts:
            x, y, z = at[0] + east * part, at[1] + north * part, at[2] + away[2] * part
            cell = (int(x), int(y), int(z))
            if cell in closed and cell != own:
                return False
    return True
