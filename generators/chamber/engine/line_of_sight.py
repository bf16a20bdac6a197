"""Trace the straight line from the middle of a cell to the middle of a face, in integers.

A panel is visible from a cell in front of it if the line passes only through the insides of open
cells; it may graze edges and corners, unless a reading forbids it. Coordinates are doubled, so
that middles are integers and borders are even.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from facelet.generators.chamber.world.grid import DELTAS, Cell


def is_in_front(cell: Cell, target: Cell, direction: int) -> bool:
    """Return whether a cell is in front of a face.

    Args:
        cell: where the eye is.
        target: the cell that the face belongs to.
        direction: which of its faces.
    """
    axis = next(axis for axis, part in enumerate(DELTAS[direction]) if part)
    # The border of the target cell on the side of the face, as seen along the face's direction.
    ahead = (target[axis] - cell[axis]) * DELTAS[direction][axis]
    return ahead >= 0


def cells_between(
    cell: Cell, target: Cell, direction: int, *, touched: bool = False
) -> Iterator[Cell]:
    """Yield the cells that the line from a cell to a face in front passes through, both ends in.

    Args:
        cell: where the eye is.
        target: the cell that the face belongs to.
        direction: which of its faces.
        touched: whether to yield those as well of which it touches an edge or a corner only.
    """
    spans = [
        2 * (there - here) + part
        for here, there, part in zip(cell, target, DELTAS[direction], strict=True)
    ]
    whole = 1
    for span in spans:
        whole *= abs(span) or 1
    # Times at which the line crosses the next border on each axis, over one common denominator.
    units = [whole // abs(span) if span else 0 for span in spans]
    signs = [(span > 0) - (span < 0) for span in spans]
    after = [unit if unit else whole for unit in units]
    place = list(cell)
    yield cell
    while (time := min(after)) < whole:
        crossed = [axis for axis in range(3) if after[axis] == time]
        for count in range(1, len(crossed) if touched else 1):
            for some in combinations(crossed, count):
                x, y, z = (part + signs[k] * (k in some) for k, part in enumerate(place))
                yield x, y, z
        for axis in crossed:
            place[axis] += signs[axis]
            after[axis] += 2 * units[axis]
        yield place[0], place[1], place[2]
