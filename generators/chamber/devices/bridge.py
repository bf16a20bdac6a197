"""Bridge: a level deck of light along a line of cells, up to rock or a closed door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device, EmittedRay
from facelet.generators.chamber.world.grid import opposite_direction

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import FloorStrip
    from facelet.generators.chamber.composition.room_builder import RoomSite


class Bridge(Device):
    """The kind; see the module."""

    kind = "bridge"
    letter = "G"
    noun = "light bridge"
    crosses = True
    named = False

    def emit_ray(self, fixture: Fixture, on: bool) -> EmittedRay | None:
        """Return the deck while it is on."""
        return EmittedRay("bridge") if on else None

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Span the gap from the wall behind the near strip, or let a portal do it."""
        if near.level != far.level:
            return False
        plot = site.plot
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


DEVICE = Bridge()
