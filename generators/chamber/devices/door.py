"""Door: closed to everything, sight and rays included, except while it is on."""

from __future__ import annotations

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import Cell


class Door(Device):
    """The kind; see the module. Its cells fill a doorway, the lowest first."""

    kind = "door"
    letter = "D"
    noun = "door"
    joint = True

    def solid_cells(self, fixture: Fixture, on: bool) -> tuple[Cell, ...]:
        """Return its cells while it is closed."""
        return () if on else fixture.cells


DEVICE = Door()
