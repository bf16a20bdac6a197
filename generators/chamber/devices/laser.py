"""Laser: a line of light that ends on rock, a closed door or a weighted cube.

A mirror cube sends it on in the direction that the cube faces. It harms nobody.
"""

from __future__ import annotations

from facelet.generators.chamber.world.chambers import Fixture
from facelet.generators.chamber.world.device import Device, Ray


class Laser(Device):
    """The kind; see the module."""

    kind = "laser"
    letter = "L"
    noun = "laser"
    named = False

    def ray(self, fixture: Fixture, on: bool) -> Ray | None:
        """Return the light while it is on."""
        return Ray("laser") if on else None


DEVICE = Laser()
