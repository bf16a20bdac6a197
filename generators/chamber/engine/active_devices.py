"""Compute which devices are on in a state, and what the player can do until the next change.

`WalkableZones` computes which areas, the pieces of floor, are connected by walking. Open doors,
stairs, shields (with empty hands), bridges, and two portals at floor height connect areas. A set of
areas is a bit mask.

`trace_ray` follows rays (light, bridges, carrying beams) cell by cell and through portals.

Sources sense weights, running switches and laser light. Light depends on open doors, and doors
depend on sources. So `ActiveDevices` starts with all devices off and switches them by what the last
round sensed, until a round changes nothing. If devices switch each other on and off for ever, the
state is illegal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from facelet.generators.chamber.engine.state import UNSET, State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.world.chamber_records import LEVEL, opposite_direction


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


MOST_ROUNDS = 64


class NeverAtRest(Exception):  # noqa: N818 - a chamber may be so; no program is wrong
    """Something in a chamber never comes to rest."""


class ActiveDevices:
    """The devices that are on in a state and their effects; see the module.

    Attributes:
        chart: the chart of the chamber.
        links: where the open portals lead.
        on: whether each fixture is on.
        closed: the cells that devices close.
        paths: the rays: their fixture, kind and path.
        watched: the cells that a turret watches.
        decks: the cells of all bridges.
        rides: for the cells of all beams, where they carry what is in them.
    """

    __slots__ = ("_zones", "chart", "closed", "decks", "links", "on", "paths", "rides", "watched")

    def __init__(
        self,
        chart: StaticTables,
        links: Link,
        on: tuple[bool, ...],
        closed: frozenset[int],
        paths: tuple[tuple[int, str, RayPath], ...],
        watched: frozenset[int],
    ) -> None:
        """Gather what the rays do."""
        self.chart = chart
        self.links = links
        self.on = on
        self.closed = closed
        self.paths = paths
        self.watched = watched
        self.decks = frozenset(c for _, kind, path in paths if kind == "bridge" for c in path.cells)
        self.rides: dict[int, int] = {}
        for fixture, kind, path in paths:
            if kind == "beam":
                ray = chart.devices[fixture].emit_ray(chart.fixtures[fixture], on[fixture])
                back = ray is not None and ray.backwards
                end = path.cells[0 if back else -1]
                for cell in path.cells:
                    # Where two beams cross, a thing stays in the crossing.
                    self.rides[cell] = end if self.rides.get(cell, end) == end else cell
        self._zones: dict[bool, WalkableZones] = {}

    def is_open(self, cell: int) -> bool:
        """Return whether a cell is neither rock nor closed."""
        return bool(self.chart.free[cell]) and cell not in self.closed

    def holds_still(self, cell: int) -> bool:
        """Return whether what is in an open cell stays there without a beam."""
        return cell in self.decks or not self.is_open(cell - self.chart.layer)

    def top_cell(self, cell: int) -> int:
        """Return the lowest cell, from this one up, that no device closes."""
        while cell in self.closed:
            cell += self.chart.layer
        return cell

    def walkable_zones(self, burdened: bool) -> WalkableZones:
        """Return the regions that are connected by walking, with a thing in hand or without."""
        if burdened not in self._zones:
            passable = self._passable_cells(burdened)
            self._zones[burdened] = WalkableZones(self.chart, self.closed, self.links, passable)
        return self._zones[burdened]

    def _passable_cells(self, burdened: bool) -> list[int]:
        """Return the cells beyond plain floor that the player may walk over."""
        chart = self.chart
        found = {top for cell in chart.joints if chart.free[top := self.top_cell(cell)]}
        found.update(
            cell for cell in self.decks if cell not in chart.area_of and cell not in chart.special
        )
        found -= self.watched
        return sorted(found - chart.screens if burdened else found)

    def sees_panel(self, origin: int, panel: int) -> bool:
        """Return whether a panel is seen from a player's cell, or from somewhere in its area."""
        if (area := self.chart.area_of.get(origin)) is None:
            line = self.chart.sight_line(origin, panel)
            return line is not None and line.isdisjoint(self.closed)
        return any(way.isdisjoint(self.closed) for way in self.chart.area_sight_lines(area, panel))


