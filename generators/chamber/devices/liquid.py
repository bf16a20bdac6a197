"""Liquid: kills the player and swallows things."""

from __future__ import annotations

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device, Landing


class Liquid(Device):
    """The kind; see the module. Its cells are the bottom of a pool."""

    kind = "liquid"
    letter = "W"
    noun = "liquid"
    named = False

    def is_special(self, fixture: Fixture) -> bool:
        """Return that it is."""
        return True

    def landing_result(self, fixture: Fixture) -> Landing:
        """Return that all is lost."""
        return "lost"


DEVICE = Liquid()
