"""Records of maps, and the knobs that they are generated from.

A map contains a chamber, a shortest plan of it, and five independent mistakes, each a wrong version
of one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from facelet.generators.chamber.plans.plan_mistakes import Mistake
from facelet.generators.chamber.world.chamber_records import Chamber
from facelet.generators.chamber.world.step_records import Step
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.task import Need

KIND = "chamber/maps"
"""Kind of the need that the provider of maps serves."""
SHORTEST, LONGEST = 7, 30
"""Fewest steps that can be asked of a plan (MARBLE, appendix D.1: seven to several dozen)."""
SPREAD = 4
"""Default of the most steps of a plan beyond the fewest."""
LAST = 24
"""Fewest steps of the last band, which goes on up to LONGEST."""
FEWEST_ROOMS, MOST_ROOMS = 3, 9
"""Default bounds of the rooms. A room takes between two and three steps of a plan."""


@dataclass(frozen=True, slots=True)
class Knobs(BaseParams):
    """What decides which maps are made."""

    steps: int = param(
        7, "fewest steps of a shortest plan", low=SHORTEST, high=LONGEST, unit="steps", axis="steps"
    )
    most: int = param(
        0,
        "most steps of a shortest plan; 0 for four more than the fewest, from 24 on up to 30",
        low=0,
        high=LONGEST + SPREAD,
        unit="steps",
    )
    rooms: int = param(
        0, "rooms in a row; 0 for as many as the steps need", low=0, high=MOST_ROOMS, unit="rooms"
    )
    decoys: int = param(4, "fixtures that lead nowhere", low=0, high=12, unit="fixtures")
    devices: int = param(
        3, "fewest fixtures that act or can be carried", low=1, high=20, unit="fixtures"
    )
    placements: int = param(
        1, "fewest steps of the plan that shoot portals", low=0, high=10, unit="steps"
    )
    insights: int = param(
        0,
        "fewest insights that a plan needs: momentum, a mirror's facing, a trap and others",
        low=0,
        high=5,
        unit="insights",
    )
    portals: bool = param(True, "whether no plan does without portals")
    lasers: bool = param(True, "whether there may be lasers, receivers and mirror cubes")
    bridges: bool = param(True, "whether there may be light bridges")
    beams: bool = param(True, "whether there may be carrying beams")
    plates: bool = param(True, "whether there may be launch plates")
    lifts: bool = param(True, "whether there may be lifts and stairs")
    dispensers: bool = param(True, "whether there may be dispensers")
    shields: bool = param(True, "whether there may be shields")
    mechanics: bool = param(
        False, "whether there may be turrets, pistons, moving panels, bouncing gel and speed gel"
    )

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        BaseParams.validate(self)
        if 0 < self.most < self.steps:
            raise ValueError(
                f"most={self.most!r} is below steps={self.steps!r}; use at least that, or 0"
            )
        if self.placements and not self.portals:
            raise ValueError(
                f"placements={self.placements!r} asks for portals that portals=False does not; "
                "use 0"
            )

    def resolve_knobs(self) -> Knobs:
        """Return the knobs with numbers for what was left to the steps."""
        usual = min(MOST_ROOMS, max(FEWEST_ROOMS, (self.steps + SPREAD // 2) * 3 // 8))
        least = LONGEST if self.steps >= LAST else 0
        most = self.most or max(least, self.steps + SPREAD)
        return replace(self, most=most, rooms=self.rooms or usual)

    def map_need(self) -> Need:
        """Return what a provider has to be asked for."""
        names, whole = sorted(item.name for item in fields(Knobs)), self.resolve_knobs()
        if not whole.mechanics:
            names.remove("mechanics")  # a map's randomness follows from what is asked for
        return Need(KIND, tuple((name, int(getattr(whole, name))) for name in names))


def knobs_of(args: Sequence[tuple[str, str | int]]) -> Knobs:
    """Return the knobs of a need's arguments; the inverse of `Knobs.map_need`."""
    given = dict(args)
    default: Any = Knobs()
    kinds = {item.name: type(getattr(default, item.name)) for item in fields(Knobs)}
    return Knobs(**{name: kind(given.get(name, 0)) for name, kind in kinds.items()})


@dataclass(frozen=True, slots=True)
class ChamberMap:
    """A map.

    Attributes:
        chamber: the chamber.
        plan: a shortest plan.
        visited: states that the search looked at until it was proven that none is shorter.
        mistakes: five independent mistakes, in the order of their steps.
        canonical: a text that is equal for equivalent chambers only.
        insights: the names of what it cannot be solved without, sorted; see `plans.insight_proofs`.
    """

    chamber: Chamber
    plan: tuple[Step, ...]
    visited: int
    mistakes: tuple[Mistake, ...]
    canonical: str
    insights: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MapPool:
    """Maps, no two of them equivalent, in the order in which tasks use them."""

    maps: Sequence[ChamberMap]

    @property
    def capacity(self) -> int:
        """Number of items that they can carry, one each."""
        return len(self.maps)
