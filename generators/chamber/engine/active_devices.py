"""The situation: which devices are on in a state, and what follows from it until the next change.

Sources sense weights, running switches and laser light; light depends on which doors are open, and
doors on sources. So all devices begin off, and are switched by what the last round sensed until a
round changes nothing. Devices that chase each other for ever leave a chamber without a situation.
"""

from __future__ import annotations

from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rays import STOPS, Face, Link, Path, link, trace
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.walking import Zones

MOST_ROUNDS = 64


class Restless(Exception):  # noqa: N818 - a chamber may be so; no program is wrong
    """Something in a chamber never comes to rest."""


class Situation:
    """What holds in a state; see the module.

    Attributes:
        chart: the chart of the chamber.
        links: where the open portals lead.
        on: whether each fixture is on.
        closed: the cells that devices close.
        paths: the rays: their fixture, kind and path.
        watched: the cells in which nobody walks who is seen there.
        decks: the cells of all bridges.
        rides: for the cells of all beams, where they carry what is in them.
    """

    __slots__ = ("_zones", "chart", "closed", "decks", "links", "on", "paths", "rides", "watched")

    def __init__(
        self,
        chart: Chart,
        links: Link,
        on: tuple[bool, ...],
        closed: frozenset[int],
        paths: tuple[tuple[int, str, Path], ...],
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
                ray = chart.devices[fixture].ray(chart.fixtures[fixture], on[fixture])
                back = ray is not None and ray.backwards
                end = path.cells[0 if back else -1]
                for cell in path.cells:
                    # Where two beams cross, what comes there is held.
                    self.rides[cell] = end if self.rides.get(cell, end) == end else cell
        self._zones: dict[bool, Zones] = {}

    def open(self, cell: int) -> bool:
        """Return whether a cell is neither rock nor closed."""
        return bool(self.chart.free[cell]) and cell not in self.closed

    def holds(self, cell: int) -> bool:
        """Return whether what is in an open cell stays there without a beam."""
        return cell in self.decks or not self.open(cell - self.chart.layer)

    def top(self, cell: int) -> int:
        """Return the lowest cell, from this one up, that no device closes."""
        while cell in self.closed:
            cell += self.chart.layer
        return cell

    def zones(self, burdened: bool) -> Zones:
        """Return where one can walk to, with a thing in hand or without."""
        found = self._zones.get(burdened)
        if found is None:
            found = Zones(self.chart, self.closed, self.links, self._passable(burdened))
            self._zones[burdened] = found
        return found

    def _passable(self, burdened: bool) -> list[int]:
        """Return the cells beyond plain floor that one may walk over."""
        chart = self.chart
        found = {top for cell in chart.joints if chart.free[top := self.top(cell)]}
        found.update(
            cell for cell in self.decks if cell not in chart.area_of and cell not in chart.special
        )
        found -= self.watched
        return sorted(found - chart.screens if burdened else found)

    def sees(self, origin: int, panel: int) -> bool:
        """Return whether a panel is seen from a player's cell, or from somewhere in its area."""
        area = self.chart.area_of.get(origin)
        if area is None:
            line = self.chart.line(origin, panel)
            return line is not None and line.isdisjoint(self.closed)
        return any(way.isdisjoint(self.closed) for way in self.chart.sights(area, panel))


class Situations:
    """The situations of a chamber's states, each worked out once."""

    def __init__(self, chart: Chart) -> None:
        """Begin with none."""
        self.chart = chart
        pairs = list(zip(chart.fixtures, chart.devices, strict=True))
        self._sources = tuple(
            (i, kind.senses, (chart.cell(f.cell), f.facing))
            for i, (f, kind) in enumerate(pairs)
            if kind.source
        )
        self._felt = frozenset(
            chart.cell(f.cell) for f, kind in pairs if kind.source and kind.special(f)
        )
        self._turning = tuple(chart.devices[i].turns for i in chart.things)
        self._known: dict[object, Situation] = {}
        self._same: dict[object, Situation] = {}
        self._last: tuple[State, Situation] | None = None

    def of(self, state: State) -> Situation:
        """Return the situation in a state.

        Raises:
            Restless: it has none.
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
        found = self._known.get(key)
        if found is None:
            found = self._settled(frozenset(weights), state)
            # What things lie where no ray passes makes no difference: equal ones are one object.
            content = (found.on, found.paths, state.portals, found.watched)
            found = self._known[key] = self._same.setdefault(content, found)
        self._last = (state, found)
        return found

    def _settled(self, weights: frozenset[int], state: State) -> Situation:
        on = (False,) * len(self.chart.fixtures)
        seen: set[tuple[bool, ...]] = set()
        while on not in seen:
            if len(seen) == MOST_ROUNDS:
                break
            seen.add(on)
            now = self._switched(on, state)
            lit = {path.end for _, kind, path in now.paths if kind == "laser"}
            before, on = on, self._driven(weights, state.timers, lit)
            if on == before:
                return now
        raise Restless("the devices of the chamber switch each other on and off for ever")

    def _driven(
        self, weights: frozenset[int], timers: tuple[int, ...], lit: set[Face | None]
    ) -> tuple[bool, ...]:
        """Return which fixtures are on after a round.

        Args:
            weights: cells of sources in which a thing lies or the player stands.
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

    def _switched(self, on: tuple[bool, ...], state: State) -> Situation:
        """Return what follows from which fixtures are on."""
        chart = self.chart
        closed = frozenset(
            chart.cell(cell)
            for i, (fixture, kind) in enumerate(zip(chart.fixtures, chart.devices, strict=True))
            for cell in kind.solid(fixture, on[i])
        )
        links = link(chart, state.portals)
        things = {
            cell: facing if turns else STOPS
            for cell, facing, turns in zip(state.things, state.facings, self._turning, strict=True)
            if cell >= 0
        }
        paths = []
        for i, cell, direction in chart.emitters:
            ray = chart.devices[i].ray(chart.fixtures[i], on[i])
            if ray is not None:
                matter = things if ray.kind == "laser" else {}
                path = trace(chart, links, closed, (cell, direction), matter)
                if path.cells:
                    paths.append((i, ray.kind, path))
        watched = self._watched(on, closed, frozenset(state.things))
        return Situation(chart, links, on, closed, tuple(paths), watched)

    def _watched(
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
            for cell in map(chart.cell, chart.devices[i].watch(chart.fixtures[i], on[i])):
                if cell in closed or cell in lying:
                    break
                found.add(cell)
        return frozenset(found)
