"""The two metrics: how moves are counted, and how far from solved a state can be.

In "htm" (half turn metric) every turn of a face is one move; in "qtm" (quarter turn metric) a half
turn is two. Distance, depth and length are in one of them throughout.
"""

from __future__ import annotations

from typing import Literal

Metric = Literal["htm", "qtm"]

COST: dict[Metric, tuple[int, int, int]] = {"htm": (1, 1, 1), "qtm": (1, 2, 1)}
"""Length of a quarter turn, a half turn and a counter-clockwise quarter turn of a face."""

DIAMETER: dict[Metric, int] = {"htm": 20, "qtm": 26}
"""The greatest distance there is (Rokicki, Kociemba, Davidson, Dethridge 2010 and 2014)."""
