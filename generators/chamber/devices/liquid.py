"""Liquid: kills the player and swallows things. Its cells are the bottom of a pool."""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("liquid", "W", "liquid", special=True, landing="lost")
