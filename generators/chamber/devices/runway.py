"""Runway: a row of speed gel; a player on it runs to its end and leaves it in a long arc.

Everything that lands on one of its cells runs in its direction to the last cell. It leaves that
cell like a portal in a wall, with a speed of twice the cells it ran over, the first and the last
included.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import AHEAD, Fixture
from facelet.generators.chamber.world.device_protocol import Landing, RunwaySprint

FASTER = 2
"""Speed that a cell gives."""


class Runway(Crossing):
    """Its cells are in the order in which one runs over them."""

    seldom = True

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return the run."""
        return RunwaySprint(fixture.facing, len(fixture.cells), FASTER)

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Lead up to the edge of a gap that the arc gets across level."""
        gap = far.first - near.last - 1
        if near.level != far.level or gap < 1:
            return False
        count = gap * gap // (4 * FASTER) + 1
        if near.last - near.first < count:
            return False
        free = set(site.free_cells(near))
        lanes = site.lane_cells(near.last - count + 1, near.last, near.level)
        cells = plot.draw_one([lane for lane in lanes if free.issuperset(lane)])
        plot.taken.update(cells)
        plot.add_fixture(self.kind, cells, site.frame_to_direction(AHEAD))
        return True


DEVICE = Runway("runway", "Y", "speed gel", special=True, verbs=frozenset({"enter"}))
