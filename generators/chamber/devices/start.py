"""Start: where the player begins."""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("start", "A", "start")
