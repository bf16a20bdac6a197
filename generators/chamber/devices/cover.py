"""Cover: a moving panel before a wall, out of which it slides; it closes its cell unless it is on.

It closes it as rock would, to shots, rays and whatever flies; what is in the cell as it slides out
is lifted on top. Composed chambers have it high up alone, where nobody walks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device
from facelet.generators.chamber.world.grid import LEVEL, Cell

if TYPE_CHECKING:
    from facelet.generators.chamber.composing.plot import Face, Plot

HEAD = 2
"""Cells above the ground from which on it is in nobody's way."""


class Cover(Device):
    """The kind; see the module. It faces the wall that it slides out of."""

    kind = "cover"
    letter = "I"
    noun = "moving panel"
    hides = True

    def solid(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return its cell while it is out."""
        return () if on else fixture.cells

    def hide(self, plot: Plot, face: Face) -> None:
        """Close the cell before a panel that is high in a wall."""
        cell, way = face
        if way in LEVEL and cell[2] >= plot.floor(cell) + HEAD:
            plot.add(self.kind, (cell,), way, inputs=plot.inputs())


DEVICE = Cover()
