"""Dispenser: drops its thing below itself whenever it goes on; the old one, wherever, is gone."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Supply
from facelet.generators.chamber.devices import switch
from facelet.generators.chamber.world.chamber_records import UP, Cell, Fixture


class Dispenser(Supply):
    """The thing that it gives names it as its input."""

    def drop_cell(self, fixture: Fixture) -> Cell | None:
        """Return its cell, at the ceiling: the thing falls from there."""
        return fixture.first_cell

    def place_supply(self, plot: ChamberPlot) -> None:
        """Hang a dispenser over a floor, with a switch and a cube."""
        cell = plot.draw_floor_cell()
        plot.taken.add(cell)
        source = switch.DEVICE.place_key(plot)
        name = plot.add_fixture(self.kind, (plot.cells_to_rock(cell, UP)[-1],), inputs=(source,))
        plot.add_fixture("cube", (), inputs=(name,))


DEVICE = Dispenser("dispenser", "N", "dispenser")
