"""Plate: throws what comes onto it in a parabola, the way that it faces.

Its numbers are the distance after which the parabola is back at the plate's height, and how many
cells it rises in the middle.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import (
    ChamberPlot,
    Crossing,
    FloorStrip,
    RoomSite,
)
from facelet.generators.chamber.world.chamber_records import AHEAD, Fixture
from facelet.generators.chamber.world.device_protocol import Landing, ParabolicThrow


class Plate(Crossing):
    """The kind; see the module."""

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return the throw."""
        distance, rise = fixture.numbers
        return ParabolicThrow(fixture.facing, distance, rise)

    def build_crossing(
        self, plot: ChamberPlot, site: RoomSite, near: FloorStrip, far: FloorStrip
    ) -> bool:
        """Throw from the near strip onto the far one."""
        cell = site.spare_cell(near)
        rise = max(1, far.level - near.level + plot.draw_number(0, 1)) + 1
        plot.on_floor(
            self.kind,
            cell,
            facing=site.frame_to_direction(AHEAD),
            numbers=(site.distance_ahead(cell, far), rise),
        )
        return True


DEVICE = Plate("plate", "J", "launch plate", special=True, verbs=frozenset({"put", "enter"}))
