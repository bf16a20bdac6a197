"""Cover: a moving panel before a wall, out of which it slides; it closes its cell unless it is on.

It closes it as rock would, to shots, rays and whatever flies; what is in the cell as it slides out
is lifted on top. Composed chambers have it high up alone, where nobody walks.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, PanelCover
from facelet.generators.chamber.composition.rock_grid import Face
from facelet.generators.chamber.world.grid import LEVEL

HEAD = 2
"""Cells above the ground from which on it is in nobody's way."""


class Cover(PanelCover):
    """It faces the wall that it slides out of."""

    def hide_panel(self, plot: ChamberPlot, face: Face) -> None:
        """Close the cell before a panel that is high in a wall."""
        cell, way = face
        if way in LEVEL and cell[2] >= plot.floor_cell(cell) + HEAD:
            plot.add_fixture(self.kind, (cell,), way, inputs=plot.draw_inputs())


DEVICE = Cover("cover", "I", "moving panel", closes=True)
