"""Shield: lets the player and rays through, but no thing, carried or not, and no portal shot."""

from __future__ import annotations

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device
from facelet.generators.chamber.world.grid import Cell


class Shield(Device):
    """The kind; see the module. Its cells fill a doorway, the lowest first."""

    kind = "shield"
    letter = "H"
    noun = "shield"
    named = False
    joint = True

    def list_screened_cells(self, fixture: Fixture) -> tuple[Cell, ...]:
        """Return its cells."""
        return fixture.cells


DEVICE = Shield()
