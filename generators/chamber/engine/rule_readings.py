"""The rules as stated, and other ways in which a careful reader may understand them.

A reading changes only what counts as visible, what counts as a walk, and whom a beam carries.
Labels follow SAID. Maps must not depend on the choice between SAID and OTHERS;
`plans.reading_stability` checks that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RuleReading:
    """A way to read the rules; without arguments, the rules as stated.

    Attributes:
        eye: how many cells above the feet the eye is, 0 or 1; it stays below where rock is above.
        grazing: whether a line of sight may graze closed edges and corners.
        one_place: whether both portals of one step are shot from one cell of a floor, not each from
            a cell of its own.
        jumps: whether the player may jump onto a button, a lift or a launch plate from a ledge, or
            drop something onto it; otherwise it can step there only over one cell of height.
        beams: whether a beam also carries a player on a floor in it ("floors"), or no player at
        rest
            in it ("nobody"); as stated, it carries the player where there is no floor ("said").
    """

    eye: int = 0
    grazing: bool = True
    one_place: bool = False
    jumps: bool = True
    beams: Literal["said", "floors", "nobody"] = "said"


SAID = RuleReading()
OTHERS: Mapping[str, RuleReading] = {
    "an eye one cell higher": RuleReading(eye=1),
    "no grazing of edges": RuleReading(grazing=False),
    "both portals from one place": RuleReading(one_place=True),
    "no jump onto a device": RuleReading(jumps=False),
    "a beam carries a player on a floor": RuleReading(beams="floors"),
    "a beam carries no player at rest": RuleReading(beams="nobody"),
}
