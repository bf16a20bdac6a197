"""The state of a chamber: everything that changes while it is played.

The player is in an area, where walking is free, or on a cell outside all areas. A state represents
an area by its anchor cell, so that equivalent positions are equal states.
"""

from __future__ import annotations

from typing import NamedTuple

AWAY = -1
"""The cell of a thing that has not been given out yet, or was lost."""
CARRIED = -2
"""The cell of the thing that the player carries."""
NOWHERE = -1
"""The cell of a walking player, who presses no button."""
UNSET = -1
"""The panel of a portal that has not been shot yet."""


# A named tuple, not a dataclass: the planner makes and hashes millions.
class State(NamedTuple):
    """A state; all tuples are parallel to those of the chart.

    Attributes:
        player: the player's cell; in an area its anchor.
        things: the cell of each thing, AWAY or CARRIED.
        facings: the direction that each thing faces; -1 for those that do not turn.
        portals: the panels of the blue and of the orange portal, or UNSET.
        timers: how many steps each switch still stays on.
        given: bits of the dispensers that are on.
    """

    player: int
    things: tuple[int, ...]
    facings: tuple[int, ...]
    portals: tuple[int, int]
    timers: tuple[int, ...]
    given: int
