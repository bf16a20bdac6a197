"""Piston: a row of floor squares that rise together, by its number of cells, while it is on.

Off they lie flat. One walks over them either way, but does not stay there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import UP, Cell, step

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Band
    from facelet.generators.chamber.composing.site import Site


class Piston(Device):
    """The kind; see the module."""

    kind = "piston"
    letter = "V"
    noun = "piston"
    crosses = True
    seldom = True
    named = False
    joint = True

    def solid(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return the raised columns."""
        high = fixture.numbers[0] if on else 0
        return tuple(step(cell, UP, k) for cell in fixture.cells for k in range(high))

    def cross(self, site: Site, near: Band, far: Band) -> bool:
        """Fill a ditch between two ledges."""
        plot, place = site.plot, site.bands.index(far)
        if place < 2:
            return False
        rim, ditch = site.bands[place - 2 : place]
        level = rim.level == far.level and rim.sort == ditch.sort == "floor"
        if not level or ditch.level >= far.level:
            return False
        free = set(site.plain(ditch))
        lanes = [
            [site.at(u, v, ditch.level) for u in range(ditch.first, ditch.last + 1)]
            for v in range(site.width)
        ]
        cells = plot.one([lane for lane in lanes if free.issuperset(lane)])
        plot.taken.update(cells)
        rise = (far.level - ditch.level,)
        plot.add(self.kind, cells, inputs=plot.inputs(), numbers=rise)
        return True


DEVICE = Piston()
