"""Floor: the name of a piece of floor; its cell is where the name stands.

A piece of floor is all plain floor between which one can walk while no device is on and no portal
is open; one climbs and descends a height of one cell.
"""

from __future__ import annotations

from facelet.generators.chamber.world.device_protocol import Device


class Floor(Device):
    """The kind; see the module."""

    kind = "floor"
    letter = "F"
    noun = "floor"


DEVICE = Floor()
