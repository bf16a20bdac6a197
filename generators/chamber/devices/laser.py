"""Laser: a line of light that ends on rock, a closed door or a weighted cube.

A mirror cube sends it on in the direction that the cube faces. It harms nobody.
"""

from __future__ import annotations

from facelet.generators.chamber.world.chamber_records import Fixture
from facelet.generators.chamber.world.device_protocol import Device, EmittedRay


class Laser(Device):
    """The kind; see the module."""

    kind = "laser"
    letter = "L"
    noun = "laser"
    named = False

    def emit_ray(self, fixture: Fixture, on: bool) -> EmittedRay | None:
        """Return the light while it is on."""
        return EmittedRay("laser") if on else None


DEVICE = Laser()