class SituationCache:
    """The situations of a chamber's states, each worked out once."""

    def __init__(self, chart: StaticTables) -> None:
        """Begin with none."""
        self.chart = chart
        pairs = list(zip(chart.fixtures, chart.devices, strict=True))
        self._sources = tuple(
            (i, kind.senses, (chart.cell_to_number(f.first_cell), f.facing))
            for i, (f, kind) in enumerate(pairs)
            if kind.senses
        )
        self._felt = frozenset(
            chart.cell_to_number(f.first_cell)
            for f, kind in pairs
            if kind.senses and kind.is_special(f)
        )
        self._turning = tuple(chart.devices[i].turns for i in chart.things)
        self._known: dict[object, ActiveDevices] = {}
        self._same: dict[object, ActiveDevices] = {}
        self._last: tuple[State, ActiveDevices] | None = None

    def situation_in(self, state: State) -> ActiveDevices:
        """Return the situation in a state.

        Raises:
            NeverAtRest: its devices switch each other on and off for ever.
        """
        last = self._last
        if last is not None and last[0] is state:
            return last[1]
        felt = self._felt
        weights = tuple([c for c in (state.player, *state.things) if c in felt])
        running = tuple([timer > 0 for timer in state.timers])
        lying = self.chart.lasers or self.chart.watchers
        seen = (state.things, state.facings) if lying else None
        key = (weights, running, state.portals, seen)
        if (found := self._known.get(key)) is None:
            found = self._settle_devices(frozenset(weights), state)
            # What things lie where no ray passes makes no difference: equal ones are one object.
            content = (found.on, found.paths, state.portals, found.watched)
            found = self._known[key] = self._same.setdefault(content, found)
        self._last = (state, found)
        return found

    def _settle_devices(self, weights: frozenset[int], state: State) -> ActiveDevices:
        on = (False,) * len(self.chart.fixtures)
        seen: set[tuple[bool, ...]] = set()
        while on not in seen:
            if len(seen) == MOST_ROUNDS:
                break
            seen.add(on)
            now = self._derive_situation(on, state)
            lit = {path.end for _, kind, path in now.paths if kind == "laser"}
            before, on = on, self._driven_fixtures(weights, state.timers, lit)
            if on == before:
                return now
        raise NeverAtRest("the devices of the chamber switch each other on and off for ever")

    def _driven_fixtures(
        self, weights: frozenset[int], timers: tuple[int, ...], lit: set[Face | None]
    ) -> tuple[bool, ...]:
        """Return which fixtures are on after a round.

        Args:
            weights: cells of sources with a thing or the player in them.
            timers: how long each switch still stays on.
            lit: faces in which lasers end.
        """
        chart = self.chart
        on = [True] * len(chart.fixtures)
        for i, sense, face in self._sources:
            if sense == "weight":
                on[i] = face[0] in weights
            elif sense == "time":
                on[i] = timers[chart.switch[chart.fixtures[i].name]] > 0
            else:
                on[i] = face in lit
        for i, inputs in enumerate(chart.inputs):
            if inputs:
                on[i] = all(on[j] for j in inputs)
        return tuple(on)

    def _derive_situation(self, on: tuple[bool, ...], state: State) -> ActiveDevices:
        """Return what follows from which fixtures are on."""
        chart = self.chart
        closed = frozenset(
            chart.cell_to_number(cell)
            for i, (fixture, kind) in enumerate(zip(chart.fixtures, chart.devices, strict=True))
            for cell in kind.solid_cells(fixture, on[i])
        )
        links = link_portals(chart, state.portals)
        things = {
            cell: facing if turns else STOPS
            for cell, facing, turns in zip(state.things, state.facings, self._turning, strict=True)
            if cell >= 0
        }
        paths = []
        for i, cell, direction in chart.emitters:
            if (ray := chart.devices[i].emit_ray(chart.fixtures[i], on[i])) is not None:
                matter = things if ray.kind == "laser" else {}
                path = trace_ray(chart, links, closed, (cell, direction), matter)
                if path.cells:
                    paths.append((i, ray.kind, path))
        watched = self._list_watched_cells(on, closed, frozenset(state.things))
        return ActiveDevices(chart, links, on, closed, tuple(paths), watched)

    def _list_watched_cells(
        self, on: tuple[bool, ...], closed: frozenset[int], lying: frozenset[int]
    ) -> frozenset[int]:
        """Return the cells that are seen by what watches.

        Args:
            on: whether each fixture is on.
            closed: the cells that devices close.
            lying: the cells in which things lie.
        """
        chart = self.chart
        found: set[int] = set()
        for i in chart.watchers:
            for cell in map(
                chart.cell_to_number, chart.devices[i].list_watched_cells(chart.fixtures[i], on[i])
            ):
                if cell in closed or cell in lying:
                    break
                found.add(cell)
        return frozenset(found)
