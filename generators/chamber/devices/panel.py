"""Panel: a square of wall, floor or ceiling that takes a portal; nothing else does.

It is a face of its cell: a panel at 3,2,1 with the facing "north" is on the wall north of that
cell, one with the facing "down" in its floor.
"""

from __future__ import annotations

from facelet.generators.chamber.world.chamber_records import DOWN, Fixture
from facelet.generators.chamber.world.device_protocol import Device


class Panel(Device):
    """The kind; see the module."""

    def is_special(self, fixture: Fixture) -> bool:
        """Return whether it is in the floor."""
        return fixture.facing == DOWN


DEVICE = Panel("panel", "P", "panel", plunge=True, verbs=frozenset({"put", "enter"}))
