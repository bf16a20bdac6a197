"""Bridge: a level deck of light along a line of cells, up to rock or a closed door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device, Ray
from facelet.generators.chamber.world.grid import opposite

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Bridge(Device):
    """The kind; see the module."""

    kind = "bridge"
    letter = "G"
    noun = "light bridge"
    crosses = True
    named = False

    def ray(self, fixture: Fixture, on: bool) -> Ray | None:
        """Return the deck while it is on."""
        return Ray("bridge") if on else None

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Span the gap from the wall behind the near strip, or let a portal do it."""
        if near.level != far.level:
            return False
        plot = site.plot
        cell, back = plot.one(site.faces_ahead(near.level))
        if plot.portals and plot.chance(50):
            plot.line(self.kind, 2)
            plot.on_face("panel", (cell, back))
        else:
            plot.faces.add((cell, back))
            plot.add(self.kind, (cell,), opposite(back), inputs=plot.inputs())
        return True


DEVICE = Bridge()
