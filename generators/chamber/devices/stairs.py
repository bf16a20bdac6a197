"""Stairs: a row of floor squares that rise to one step each, more by one than the last, while on.

Off they lie flat. The first of its cells rises by one, the second by two, and so on.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import UP, Cell, Fixture, step_cell


class Stairs(Crossing):
    """The kind; see the module."""

    seldom = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        if not on:
            return ()
        return tuple(
            step_cell(cell, UP, k)
            for place, cell in enumerate(fixture.cells)
            for k in range(place + 1)
        )

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Lead up to a ledge."""
        if (count := far.level - near.level - 1) < 1 or near.last - near.first < count:
            return False
        rows = [site.free_cells(near) for _ in range(count)]
        lanes = site.lane_cells(far.first - count, far.first - 1, near.level)
        cells = plot.draw_one(
            [lane for lane in lanes if all(c in row for c, row in zip(lane, rows, strict=True))]
        )
        plot.taken.update(cells)
        plot.add_fixture(self.kind, cells, inputs=plot.draw_inputs())
        return True


DEVICE = Stairs("stairs", "K", "stairs", joint=True)
