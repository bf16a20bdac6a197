"""Spring: a square of bouncing gel; the player rises from it as high as it fell onto it.

The player jumps onto it from the highest floor beside it, then steps onto the highest floor in
reach, but not onto the floor where the step began. A thing would bounce for ever.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import UP
from facelet.generators.chamber.world.device_protocol import BOUNCE


class Spring(Crossing):
    """The kind; see the module."""

    seldom = True

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Bounce up to a ledge, after a fall out of a portal in the ceiling."""
        if not plot.portals or far.level - near.level < 2:
            return False
        cell = plot.draw_one(site.foot_cells(near, far))
        ways = [face for face in site.free_wall_faces(near, (0,)) if face[0] != cell]
        if not ways:
            return False
        plot.on_floor(self.kind, cell)
        plot.on_face("panel", (plot.cells_to_rock(cell, UP)[-1], UP))
        plot.on_face("panel", ways[0])
        return True


DEVICE = Spring(
    "spring",
    "Z",
    "bouncing gel",
    special=True,
    plunge=True,
    landing=BOUNCE,
    verbs=frozenset({"enter"}),
)
