"""Laser: a line of light that ends on rock, a closed door or a weighted cube.

A mirror cube sends it on in the direction that the cube faces. It harms nobody.
"""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("laser", "L", "laser", ray="laser")
