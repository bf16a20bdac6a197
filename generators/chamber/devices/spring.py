"""Spring: a square of bouncing gel; the player comes up from it as high as it fell onto it.

One jumps onto it from the highest floor beside it. Then one steps onto the highest floor in reach,
but not back onto the one that the step began on. A thing would bounce for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import BOUNCE, Device, Landing
from facelet.generators.chamber.world.grid import UP

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Spring(Device):
    """The kind; see the module."""

    kind = "spring"
    letter = "Z"
    noun = "bouncing gel"
    crosses = True
    seldom = True
    plunge = True
    verbs = frozenset({"enter"})

    def special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def land(self, fixture: Fixture) -> Landing:
        """Return the bounce."""
        return BOUNCE

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Bounce up to a ledge, after a fall out of a portal in the ceiling."""
        plot = site.plot
        if not plot.portals or far.level - near.level < 2:
            return False
        foot = set(site.row(far.first - 1, near.level))
        cell = plot.one([cell for cell in site.plain(near) if cell in foot])
        ways = [face for face in site.walls(near, (0,)) if face[0] != cell]
        if not ways:
            return False
        plot.on_floor(self.kind, cell)
        plot.on_face("panel", (plot.run(cell, UP)[-1], UP))
        plot.on_face("panel", ways[0])
        return True


DEVICE = Spring()
