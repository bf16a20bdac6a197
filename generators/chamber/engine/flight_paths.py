"""Compute where falling and thrown things land.

Speed is the height, in cells, that a thing has fallen; a portal preserves it. A thing leaves

- a portal in a wall with speed v > 0 in a parabola: after d cells it is d * d // (4 * v) cells
  lower (range 2 * sqrt(v * k) for a fall of k cells, as in physics); with speed 0 it drops;
- a portal in a ceiling downwards, falling on;
- a portal in a floor upwards, by v cells at most; then the player steps aside onto the highest
  floor in reach. A thing alone falls back in, and so does the player where no floor is in reach;
- a spring as a portal in a floor, but not onto the floor that the step began on;
- a runway as a portal in a wall.

A thing that hits rock sideways drops from there; one that moves down onto something solid or onto a
bridge has landed. Beams catch everything that enters one of their cells and carry it to their end.
The rules depend on heights and distances only, so turning or mirroring a chamber changes nothing.
"""

from __future__ import annotations

from facelet.generators.chamber.engine.active_devices import ActiveDevices
from facelet.generators.chamber.world.chamber_records import DOWN, LEVEL, UP, opposite_direction
from facelet.generators.chamber.world.device_protocol import BOUNCE, ParabolicThrow, RunwaySprint

MOST_HOPS = 12
"""Portals and plates that a flight may take before it is one without an end."""


_BACK = "would fall back down for ever"


class LostInFlight(Exception):  # noqa: N818 - a thing may be so; no program is wrong
    """A flight does not end on anything solid; the message is the reason, in words."""

    def __init__(self, reason: str, *, gone: bool) -> None:
        """Say why.

        Args:
            reason: in words that follow the name of what flies.
            gone: whether the thing is lost for good; otherwise it never comes to rest.
        """
        self.gone = gone
        super().__init__(reason)


