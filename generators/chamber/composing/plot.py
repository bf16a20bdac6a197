"""The plot: rock that rooms are carved into, and what has been put where so far.

A room is built in a frame of its own: u runs ahead, in the direction in which the chamber is meant
to be crossed, from 0 at the wall that one enters by; v runs to the left of it. A band is a strip of
such a room, across its whole width, at one height. `homes` are the bands that a player can be in
at this point of the composition, the latest last: there keys are put.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from facelet.generators.chamber.chambers import NOWHERE, Chamber, Fixture, Room, arranged
from facelet.generators.chamber.grid import (
    BACK,
    DOWN,
    EAST,
    LEVEL,
    NORTH,
    UP,
    WEST,
    Cell,
    opposite,
    step,
)
from facelet.generators.chamber.kinds import device
from facelet.generators.core.task import Reject

T = TypeVar("T")
Sort = Literal["floor", "pool", "wall"]
Face = tuple[Cell, int]

HIGH = 8
"""Cells from bottom to top."""
POOL, LOW, LEDGE = 0, 1, 4
"""Heights of floors: of liquid, of most rooms, and of what is too high to climb."""


@dataclass(frozen=True, slots=True)
class Band:
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


class Plot:
    """The plot; see the module.

    Attributes:
        rng: the randomness of the chamber.
        kinds: the kinds of devices that may be used.
        portals: whether portals may be counted on.
        size: its size.
        fixtures: what has been put so far; names are provisional.
        homes: the sites and bands that can be reached by now.
        taken: cells that are in use.
        faces: faces that are in use.
    """

    def __init__(
        self,
        wide: int,
        deep: int,
        rng: np.random.Generator,
        kinds: Sequence[str],
        *,
        portals: bool = True,
    ) -> None:
        """Begin with solid rock.

        Args:
            wide: columns from west to east.
            deep: columns from south to north.
            rng: the randomness of the chamber.
            kinds: the kinds of devices that may be used.
            portals: whether portals may be counted on.
        """
        self.rng = rng
        self.kinds = tuple(kinds)
        self.portals = portals
        self.size = (wide, deep, HIGH)
        self._floors = [HIGH] * (wide * deep)
        self._ceilings = [HIGH] * (wide * deep)
        self._rooms: list[Room] = []
        self.fixtures: list[Fixture] = []
        self.homes: list[tuple[Site, Band]] = []
        self.sites: list[Site] = []
        self.taken: set[Cell] = set()
        self.faces: set[Face] = set()

    # --- rock -------------------------------------------------------------------------------------

    def carve(self, cell: Cell, ceiling: int = HIGH) -> None:
        """Open a column from a cell up to a ceiling."""
        column = cell[0] + self.size[0] * cell[1]
        self._floors[column] = cell[2]
        self._ceilings[column] = ceiling

    def floor(self, cell: Cell) -> int:
        """Return the floor of a cell's column."""
        return self._floors[cell[0] + self.size[0] * cell[1]]

    def free(self, cell: Cell) -> bool:
        """Return whether a cell is no rock."""
        x, y, z = cell
        if not (0 <= x < self.size[0] and 0 <= y < self.size[1]):
            return False
        column = x + self.size[0] * y
        return self._floors[column] <= z < self._ceilings[column]

    def run(self, cell: Cell, direction: int) -> list[Cell]:
        """Return the cells of a straight line from a cell up to the rock."""
        cells = [cell]
        while self.free(step(cells[-1], direction)):
            cells.append(step(cells[-1], direction))
        return cells

    # --- fixtures ---------------------------------------------------------------------------------

    def add(
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
        name = f"{device(kind).letter}{1 + sum(f.kind == kind for f in self.fixtures)}"
        self.fixtures.append(
            Fixture(kind, name, tuple(cells), facing, tuple(sorted(inputs)), tuple(numbers))
        )
        return name

    def on_floor(self, kind: str, cell: Cell, **more: object) -> str:
        """Put a fixture onto a free floor cell, which is taken from then on."""
        self.taken.add(cell)
        return self.add(kind, (cell,), **more)  # type: ignore[arg-type]

    def on_face(self, kind: str, face: Face, **more: object) -> str:
        """Put a fixture onto a face of the rock, which is taken from then on."""
        self.faces.add(face)
        if face[1] == DOWN:
            self.taken.add(face[0])
        return self.add(kind, (face[0],), face[1], **more)  # type: ignore[arg-type]

    def chamber(self, extra: Iterable[Fixture] = ()) -> Chamber:
        """Return what has been built so far."""
        return Chamber(
            self.size,
            tuple(self._floors),
            tuple(self._ceilings),
            tuple(self._rooms),
            arranged((*self.fixtures, *extra)),
        )

    # --- locks and keys ---------------------------------------------------------------------------

    def inputs(self) -> tuple[str, ...]:
        """Return new sources that the player can turn on by now; mostly one, sometimes two."""
        return tuple({self.key(): None for _ in range(1 + self.chance(20))})

    def key(self) -> str:
        """Return a new source that the player can turn on by now.

        Raises:
            Reject: there is no room for it.
        """
        locks = [kind for kind in self.kinds if device(kind).locks]
        return device(self.one(locks)).key(self)

    def supply(self) -> None:
        """Give the player something to weigh down a button with.

        Raises:
            Reject: there is no room for it.
        """
        device(self.one([kind for kind in self.kinds if device(kind).supplies])).supply(self)

    def line(self, kind: str, height: int, numbers: Sequence[int] = ()) -> None:
        """Put a source of rays that ends on a panel, above the floor.

        Args:
            kind: the kind of the source.
            height: how far above the floor, at least.
            numbers: its figures.

        Raises:
            Reject: there is no room for it.
        """
        site, band = self.home()
        for cell, back in site.walls(band, (height, height + 1)):
            way = opposite(back)
            end = (self.run(cell, way)[-1], way)
            if self.clear(cell, back) and end not in self.faces:
                self.faces.add((cell, back))
                self.add(kind, (cell,), way, numbers=numbers)
                self.on_face("panel", end)
                return
        raise Reject("no line is free")

    def clear(self, cell: Cell, back: int) -> bool:
        """Return whether a line from a face leads over some cells and through no doorway."""
        run = self.run(cell, opposite(back))
        doors = {door[:2] for site in self.sites for door in site.doorways}
        return len(run) > 2 and all(place[:2] not in doors for place in run)

    # --- choosing ---------------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        """Return whether something that happens so often happens."""
        return int(self.rng.integers(100)) < percent

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def one(self, things: Sequence[T]) -> T:
        """Return one of some things.

        Raises:
            Reject: there are none.
        """
        if not things:
            raise Reject("there is no room for a device")
        return things[int(self.rng.integers(len(things)))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """Return things in random order."""
        return [things[int(place)] for place in self.rng.permutation(len(things))]

    def home(self) -> tuple[Site, Band]:
        """Return a band that can be reached by now, rather a late one."""
        count = len(self.homes)
        return self.homes[max(self.number(0, count - 1), self.number(0, count - 1))]


class Site:
    """A room under construction.

    Attributes:
        plot: what it is carved into.
        box: its columns: west, south, east, north, the last two exclusive.
        way: the direction of u.
        length: columns along u.
        width: columns along v.
        bands: its strips, in the order of u.
        doorways: the columns of its walls that are open, at the height of their floor.
    """

    def __init__(self, plot: Plot, box: Room, way: int, bands: Sequence[Band]) -> None:
        """Carve it."""
        self.plot = plot
        self.box = box
        self.way = way
        west, south, east, north = box
        along, across = east - west, north - south
        self.length, self.width = (along, across) if way in (EAST, WEST) else (across, along)
        self.bands = tuple(bands)
        self.doorways: set[Cell] = set()
        plot._rooms.append(box)
        plot.sites.append(self)
        for band in bands:
            if band.sort != "wall":
                for cell in self.cells(band):
                    plot.carve(cell)

    def at(self, u: int, v: int, z: int) -> Cell:
        """Return the cell at a place of the frame."""
        west, south, east, north = self.box
        if self.way == EAST:
            return west + u, south + v, z
        if self.way == NORTH:
            return east - 1 - v, south + u, z
        if self.way == WEST:
            return east - 1 - u, north - 1 - v, z
        return west + v, north - 1 - u, z

    def toward(self, local: int) -> int:
        """Return a direction of the frame in the grid."""
        return (self.way + local) % 4

    def cells(self, band: Band) -> list[Cell]:
        """Return the ground cells of a band."""
        return [
            self.at(u, v, band.level)
            for u in range(band.first, band.last + 1)
            for v in range(self.width)
        ]

    def row(self, u: int, level: int) -> list[Cell]:
        """Return the cells at one u and one height."""
        return [self.at(u, v, level) for v in range(self.width)]

    def ahead(self, cell: Cell, band: Band) -> int:
        """Return how far ahead of a cell the middle of a band is."""
        u = next(u for u in range(self.length) if cell[:2] in {c[:2] for c in self.row(u, 0)})
        return (band.first + band.last + 1) // 2 - u

    def doorway(self, u: int, v: int, level: int) -> Cell:
        """Open a doorway in the wall, two cells high, and return its lower cell."""
        cell = self.at(u, v, level)
        self.plot.carve(cell, level + 2)
        self.doorways.add(cell)
        return cell

    def plain(self, band: Band) -> list[Cell]:
        """Return the ground cells of a band that are free for something, in random order.

        Cells in front of doorways stay open.
        """
        plot = self.plot
        doors = {cell for site in plot.sites for cell in site.doorways}
        return plot.shuffled(
            [
                cell
                for cell in self.cells(band)
                if plot.floor(cell) == band.level
                and cell not in plot.taken
                and not any(step(cell, way) in doors for way in LEVEL)
            ]
        )

    def spare(self, band: Band) -> Cell:
        """Return a cell of a band for something that closes it to walkers.

        Raises:
            Reject: every cell is needed to walk by.
        """
        for cell in self.plain(band):
            if self._stays_whole(band, cell):
                return cell
        raise Reject("there is no room for a device")

    def _stays_whole(self, band: Band, without: Cell) -> bool:
        """Return whether the free floor of a band stays in one piece without a cell."""
        closed = self.plot.taken | {without}
        floor = self.plot.floor
        left = {c for c in self.cells(band) if c not in closed and floor(c) == band.level}
        if not left:
            return False
        found = [min(left)]
        left.discard(found[0])
        for cell in found:
            for way in LEVEL:
                neighbour = step(cell, way)
                if neighbour in left:
                    left.discard(neighbour)
                    found.append(neighbour)
        return not left

    def walls(self, band: Band, heights: Iterable[int]) -> list[Face]:
        """Return free faces of the rock around a band, in random order.

        Args:
            band: the band.
            heights: how far above its floor.
        """
        found = []
        for cell in self.cells(band):
            for height in heights:
                at = step(cell, UP, height)
                for way in LEVEL:
                    if self.plot.free(at) and self._rock(at, way) and (at, way) not in self.plot.faces:
                        found.append((at, way))
        return self.plot.shuffled(found)

    def _rock(self, cell: Cell, way: int) -> bool:
        """Return whether a face is rock, and no lintel of a doorway."""
        behind = step(cell, way)
        if self.plot.free(behind):
            return False
        doors = (door for site in self.plot.sites for door in site.doorways)
        return all(behind[:2] != door[:2] for door in doors)

    def faces_ahead(self, height: int) -> list[Face]:
        """Return free faces of the wall behind u = 0, which face ahead, at a height."""
        back = self.toward(BACK)
        found = [(self.at(0, v, height), back) for v in range(self.width)]
        return self.plot.shuffled(
            [f for f in found if self.plot.free(f[0]) and self._rock(*f) and f not in self.plot.faces]
        )

