"""Floor: the name of a piece of floor; its cell is where pictures write the name.

A piece of floor is all plain floor that is connected by walking while no device is on and no portal
is open. The player climbs and descends a height of one cell.
"""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("floor", "F", "floor")
