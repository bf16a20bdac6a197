"""Piston: a row of floor squares that rise together, by its number of cells, while it is on.

Off they lie flat. One walks over them either way, but does not stay there.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import UP, Cell, Fixture, step_cell


class Piston(Crossing):
    """The kind; see the module."""

    seldom = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        high = fixture.numbers[0] if on else 0
        return tuple(step_cell(cell, UP, k) for cell in fixture.cells for k in range(high))

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Fill a ditch between two ledges."""
        if (place := site.bands.index(far)) < 2:
            return False
        rim, ditch = site.bands[place - 2 : place]
        level = rim.level == far.level and rim.sort == ditch.sort == "floor"
        if not level or ditch.level >= far.level:
            return False
        free = set(site.free_cells(ditch))
        lanes = site.lane_cells(ditch.first, ditch.last, ditch.level)
        cells = plot.draw_one([lane for lane in lanes if free.issuperset(lane)])
        plot.taken.update(cells)
        rise = (far.level - ditch.level,)
        plot.add_fixture(self.kind, cells, inputs=plot.draw_inputs(), numbers=rise)
        return True


DEVICE = Piston("piston", "V", "piston", joint=True)
