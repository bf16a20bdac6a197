"""Compute which devices are on in a state, and what follows until the next change.

Sources sense weights, running switches and laser light. Light depends on open doors, and doors
depend on sources. So the computation starts with all devices off and switches them by what the last
round sensed, until a round changes nothing. If devices switch each other on and off for ever, the
state is illegal.
"""

from __future__ import annotations

from facelet.generators.chamber.engine.rays import (
    STOPS,
    Face,
    Link,
    RayPath,
    link_portals,
    trace_ray,
)
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.walkable_regions import WalkableZones

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
