"""Piston: a row of floor squares that rise together, by its number of cells, while it is on.

Off they lie flat. One walks over them either way, but does not stay there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import UP, Cell, step_cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import FloorStrip
    from facelet.generators.chamber.composition.room_builder import RoomSite


class Piston(Device):
    """The kind; see the module."""

    kind = "piston"
    letter = "V"
    noun = "piston"
    crosses = True
    seldom = True
    named = False
    joint = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        high = fixture.numbers[0] if on else 0
        return tuple(step_cell(cell, UP, k) for cell in fixture.cells for k in range(high))

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Fill a ditch between two ledges."""
        plot, place = site.plot, site.bands.index(far)
        if place < 2:
            return False
        rim, ditch = site.bands[place - 2 : place]
        level = rim.level == far.level and rim.sort == ditch.sort == "floor"
        if not level or ditch.level >= far.level:
            return False
        free = set(site.free_cells(ditch))
        lanes = [
            [site.frame_to_cell(u, v, ditch.level) for u in range(ditch.first, ditch.last + 1)]
            for v in range(site.width)
        ]
        cells = plot.draw_one([lane for lane in lanes if free.issuperset(lane)])
        plot.taken.update(cells)
        rise = (far.level - ditch.level,)
        plot.add_fixture(self.kind, cells, inputs=plot.draw_inputs(), numbers=rise)
        return True


DEVICE = Piston()
