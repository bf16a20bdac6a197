"""Place locks, keys, weights and rays on the grid of a chamber under construction.

The abstract classes are the roles that kinds of devices can have in a composition: a device module
derives its class from one of them. `homes` are the strips that the player can be in at this point
of the composition, the latest last; keys are placed there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelet.generators.chamber.composition.rock_grid import Face, FloorStrip, RockGrid
from facelet.generators.chamber.composition.room_builder import RoomSite
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.chamber.world.grid import Cell, opposite_direction
from facelet.generators.core.task import Reject

_CHANGING = (
    *("_floors", "_ceilings", "rooms", "doorways", "fixtures", "taken", "faces"),
    *("homes", "past", "early", "sites"),
)
"""Attributes of a plot that change while a chamber is composed."""


@dataclass(frozen=True, slots=True)
class ChamberAims:
    """What a chamber is to need; its proof is sought afterwards.

    Attributes:
        momentum: a way through portals that speed is needed for; one room is built for it.
        early: fewest steps with sources in earlier places; a plan without them fails later.
    """

    momentum: bool = False
    early: int = 0


NO_AIMS = ChamberAims()


class ChamberPlot(RockGrid):
    """A chamber under construction; see the module.

    Attributes:
        kinds: the kinds of devices that may be used.
        locks, supplies, crossings, guards, covers: the devices of these kinds, by their roles.
        portals: whether portals may be counted on.
        aims: what the chamber is to need.
        swift: whether the room that is being built is the one that speed is needed in.
        homes: the rooms and strips that can be reached by now.
        past: earlier homes without an early source, stage by stage; the player may be unable to
            return there.
        early: how many steps with sources in earlier homes show late if they are mistaken.
        sites: the rooms that have been begun.
    """

    def __init__(
        self,
        wide: int,
        deep: int,
        rng: np.random.Generator,
        kinds: Sequence[str],
        *,
        portals: bool = True,
        aims: ChamberAims = NO_AIMS,
    ) -> None:
        """Begin with solid rock.

        Args:
            wide: columns from west to east.
            deep: columns from south to north.
            rng: the randomness of the chamber.
            kinds: the kinds of devices that may be used.
            portals: whether portals may be counted on.
            aims: what the chamber is to need.
        """
        super().__init__(wide, deep, rng)
        self.kinds = tuple(kinds)
        devices = [find_device(kind) for kind in kinds]
        self.locks = [device for device in devices if isinstance(device, Lock)]
        self.supplies = [device for device in devices if isinstance(device, Supply)]
        self.crossings = [device for device in devices if isinstance(device, Crossing)]
        self.guards = [device for device in devices if isinstance(device, Guard)]
        self.covers = [device for device in devices if isinstance(device, PanelCover)]
        self.portals = portals
        self.aims = aims
        self.swift = False
        self.homes: list[tuple[RoomSite, FloorStrip]] = []
        self.past: list[list[tuple[RoomSite, FloorStrip]]] = []
        self.early = 0
        self.sites: list[RoomSite] = []

    def save_state(self) -> dict[str, Any]:
        """Return a copy of everything that changes, for `restore_state`."""
        return {name: copy(getattr(self, name)) for name in _CHANGING}

    def restore_state(self, saved: dict[str, Any]) -> None:
        """Undo all changes since a call of `save_state`; the randomness goes on.

        Args:
            saved: what `save_state` returned; it is not changed.
        """
        for name, value in saved.items():
            setattr(self, name, copy(value))

    def draw_inputs(self) -> tuple[str, ...]:
        """Return new sources that the player can turn on by now; mostly one, sometimes two.

        Some must be turned on before the player went on to where it is; see `Lock.early`.
        """
        keys: list[str] = []
        while self.lacks_early() and (not keys or self.draw_chance(60)):
            keys += self._early_keys()
        if not keys or self.draw_chance(20):
            keys.append(self.draw_source())
        return tuple(dict.fromkeys(keys))

    def lacks_early(self) -> bool:
        """Return whether a source in an earlier place is wanted, and there is such a place."""
        return bool(self.past) and self.early < self.aims.early

    def draw_source(self) -> str:
        """Return a new source that the player can turn on by now.

        Raises:
            Reject: there is no room for it.
        """
        for kind in self.shuffle_items(self.locks):
            with suppress(Reject):
                return kind.place_key(self)
        raise Reject("there is no room for a source")

    def _early_keys(self) -> tuple[str, ...]:
        """Return new sources that stay on, in a place that the player has been to before.

        The earliest place is used first, and each place only once: the steps in one place could be
        done in any order.
        """
        locks = self.shuffle_items(self.locks)
        now = self.homes
        try:
            for homes in list(self.past):
                self.homes = homes
                for kind in locks:
                    with suppress(Reject):
                        keys = kind.place_early_keys(self)
                        self.past.remove(self.homes)
                        self.early += kind.late
                        return keys
        finally:
            self.homes = now
        raise Reject("there is no room for an early source")

    def mark_passed(self) -> None:
        """Note that the player may not get back to where it was."""
        if self.homes:
            self.past.append(self.homes)
        self.homes = []

    def place_weight(self) -> None:
        """Give the player something to weigh down a button with.

        Raises:
            Reject: there is no room for it.
        """
        self.draw_one(self.supplies).place_supply(self)

    def place_ray_source(self, kind: str, height: int, numbers: Sequence[int] = ()) -> None:
        """Put a source of rays that ends on a panel, above the floor.

        Args:
            kind: the kind of the source.
            height: how far above the floor, at least.
            numbers: its figures.

        Raises:
            Reject: there is no room for it.
        """
        site, band = self.draw_reachable_strip()
        for cell, back in site.free_wall_faces(band, (height, height + 1)):
            way = opposite_direction(back)
            end = (self.cells_to_rock(cell, way)[-1], way)
            if self.is_line_clear(cell, back) and end not in self.faces:
                self.faces.add((cell, back))
                self.add_fixture(kind, (cell,), way, numbers=numbers)
                self.on_face("panel", end)
                return
        raise Reject("no line is free")

    def place_idle_ray(self, site: RoomSite, band: FloorStrip, source: str) -> None:
        """Let a source drive a ray above a floor, so that it does not look idle."""
        kinds = [kind for kind in ("beam", "bridge", "laser") if kind in self.kinds]
        faces = [
            face for face in site.free_wall_faces(band, range(2, 4)) if self.is_line_clear(*face)
        ]
        if kinds and faces:
            kind, (cell, back) = self.draw_one(kinds), self.draw_one(faces)
            self.faces.add((cell, back))
            numbers = (0,) if kind == "beam" else ()
            self.add_fixture(
                kind, (cell,), opposite_direction(back), inputs=(source,), numbers=numbers
            )

    def draw_reachable_strip(self) -> tuple[RoomSite, FloorStrip]:
        """Return a band that can be reached by now, rather a late one."""
        count = len(self.homes)
        return self.homes[max(self.draw_number(0, count - 1), self.draw_number(0, count - 1))]

    def draw_floor_cell(self) -> Cell:
        """Return a free floor cell that can be reached by now."""
        site, band = self.draw_reachable_strip()
        return self.draw_one(site.free_cells(band))


# Every method below raises Reject if there is no room.


class Lock(Device, ABC):
    """A kind of source that can lock a chamber's way.

    Attributes:
        late: how many steps of `place_early_keys` have mistakes that show late.
    """

    late = 1

    @abstractmethod
    def place_early_keys(self, plot: ChamberPlot) -> tuple[str, ...]:
        """Build sources that stay on, which the player must turn on before it goes on."""

    @abstractmethod
    def place_key(self, plot: ChamberPlot) -> str:
        """Build a source that the player can turn on by now, and return its name."""


class Supply(Device, ABC):
    """A kind that gives weights."""

    @abstractmethod
    def place_supply(self, plot: ChamberPlot) -> None:
        """Build something that gives the player a thing to weigh down a button with."""


class Crossing(Device, ABC):
    """A kind that leads across a room.

    Attributes:
        seldom: whether few strips suit it, so that it is often tried first.
    """

    seldom = False

    @abstractmethod
    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Build a way from one strip of a room to another; return whether one was found.

        Args:
            plot: the chamber.
            site: the room.
            near: the strip that the player can be in.
            far: the strip that it cannot get to yet.
        """


class Guard(Device, ABC):
    """A kind that can replace a wall with a door."""

    @abstractmethod
    def build_guard(self, plot: ChamberPlot, site: RoomSite, wall: FloorStrip) -> bool:
        """Build what keeps the player from one side of a row to the other; return whether it could.

        Args:
            plot: the chamber.
            site: the room.
            wall: the row, which is rock so far.
        """


class PanelCover(Device, ABC):
    """A kind that can hide a panel until its sources are on."""

    @abstractmethod
    def hide_panel(self, plot: ChamberPlot, face: Face) -> None:
        """Hide a panel, if that suits the panel's face."""
