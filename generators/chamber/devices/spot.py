"""Spot: a mark on the floor where the player can put a thing down."""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("spot", "Q", "spot", verbs=frozenset({"put"}))
