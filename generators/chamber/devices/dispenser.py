"""Dispenser: drops its thing below itself whenever it goes on; the old one, wherever, is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Supply
from facelet.generators.chamber.world.grid import UP, Cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import RockGrid


class Dispenser(Supply):
    """The kind; see the module. The thing that it gives names it as its input."""

    kind = "dispenser"
    letter = "N"
    noun = "dispenser"
    named = False

    def drop_cell(self, fixture: Fixture) -> Cell | None:
        """Return its cell, at the ceiling: the thing falls from there."""
        return fixture.first_cell

    def place_supply(self, plot: RockGrid) -> None:
        """Hang a dispenser over a floor, with a switch and a cube."""
        site, band = plot.draw_reachable_strip()
        cell = plot.draw_one(site.free_cells(band))
        plot.taken.add(cell)
        source = switch.DEVICE.place_key(plot)
        name = plot.add_fixture(self.kind, (plot.cells_to_rock(cell, UP)[-1],), inputs=(source,))
        plot.add_fixture("cube", (), inputs=(name,))


DEVICE = Dispenser()
