"""Dispenser: drops its thing below itself whenever it goes on; the old one, wherever, is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import UP, Cell
from facelet.generators.chamber.world.kinds import device

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Plot


class Dispenser(Device):
    """The kind; see the module. The thing that it gives names it as its input."""

    kind = "dispenser"
    letter = "N"
    noun = "dispenser"
    supplies = True
    named = False

    def gives(self, fixture: Fixture) -> Cell | None:
        """Return its cell, at the ceiling: the thing falls from there."""
        return fixture.cell

    def supply(self, plot: Plot) -> None:
        """Hang a dispenser over a floor, with a switch and a cube."""
        site, band = plot.home()
        cell = plot.one(site.plain(band))
        plot.taken.add(cell)
        switch = device("switch").key(plot)
        name = plot.add(self.kind, (plot.run(cell, UP)[-1],), inputs=(switch,))
        plot.add("cube", (), inputs=(name,))


DEVICE = Dispenser()
