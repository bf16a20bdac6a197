"""Mirror: a cube that weighs like any other, and sends lasers on the way that it faces."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Supply
from facelet.generators.chamber.world.chamber_records import LEVEL


class Mirror(Supply):
    """The kind; see the module."""

    def place_supply(self, plot: ChamberPlot) -> None:
        """Lay a mirror cube onto a floor; it faces anywhere."""
        plot.on_floor(self.kind, plot.draw_floor_cell(), facing=plot.draw_one(LEVEL))


DEVICE = Mirror("mirror", "M", "mirror cube", thing=True, turns=True, verbs=frozenset({"take"}))
