"""Stairs: a row of floor squares that rise to one step each, more by one than the last, while on.

Off they lie flat. The first of its cells rises by one, the second by two, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import UP, Cell, step_cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import FloorStrip
    from facelet.generators.chamber.composition.room_builder import RoomSite


class Stairs(Device):
    """The kind; see the module."""

    kind = "stairs"
    letter = "K"
    noun = "stairs"
    crosses = True
    seldom = True
    named = False
    joint = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        if not on:
            return ()
        return tuple(
            step_cell(cell, UP, k)
            for place, cell in enumerate(fixture.cells)
            for k in range(place + 1)
        )

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Lead up to a ledge."""
        plot = site.plot
        count = far.level - near.level - 1
        if count < 1 or near.last - near.first < count:
            return False
        rows = [
            set(site.free_cells(near)) & set(site.row_cells(far.first - count + k, near.level))
            for k in range(count)
        ]
        lanes = [
            [site.frame_to_cell(far.first - count + k, v, near.level) for k in range(count)]
            for v in range(site.width)
        ]
        cells = plot.draw_one(
            [lane for lane in lanes if all(c in row for c, row in zip(lane, rows, strict=True))]
        )
        plot.taken.update(cells)
        plot.add_fixture(self.kind, cells, inputs=plot.draw_inputs())
        return True


DEVICE = Stairs()
