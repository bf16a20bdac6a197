"""Trace rays (light, bridges, carrying beams) cell by cell and through portals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from facelet.generators.chamber.engine.state import UNSET
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.grid import opposite_direction

Face = tuple[int, int]
"""A face of a cell: the cell's number and the direction of the face."""
Link = dict[Face, Face]
"""Where the portals lead: from the face of each to that of the other."""
STOPS = -1
"""The facing of a thing that a laser ends on."""


class RayPath(NamedTuple):
    """The way of a ray.

    Attributes:
        cells: the cells that it passes through, in order.
        end: the face in which it ends; None if it ends on a thing, or in itself.
    """

    cells: tuple[int, ...]
    end: Face | None


def link_portals(chart: StaticTables, portals: tuple[int, int]) -> Link:
    """Return where portals lead: nowhere unless both are shot."""
    blue, orange = portals
    if UNSET in portals:
        return {}
    return {chart.face[blue]: chart.face[orange], chart.face[orange]: chart.face[blue]}


def trace_ray(
    chart: StaticTables, links: Link, closed: frozenset[int], begin: Face, things: Mapping[int, int]
) -> RayPath:
    """Return the way of a ray.

    Args:
        chart: the chart.
        links: where the portals lead.
        closed: cells that devices close.
        begin: its first cell and its direction.
        things: for every cell with a thing that matters to the ray, the thing's facing, or STOPS.
    """
    free, offsets = chart.free, chart.offsets
    cell, direction = begin
    cells: list[int] = []
    seen: set[Face] = set()
    while cell not in closed:
        if (cell, direction) in seen:
            return RayPath(tuple(cells), None)
        seen.add((cell, direction))
        cells.append(cell)
        if cell in things:
            if (facing := things[cell]) == STOPS:
                return RayPath(tuple(cells), None)
            direction = facing
        ahead = cell + offsets[direction]
        if free[ahead]:
            if ahead in closed:
                break
            cell = ahead
        elif (cell, direction) in links:
            cell, out = links[cell, direction]
            direction = opposite_direction(out)
        else:
            break
    return RayPath(tuple(cells), (cell, direction))
