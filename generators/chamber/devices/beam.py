"""Beam: carries what is in it along its line of cells, and holds it at the end.

It has two polarities. One with number 0 runs forwards while it is on. One with number 1 always
runs: forwards, and backwards, towards its source, while it is on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device, Ray
from facelet.generators.chamber.world.grid import UP, opposite

REVERSING = 1

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Beam(Device):
    """The kind; see the module."""

    kind = "beam"
    letter = "T"
    noun = "carrying beam"
    crosses = True
    verbs = frozenset({"put", "enter"})

    def ray(self, fixture: Fixture, on: bool) -> Ray | None:
        """Return the beam."""
        if fixture.numbers[0] == REVERSING:
            return Ray("beam", backwards=on)
        return Ray("beam") if on else None

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Carry across the gap, from either end or out of a portal, or up to a ledge."""
        plot = site.plot
        if far.level > near.level:
            return self._up(site, near, far)
        if near.level != far.level:
            return False
        cell, back = plot.one(site.faces_ahead(near.level))
        plot.faces.add((cell, back))
        if plot.portals and plot.chance(40):
            plot.line(self.kind, 2, numbers=(0,))
            plot.on_face("panel", (cell, back))
        elif plot.chance(50):
            plot.add(self.kind, (cell,), opposite(back), inputs=plot.inputs(), numbers=(0,))
        else:
            end = plot.run(cell, opposite(back))[-1]
            plot.faces.add((end, opposite(back)))
            plot.add(self.kind, (end,), back, inputs=plot.inputs(), numbers=(REVERSING,))
        return True

    def _up(self, site: Site, near: Band, far: Band) -> bool:
        """Carry up beside the ledge, under a low ceiling."""
        plot = site.plot
        foot = [cell for cell in site.plain(near) if cell in site.row(far.first - 1, near.level)]
        cell = plot.one(foot)
        plot.carve(cell, far.level + 1)
        plot.taken.add(cell)
        plot.add(self.kind, (cell,), UP, inputs=plot.inputs(), numbers=(0,))
        return True


DEVICE = Beam()