class Flight:
    """One flight: its rules, with what they need at hand."""

    __slots__ = ("_alone", "_barred", "_chart", "_from", "_hops", "_layer", "_now")

    def __init__(
        self, now: ActiveDevices, *, alone: bool, burdened: bool, origin: int | None = None
    ) -> None:
        """Prepare it.

        Args:
            now: the situation that it takes place in.
            alone: whether it is a thing without the player.
            burdened: whether it is a thing, or the player with one: shields close to it.
            origin: the area that the step began on, if it began on one.
        """
        self._now = now
        self._chart = now.chart
        self._layer = now.chart.layer
        self._alone = alone
        self._barred = now.chart.screens if burdened else frozenset()
        self._from = origin
        self._hops = 0

    def _is_open(self, cell: int) -> bool:
        return self._now.is_open(cell) and cell not in self._barred

    def fall_from(self, cell: int, speed: int = 0) -> int:
        """Return where it comes to rest when it falls from a cell.

        Args:
            cell: where the fall begins.
            speed: its downward speed there.

        Raises:
            LostInFlight: it never lands.
        """
        now, layer = self._now, self._layer
        if not self._is_open(cell):
            raise LostInFlight("cannot get there", gone=False)
        while cell not in now.rides:
            if cell in now.decks or not self._is_open(cell - layer):
                return self._land_on(cell, speed)
            cell -= layer
            speed += 1
        return now.rides[cell]

    def _land_on(self, cell: int, speed: int) -> int:
        """Return where it comes to rest after it came down on a cell."""
        chart, links = self._chart, self._now.links
        special = chart.special.get(cell)
        through = (cell, DOWN) in links
        if cell in self._now.decks or (special is None and not through):
            return cell
        self._hops += 1
        if self._hops > MOST_HOPS:
            raise LostInFlight("would never come to rest", gone=False)
        if through or special is None:
            return self.leave_portal(links[cell, DOWN], speed)
        if (landing := chart.devices[special].landing_result(chart.fixtures[special])) == "lost":
            raise LostInFlight("would be lost in liquid", gone=True)
        if isinstance(landing, ParabolicThrow):
            return self._throw_from(cell, landing)
        if isinstance(landing, RunwaySprint):
            end = chart.cell_to_number(chart.fixtures[special].cells[-1])
            return self._run_from(cell, end, landing)
        return self._rise_through(cell, speed, self._from) if landing == BOUNCE else cell

    def leave_portal(self, face: tuple[int, int], speed: int) -> int:
        """Return where it comes to rest after it left a portal.

        Args:
            face: the portal's.
            speed: the height that it has fallen before; 0 if it walked in.

        Raises:
            LostInFlight: it never lands.
        """
        cell, direction = face
        if not self._is_open(cell):
            raise LostInFlight("cannot leave the portal", gone=False)
        if direction == UP:
            return self.fall_from(cell, speed)
        if direction == DOWN:
            return self._rise_through(cell, speed)
        return (
            self._fling_from(cell, opposite_direction(direction), speed)
            if speed
            else self.fall_from(cell)
        )

    def _fling_from(self, cell: int, direction: int, speed: int) -> int:
        now, offset = self._now, self._chart.offsets[direction]
        fallen = across = 0
        while cell not in now.rides:
            if not self._is_open(cell + offset):
                return self.fall_from(cell, fallen)
            cell += offset
            across += 1
            while fallen < across * across // (4 * speed) and cell not in now.rides:
                if cell in now.decks or not self._is_open(cell - self._layer):
                    return self._land_on(cell, fallen)
                cell -= self._layer
                fallen += 1
        return now.rides[cell]

    def _throw_from(self, cell: int, throw: ParabolicThrow) -> int:
        now, layer = self._now, self._layer
        offset = self._chart.offsets[throw.direction]
        height = top = across = 0
        while cell not in now.rides:
            across += 1
            wanted = 4 * throw.rise * across * (throw.distance - across) // throw.distance**2
            while height < wanted and cell not in now.rides:
                if not self._is_open(cell + layer):
                    return self.fall_from(cell)
                cell += layer
                height += 1
                top = max(top, height)
            if cell in now.rides:
                break
            if not self._is_open(cell + offset):
                return self.fall_from(cell, top - height)
            cell += offset
            while height > wanted and cell not in now.rides:
                if cell in now.decks or not self._is_open(cell - layer):
                    return self._land_on(cell, top - height)
                cell -= layer
                height -= 1
        return now.rides[cell]

    def _run_from(self, cell: int, end: int, sprint: RunwaySprint) -> int:
        now, offset = self._now, self._chart.offsets[sprint.direction]
        cells = 1
        while cell != end and cell not in now.rides:
            cell += offset
            cells += 1
            if not self._is_open(cell):
                raise LostInFlight("would be stopped on the way", gone=False)
        return self._fling_from(cell, sprint.direction, sprint.faster * cells)

    def _rise_through(self, cell: int, speed: int, barred: int | None = None) -> int:
        """Return where the player steps aside after it came up through or from a floor.

        Args:
            cell: the lowest cell.
            speed: how far it rises at most.
            barred: an area that it does not step onto.
        """
        now, chart, layer = self._now, self._chart, self._layer
        if self._alone:
            raise LostInFlight(_BACK, gone=False)
        reach = 0
        while cell not in now.rides and reach < speed and self._is_open(cell + layer):
            cell += layer
            reach += 1
        if cell in now.rides:
            return now.rides[cell]
        for down in range(reach + 2):
            at = cell - down * layer
            found = {
                beside
                for direction in LEVEL
                if (beside := at + chart.offsets[direction]) in chart.area_of or beside in now.decks
                if self._is_open(beside)
                and (barred is None or chart.area_of.get(beside) != barred)
                # One lower than the floor it came from is as far as one steps down.
                and (down <= reach or self._is_open(beside + layer))
            }
            if found:
                return self._choose_aside(found)
        raise LostInFlight(_BACK, gone=False)

    def _choose_aside(self, found: set[int]) -> int:
        """Return the cell to step to, of several on one height."""
        areas = {self._chart.area_of.get(cell) for cell in found}
        if len(found) > 1 and (len(areas) > 1 or None in areas):
            raise LostInFlight("could land on different floors", gone=False)
        return min(found)
