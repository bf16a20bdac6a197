"""Beam: carries everything in it along its line of cells and keeps it at the end.

It has two polarities. One with number 0 runs forwards while it is on. One with number 1 always
runs: forwards, and backwards, towards its source, while it is on.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import UP, Fixture, opposite_direction
from facelet.generators.chamber.world.device_protocol import EmittedRay

REVERSING = 1


class Beam(Crossing):
    """The kind; see the module."""

    def emit_ray(self, fixture: Fixture, on: bool) -> EmittedRay | None:
        """Return the beam."""
        if fixture.numbers[0] == REVERSING:
            return EmittedRay("beam", backwards=on)
        return EmittedRay("beam") if on else None

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Carry across the gap, from either end or out of a portal, or up to a ledge."""
        if far.level > near.level:
            return self._build_rise(plot, site, near, far)
        if near.level != far.level:
            return False
        cell, back = plot.draw_one(site.faces_ahead(near.level))
        plot.faces.add((cell, back))
        if plot.portals and plot.draw_chance(40):
            plot.place_ray_source(self.kind, 2, numbers=(0,))
            plot.on_face("panel", (cell, back))
        elif plot.draw_chance(50):
            plot.add_fixture(
                self.kind,
                (cell,),
                opposite_direction(back),
                inputs=plot.draw_inputs(),
                numbers=(0,),
            )
        else:
            end = plot.cells_to_rock(cell, opposite_direction(back))[-1]
            plot.faces.add((end, opposite_direction(back)))
            plot.add_fixture(
                self.kind, (end,), back, inputs=plot.draw_inputs(), numbers=(REVERSING,)
            )
        return True

    def _build_rise(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Carry up beside the ledge, under a low ceiling."""
        cell = plot.draw_one(site.foot_cells(near, far))
        plot.carve_column(cell, far.level + 1)
        plot.taken.add(cell)
        plot.add_fixture(self.kind, (cell,), UP, inputs=plot.draw_inputs(), numbers=(0,))
        return True


DEVICE = Beam("beam", "T", "carrying beam", verbs=frozenset({"put", "enter"}))
