"""Cover: a panel that slides out of a wall and closes the cell before it while it is off.

The closed cell blocks shots, rays and flights like rock; a thing in the cell is lifted on top. The
composer places covers only high up, where the player does not walk.
"""

from __future__ import annotations

from facelet.generators.chamber.composition.chamber_plot import ChamberPlot, Face, PanelCover
from facelet.generators.chamber.world.chamber_records import LEVEL

HEAD = 2
"""Cells above the ground from which on it does not block the player."""


class Cover(PanelCover):
    """It faces the wall that it slides out of."""

    def hide_panel(self, plot: ChamberPlot, face: Face) -> None:
        """Close the cell before a panel that is high in a wall."""
        cell, way = face
        if way in LEVEL and cell[2] >= plot.floor_cell(cell) + HEAD:
            plot.add_fixture(self.kind, (cell,), way, inputs=plot.draw_inputs())


DEVICE = Cover("cover", "I", "moving panel", closes=True)
