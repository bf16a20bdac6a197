"""A chamber under construction: its rock, its rooms, and the roles that devices can have in it.

`RockGrid` carves rooms into solid rock and records where fixtures are placed. A room is built in a
frame of its own: u runs ahead, in the direction in which the player crosses the room, from 0 at the
wall of the entrance; v runs to the left of it. A strip of a room spans its whole width at one
height. `RoomSite` carves one room and finds free places in it, in that frame.

`ChamberPlot` places locks, keys, weights and rays. The abstract classes at the end are the roles
that kinds of devices can have in a composition: a device module derives its class from one of them.
`homes` are the strips that the player can be in at this point of the composition, the latest last;
keys are placed there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from facelet.generators.chamber.world.chamber_records import (
    BACK,
    DOWN,
    EAST,
    LEVEL,
    NORTH,
    NOWHERE,
    UP,
    WEST,
    Cell,
    Chamber,
    Fixture,
    Room,
    opposite_direction,
    sort_fixtures,
    step_cell,
)
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.core.task import Reject

T = TypeVar("T")
Sort = Literal["floor", "pool", "wall"]
Face = tuple[Cell, int]

HIGH = 8
"""Cells from bottom to top."""
POOL, LOW, LEDGE = 0, 1, 4
"""Heights of floors: of liquid, of most rooms, and of what is too high to climb."""


@dataclass(frozen=True, slots=True)
class FloorStrip:
    """A strip of a room: columns from u = `first` to `last`, both inclusive, at one height.

    Attributes:
        first: its first u.
        last: its last u.
        level: the height of its floor.
        sort: a floor, a pool of liquid, or a wall with a doorway in it.
    """

    first: int
    last: int
    level: int
    sort: Sort = "floor"


class RockGrid:
    """Rock with rooms and fixtures in it; see the module.

    Attributes:
        rng: the randomness of the chamber.
        size: its size.
        rooms: the boxes of its rooms.
        doorways: the columns of walls that are open, at the height of their floor.
        fixtures: the fixtures so far; their names are provisional.
        taken: cells that are in use.
        faces: faces that are in use.
    """

    def __init__(self, wide: int, deep: int, rng: np.random.Generator) -> None:
        """Begin with solid rock.

        Args:
            wide: columns from west to east.
            deep: columns from south to north.
            rng: the randomness of the chamber.
        """
        self.rng = rng
        self.size = (wide, deep, HIGH)
        self._floors = [HIGH] * (wide * deep)
        self._ceilings = [HIGH] * (wide * deep)
        self.rooms: list[Room] = []
        self.doorways: set[Cell] = set()
        self.fixtures: list[Fixture] = []
        self.taken: set[Cell] = set()
        self.faces: set[Face] = set()

    # --- rock -------------------------------------------------------------------------------------

    def carve_column(self, cell: Cell, ceiling: int = HIGH) -> None:
        """Open a column from a cell up to a ceiling."""
        column = cell[0] + self.size[0] * cell[1]
        self._floors[column] = cell[2]
        self._ceilings[column] = ceiling

    def floor_cell(self, cell: Cell) -> int:
        """Return the floor of a cell's column."""
        return self._floors[cell[0] + self.size[0] * cell[1]]

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is no rock."""
        x, y, z = cell
        if not (0 <= x < self.size[0] and 0 <= y < self.size[1]):
            return False
        column = x + self.size[0] * y
        return self._floors[column] <= z < self._ceilings[column]

    def cells_to_rock(self, cell: Cell, direction: int) -> list[Cell]:
        """Return the cells of a straight line from a cell up to the rock."""
        cells = [cell]
        while self.is_free(step_cell(cells[-1], direction)):
            cells.append(step_cell(cells[-1], direction))
        return cells

    def is_line_clear(self, cell: Cell, back: int, least: int = 3) -> bool:
        """Return whether a line from a face leads over some cells and through no doorway."""
        run = self.cells_to_rock(cell, opposite_direction(back))
        doors = {door[:2] for door in self.doorways}
        return len(run) >= least and all(place[:2] not in doors for place in run)

    # --- fixtures ---------------------------------------------------------------------------------

    def add_fixture(
        self,
        kind: str,
        cells: Sequence[Cell],
        facing: int = NOWHERE,
        inputs: Sequence[str] = (),
        numbers: Sequence[int] = (),
    ) -> str:
        """Put a fixture and return its name.

        Args:
            kind: its kind.
            cells: its cells.
            facing: its direction.
            inputs: names of what drives it.
            numbers: the figures of its kind.
        """
        name = f"{find_device(kind).letter}{1 + sum(f.kind == kind for f in self.fixtures)}"
        self.fixtures.append(
            Fixture(kind, name, tuple(cells), facing, tuple(sorted(inputs)), tuple(numbers))
        )
        return name

    def on_floor(self, kind: str, cell: Cell, **more: object) -> str:
        """Put a fixture onto a free floor cell and mark the cell as used."""
        self.taken.add(cell)
        return self.add_fixture(kind, (cell,), **more)  # type: ignore[arg-type]

    def on_face(self, kind: str, face: Face, **more: object) -> str:
        """Put a fixture onto a face of the rock and mark the face as used."""
        self.faces.add(face)
        if face[1] == DOWN:
            self.taken.add(face[0])
        return self.add_fixture(kind, (face[0],), face[1], **more)  # type: ignore[arg-type]

    def build_chamber(self, extra: Iterable[Fixture] = ()) -> Chamber:
        """Return what has been built so far."""
        return Chamber(
            self.size,
            tuple(self._floors),
            tuple(self._ceilings),
            tuple(self.rooms),
            sort_fixtures((*self.fixtures, *extra)),
        )

    # --- choosing ---------------------------------------------------------------------------------

    def draw_chance(self, percent: int) -> bool:
        """Return whether something that happens so often happens."""
        return int(self.rng.integers(100)) < percent

    def draw_number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def draw_one(self, things: Sequence[T]) -> T:
        """Return one of some things.

        Raises:
            Reject: there are none.
        """
        if not things:
            raise Reject("there is no room for a device")
        return things[int(self.rng.integers(len(things)))]

    def shuffle_items(self, things: Sequence[T]) -> list[T]:
        """Return things in random order."""
        return [things[int(place)] for place in self.rng.permutation(len(things))]


class RoomSite:
    """A room under construction.

    Attributes:
        plot: what it is carved into.
        box: its columns: west, south, east, north, the last two exclusive.
        way: the direction of u.
        length: columns along u.
        width: columns along v.
        bands: its strips, in the order of u.
    """

    def __init__(self, plot: RockGrid, box: Room, way: int, bands: Sequence[FloorStrip]) -> None:
        """Carve it."""
        self.plot = plot
        self.box = box
        self.way = way
        west, south, east, north = box
        along, across = east - west, north - south
        self.length, self.width = (along, across) if way in (EAST, WEST) else (across, along)
        self.bands = tuple(bands)
        plot.rooms.append(box)
        for band in bands:
            if band.sort != "wall":
                for cell in self.strip_cells(band):
                    plot.carve_column(cell)

    def frame_to_cell(self, u: int, v: int, z: int) -> Cell:
        """Return the cell at a place of the frame."""
        west, south, east, north = self.box
        if self.way == EAST:
            return west + u, south + v, z
        if self.way == NORTH:
            return east - 1 - v, south + u, z
        if self.way == WEST:
            return east - 1 - u, north - 1 - v, z
        return west + v, north - 1 - u, z

    def frame_to_direction(self, local: int) -> int:
        """Return a direction of the frame in the grid."""
        return (self.way + local) % 4

    def strip_cells(self, band: FloorStrip) -> list[Cell]:
        """Return the ground cells of a band."""
        return [
            self.frame_to_cell(u, v, band.level)
            for u in range(band.first, band.last + 1)
            for v in range(self.width)
        ]

    def row_cells(self, u: int, level: int) -> list[Cell]:
        """Return the cells at one u and one height."""
        return [self.frame_to_cell(u, v, level) for v in range(self.width)]

    def lane_cells(self, first: int, last: int, level: int) -> list[list[Cell]]:
        """Return the cells of each v from one u to another, both inclusive, at one height."""
        return [
            [self.frame_to_cell(u, v, level) for u in range(first, last + 1)]
            for v in range(self.width)
        ]

    def distance_ahead(self, cell: Cell, band: FloorStrip) -> int:
        """Return how far ahead of a cell the middle of a band is."""
        u = next(u for u in range(self.length) if cell[:2] in {c[:2] for c in self.row_cells(u, 0)})
        return (band.first + band.last + 1) // 2 - u

    def open_doorway(self, u: int, v: int, level: int) -> Cell:
        """Open a doorway in the wall, two cells high, and return its lower cell."""
        cell = self.frame_to_cell(u, v, level)
        self.plot.carve_column(cell, level + 2)
        self.plot.doorways.add(cell)
        return cell

    def free_cells(self, band: FloorStrip) -> list[Cell]:
        """Return the ground cells of a band that are free for something, in random order.

        Cells in front of doorways stay open.
        """
        plot = self.plot
        return plot.shuffle_items(
            [
                cell
                for cell in self.strip_cells(band)
                if plot.floor_cell(cell) == band.level
                and cell not in plot.taken
                and not any(step_cell(cell, way) in plot.doorways for way in LEVEL)
            ]
        )

    def foot_cells(self, near: FloorStrip, far: FloorStrip) -> list[Cell]:
        """Return the free cells of a band right in front of another, in random order."""
        foot = self.row_cells(far.first - 1, near.level)
        return [cell for cell in self.free_cells(near) if cell in foot]

    def spare_cell(self, band: FloorStrip) -> Cell:
        """Return a cell of a band for something that closes it to walkers.

        Raises:
            Reject: every cell is needed to walk by.
        """
        for cell in self.free_cells(band):
            if self._stays_whole(band, cell):
                return cell
        raise Reject("there is no room for a device")

    def _stays_whole(self, band: FloorStrip, without: Cell) -> bool:
        """Return whether the free floor of a band stays in one piece without a cell."""
        closed = self.plot.taken | {without}
        floor = self.plot.floor_cell
        left = {c for c in self.strip_cells(band) if c not in closed and floor(c) == band.level}
        if not left:
            return False
        found = [min(left)]
        left.discard(found[0])
        for cell in found:
            for way in LEVEL:
                if (neighbour := step_cell(cell, way)) in left:
                    left.discard(neighbour)
                    found.append(neighbour)
        return not left

    def free_wall_faces(self, band: FloorStrip, heights: Iterable[int]) -> list[Face]:
        """Return free faces of the rock around a band, in random order.

        Args:
            band: the band.
            heights: how far above its floor.
        """
        found = []
        for cell in self.strip_cells(band):
            for height in heights:
                at = step_cell(cell, UP, height)
                if self.plot.is_free(at):
                    found += [(at, way) for way in LEVEL if self._is_usable((at, way))]
        return self.plot.shuffle_items(found)

    def _is_usable(self, face: Face) -> bool:
        """Return whether a face is unused rock, and no lintel of a doorway."""
        behind = step_cell(*face)
        lintel = any(behind[:2] == door[:2] for door in self.plot.doorways)
        return not (lintel or self.plot.is_free(behind) or face in self.plot.faces)

    def faces_ahead(self, height: int) -> list[Face]:
        """Return free faces of the wall behind u = 0, which face ahead, at a height."""
        back = self.frame_to_direction(BACK)
        found = [(self.frame_to_cell(0, v, height), back) for v in range(self.width)]
        return self.plot.shuffle_items(
            [face for face in found if self.plot.is_free(face[0]) and self._is_usable(face)]
        )


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
