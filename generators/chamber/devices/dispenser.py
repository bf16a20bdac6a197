"""Dispenser: drops its thing below itself whenever it goes on; the old one, wherever, is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Supply
from facelet.generators.chamber.world.grid import UP, Cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Dispenser(Supply):
    """The kind; see the module. The thing that it gives names it as its input."""

    kind = "dispenser"
    letter = "N"
    noun = "dispenser"
    named = False

    def gives(self, fixture: Fixture) -> Cell | None:
        """Return its cell, at the ceiling: the thing falls from there."""
        return fixture.cell

    def supply(self, plot: Plot) -> None:
        """Hang a dispenser over a floor, with a switch and a cube."""
        site, band = plot.home()
        cell = plot.one(site.plain(band))
        plot.taken.add(cell)
        source = switch.DEVICE.key(plot)
        name = plot.add(self.kind, (plot.run(cell, UP)[-1],), inputs=(source,))
        plot.add("cube", (), inputs=(name,))


DEVICE = Dispenser()
