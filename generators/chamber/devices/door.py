"""Door: closed to everything, including sight and rays, while it is off.

Its cells fill a doorway, the lowest first.
"""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("door", "D", "door", joint=True, closes=True)
