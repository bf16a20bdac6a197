"""Exit: who can walk to it can leave."""

from __future__ import annotations

from facelet.generators.chamber.world.device_protocol import Device


class Exit(Device):
    """The kind; see the module."""

    kind = "exit"
    letter = "X"
    noun = "exit"
    named = False


DEVICE = Exit()
