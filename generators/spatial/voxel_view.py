"""Certificates of pictures of solids: which cubes the view of renderers.scenes.voxels shows.

Each face that may be seen has a square of points. A point is seen if no cube lies on the line from
it to the eye; lines are followed exactly, in whole numbers. Since the view is generic, what is seen
of a cube shows its cell. So a picture in which all of the stated number of cubes are seen belongs
to one solid, up to a shift.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import floor

from facelet.generators.spatial.polycubes import Cell, Solid
from facelet.renderers.scenes.voxels import SPAN, TOWARDS_EYE

FINENESS = 4
"""Points along an edge of a face; a cube has a square of them on each face towards the eye."""
LEAST_SEEN = 6
"""Points that a cube must show to be read: an eighth of its faces."""
_SIDE = 32
"""Places along an axis in a bit pattern; more than a line of sight of a solid ever reaches."""


def count_seen_points(cells: Sequence[Cell]) -> list[int]:
    """Return how many points of each cube are seen."""
    lines = _sight_lines()
    places = [x + _SIDE * (y + _SIDE * z) for x, y, z in cells]
    filled = 0
    for place in places:
        filled |= 1 << place
    return [sum(not filled & line << place for line in lines) for place in places]


@lru_cache(maxsize=1 << 15)
def shows_every_cube(cells: Solid) -> bool:
    """Return whether the picture of a solid proves it, given the number of its cubes."""
    return min(count_seen_points(cells)) >= LEAST_SEEN


@lru_cache(maxsize=1)
def _sight_lines() -> tuple[int, ...]:
    """Return the bit patterns of the cells between each point of the cube 0, 0, 0 and the eye."""
    steps = [Fraction(2 * place + 1, 2 * FINENESS) for place in range(FINENESS)]
    one = Fraction(1)
    return tuple(
        _trace_line([*(across, down)[:axis], one, *(across, down)[axis:]])
        for axis in range(3)
        for across in steps
        for down in steps
    )


def _trace_line(start: Sequence[Fraction]) -> int:
    crossings = sorted(
        {
            (wall - at) / speed
            for at, speed in zip(start, TOWARDS_EYE, strict=True)
            for wall in range(1, SPAN + 1)
            if wall >= at
        }
    )
    line = 0
    for before, after in pairwise(crossings):
        middle = (before + after) / 2
        x, y, z = (floor(at + middle * speed) for at, speed in zip(start, TOWARDS_EYE, strict=True))
        if max(x, y, z) < SPAN:
            line |= 1 << x + _SIDE * (y + _SIDE * z)
    return line
