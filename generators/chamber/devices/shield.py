"""Shield: lets the player and rays through, but no things, carried or not, and no portal shots.

Its cells fill a doorway, the lowest first.
"""

from facelet.generators.chamber.world.device_protocol import Device

DEVICE = Device("shield", "H", "shield", joint=True, screens=True)
