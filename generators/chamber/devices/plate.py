"""Plate: throws what comes onto it in a parabola, the way that it faces.

Its numbers are the distance after which the parabola is back at the plate's height, and how many
cells it rises in the middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device, Landing, Throw
from facelet.generators.chamber.world.grid import AHEAD

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Plate(Device):
    """The kind; see the module."""

    kind = "plate"
    letter = "J"
    noun = "launch plate"
    crosses = True
    verbs = frozenset({"put", "enter"})

    def special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def land(self, fixture: Fixture) -> Landing:
        """Return the throw."""
        distance, rise = fixture.numbers
        return Throw(fixture.facing, distance, rise)

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Throw from the near strip onto the far one."""
        plot = site.plot
        cell = site.spare(near)
        rise = max(1, far.level - near.level + plot.number(0, 1)) + 1
        plot.on_floor(
            self.kind, cell, facing=site.toward(AHEAD), numbers=(site.ahead(cell, far), rise)
        )
        return True


DEVICE = Plate()
