"""Spring: a square of bouncing gel; the player comes up from it as high as it fell onto it.

One jumps onto it from the highest floor beside it. Then one steps onto the highest floor in reach,
but not back onto the one that the step began on. A thing would bounce for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import BOUNCE, Device, Landing
from facelet.generators.chamber.world.grid import UP

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import FloorStrip
    from facelet.generators.chamber.composition.room_builder import RoomSite


class Spring(Device):
    """The kind; see the module."""

    kind = "spring"
    letter = "Z"
    noun = "bouncing gel"
    crosses = True
    seldom = True
    plunge = True
    verbs = frozenset({"enter"})

    def is_special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return the bounce."""
        return BOUNCE

    def build_crossing(self, site: RoomSite, near: FloorStrip, far: FloorStrip) -> bool:
        """Bounce up to a ledge, after a fall out of a portal in the ceiling."""
        plot = site.plot
        if not plot.portals or far.level - near.level < 2:
            return False
        foot = set(site.row_cells(far.first - 1, near.level))
        cell = plot.draw_one([cell for cell in site.free_cells(near) if cell in foot])
        ways = [face for face in site.free_wall_faces(near, (0,)) if face[0] != cell]
        if not ways:
            return False
        plot.on_floor(self.kind, cell)
        plot.on_face("panel", (plot.cells_to_rock(cell, UP)[-1], UP))
        plot.on_face("panel", ways[0])
        return True


DEVICE = Spring()
