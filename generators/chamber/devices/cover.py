"""Cover: a moving panel before a wall, out of which it slides; it closes its cell unless it is on.

It closes it as rock would, to shots, rays and whatever flies; what is in the cell as it slides out
is lifted on top. Composed chambers have it high up alone, where nobody walks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import LEVEL, Cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composition.rock_grid import Face, RockGrid

HEAD = 2
"""Cells above the ground from which on it is in nobody's way."""


class Cover(Device):
    """The kind; see the module. It faces the wall that it slides out of."""

    kind = "cover"
    letter = "I"
    noun = "moving panel"
    hides = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return its cell while it is out."""
        return () if on else fixture.cells

    def hide_panel(self, plot: RockGrid, face: Face) -> None:
        """Close the cell before a panel that is high in a wall."""
        cell, way = face
        if way in LEVEL and cell[2] >= plot.floor_cell(cell) + HEAD:
            plot.add_fixture(self.kind, (cell,), way, inputs=plot.draw_inputs())


DEVICE = Cover()
