"""A site: a room under construction, in a frame of its own; see the module `plot` for its axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from facelet.generators.chamber.composing.plot import Band, Face, Plot
from facelet.generators.chamber.world.chambers import Room
from facelet.generators.chamber.world.grid import BACK, EAST, LEVEL, NORTH, UP, WEST, Cell, step
from facelet.generators.core.task import Reject


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
                if self.plot.free(at):
                    found += [(at, way) for way in LEVEL if self._usable((at, way))]
        return self.plot.shuffled(found)

    def _usable(self, face: Face) -> bool:
        return self._rock(*face) and face not in self.plot.faces

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
            [face for face in found if self.plot.free(face[0]) and self._usable(face)]
        )
