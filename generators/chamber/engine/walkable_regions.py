"""Compute which pieces of floor are connected by walking in a state.

Open doors, stairs, shields (with empty hands), bridges, and two portals at floor height connect
areas. A set of areas is a bit mask.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.chamber.engine.rays import Link
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.grid import LEVEL


class WalkableZones:
    """Which areas are joined.

    Attributes:
        of: for every area the set of areas that are connected to it, itself included.
    """

    __slots__ = ("_around", "_chart", "_closed", "_clumps", "_joined", "of")

    def __init__(
        self, chart: StaticTables, closed: frozenset[int], links: Link, passable: Sequence[int]
    ) -> None:
        """Join what is joined.

        Args:
            chart: the chart.
            closed: cells that devices close.
            links: where the portals lead.
            passable: cells beyond plain floor that the player may walk over.
        """
        self._chart = chart
        self._closed = closed
        self.of = [1 << area for area in range(len(chart.areas))]
        self._joined: dict[int, int] = {}
        self._clumps: dict[int, list[int]] = {}
        self._around: dict[int, int] = {}
        for cell in passable:
            if cell not in self._joined:
                self._join_clump(cell, passable)
        if links and all(facing in LEVEL for _, facing in links):
            one, other = (self._areas_at_portal(cell) for cell, _ in links)
            if one is not None and other is not None:
                self._join_areas(one | other)
                for cell, _ in links:
                    self._joined |= dict.fromkeys(self._clumps.get(cell, ()), one | other)

    def _areas_at_portal(self, cell: int) -> int | None:
        """Return the areas at one end of a portal; None if one cannot walk into it."""
        area = self._chart.area_of.get(cell)
        return self._joined.get(cell) if area is None else 1 << area

    def _join_clump(self, first: int, passable: Sequence[int]) -> None:
        """Join the areas around cells that touch each other."""
        mask, found = 0, [first]
        self._joined[first] = 0
        for cell in found:
            mask |= self._neighbour_area_mask(cell)
            for other in passable:
                if other not in self._joined and self._are_adjacent(cell, other):
                    self._joined[other] = 0
                    found.append(other)
        self._joined |= dict.fromkeys(found, mask)
        self._clumps |= dict.fromkeys(found, found)
        self._join_areas(mask)

    def _neighbour_area_mask(self, cell: int) -> int:
        mask = 0
        for area, height in self._chart.neighbour_areas(cell):
            if height <= 1:
                mask |= 1 << area
        return mask

    def _join_areas(self, mask: int) -> None:
        whole = self._find_connected_areas(mask)
        for area in range(len(self.of)):
            if whole >> area & 1:
                self.of[area] = whole

    def _find_connected_areas(self, mask: int) -> int:
        """Return all areas that are connected to some areas."""
        whole = 0
        for area, zone in enumerate(self.of):
            if mask >> area & 1:
                whole |= zone
        return whole

    def _are_adjacent(self, one: int, other: int) -> bool:
        """Return whether the player can step between two cells that are no plain floor."""
        layer, wide = self._chart.layer, self._chart.wide
        (z, column), (w, beside) = divmod(one, layer), divmod(other, layer)
        across = abs(column % wide - beside % wide) + abs(column // wide - beside // wide)
        if across != 1 or abs(z - w) > 1:
            return False
        above = min(one, other) + layer
        return z == w or (bool(self._chart.free[above]) and above not in self._closed)

    def reachable_from(self, cell: int) -> int:
        """Return the areas that a player can walk to from a cell."""
        if (area := self._chart.area_of.get(cell)) is not None:
            return self.of[area]
        if cell not in self._around:
            self._around[cell] = self._find_reached_areas(cell)
        return self._around[cell]

    def _find_reached_areas(self, cell: int) -> int:
        mask = self._neighbour_area_mask(cell) | self._joined.get(cell, 0)
        for other, joined in self._joined.items():
            if self._are_adjacent(cell, other):
                mask |= joined
        return self._find_connected_areas(mask)
