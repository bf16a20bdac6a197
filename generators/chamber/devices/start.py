"""Start: where the player begins."""

from __future__ import annotations

from facelet.generators.chamber.world.device_protocol import Device


class Start(Device):
    """The kind; see the module."""

    kind = "start"
    letter = "A"
    noun = "start"
    named = False


DEVICE = Start()
