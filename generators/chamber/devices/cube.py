"""Cube: a weight that the player carries; it presses buttons and stops lasers."""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Supply


class Cube(Supply):
    """The kind; see the module."""

    def place_supply(self, plot: ChamberPlot) -> None:
        """Lay a cube onto a floor."""
        plot.on_floor(self.kind, plot.draw_floor_cell())


DEVICE = Cube("cube", "C", "weighted cube", thing=True, verbs=frozenset({"take"}))
