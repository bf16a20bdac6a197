"""Bridge: a level deck of light along a line of cells, up to rock or a closed door."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import opposite_direction


class Bridge(Crossing):
    """The kind; see the module."""

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Span the gap from the wall behind the near strip, or let a portal do it."""
        if near.level != far.level:
            return False
        cell, back = plot.draw_one(site.faces_ahead(near.level))
        if plot.portals and plot.draw_chance(50):
            plot.place_ray_source(self.kind, 2)
            plot.on_face("panel", (cell, back))
        else:
            plot.faces.add((cell, back))
            plot.add_fixture(
                self.kind, (cell,), opposite_direction(back), inputs=plot.draw_inputs()
            )
        return True


DEVICE = Bridge("bridge", "G", "light bridge", ray="bridge")
