"""Exit: the player leaves the chamber here."""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("exit", "X", "exit")
