"""Carve one room and find free places in it, in the frame that `rock_grid` defines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from facelet.generators.chamber.composition.rock_grid import Face, FloorStrip, RockGrid
from facelet.generators.chamber.world.chamber_records import Room
from facelet.generators.chamber.world.grid import (
    BACK,
    EAST,
    LEVEL,
    NORTH,
    UP,
    WEST,
    Cell,
    step_cell,
)
from facelet.generators.core.task import Reject


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
