"""Maps as records, and the knobs that they are made from.

A map holds a chamber, a shortest plan of it, and five independent mistakes, each a wrong version of
one step. All of it is text, as rows hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from facelet.generators.chamber.plans.mistakes import Mistake
from facelet.generators.chamber.world.chambers import Chamber
from facelet.generators.chamber.world.steps import Step
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.task import Need

KIND = "chamber/maps"
"""Kind of the need that the provider of maps serves."""
SHORTEST, LONGEST = 7, 30
"""Steps of a plan (MARBLE, appendix D.1: seven to several dozen)."""


@dataclass(frozen=True, slots=True)
class Knobs(BaseParams):
    """What decides which maps are made."""

    steps: int = param(
        7, "fewest steps of a shortest plan", low=SHORTEST, high=LONGEST, unit="steps", axis="steps"
    )
    most: int = param(
        LONGEST, "most steps of a shortest plan", low=SHORTEST, high=LONGEST, unit="steps"
    )
    rooms: int = param(3, "rooms in a row", low=1, high=6, unit="rooms")
    decoys: int = param(4, "fixtures that lead nowhere", low=0, high=12, unit="fixtures")
    devices: int = param(
        3, "fewest fixtures that act or can be carried", low=1, high=20, unit="fixtures"
    )
    placements: int = param(
        1, "fewest steps of the plan that shoot portals", low=0, high=10, unit="steps"
    )
    portals: bool = param(True, "whether no plan does without portals")
    lasers: bool = param(True, "whether there may be lasers, receivers and mirror cubes")
    bridges: bool = param(True, "whether there may be light bridges")
    beams: bool = param(True, "whether there may be carrying beams")
    plates: bool = param(True, "whether there may be launch plates")
    lifts: bool = param(True, "whether there may be lifts and stairs")
    dispensers: bool = param(True, "whether there may be dispensers")
    shields: bool = param(True, "whether there may be shields")

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        BaseParams.validate(self)
        if self.most < self.steps:
            raise ValueError(f"most={self.most!r} is below steps={self.steps!r}; use at least that")
        if self.placements and not self.portals:
            raise ValueError(
                f"placements={self.placements!r} asks for portals that portals=False does not; "
                "use 0"
            )

    def need(self) -> Need:
        """Return what a provider has to be asked for."""
        names = sorted(item.name for item in fields(Knobs))
        return Need(KIND, tuple((name, int(getattr(self, name))) for name in names))


def knobs_of(args: Sequence[tuple[str, str | int]]) -> Knobs:
    """Return the knobs of a need's arguments; the inverse of `Knobs.need`."""
    given = dict(args)
    default: Any = Knobs()
    kinds = {item.name: type(getattr(default, item.name)) for item in fields(Knobs)}
    return Knobs(**{name: kind(given[name]) for name, kind in kinds.items()})


@dataclass(frozen=True, slots=True)
class Map:
    """A map.

    Attributes:
        chamber: the chamber.
        plan: a shortest plan.
        visited: states that the search looked at until it was proven that none is shorter.
        mistakes: five independent mistakes, in the order of their steps.
        canonical: a text that two chambers share exactly if they are alike.
    """

    chamber: Chamber
    plan: tuple[Step, ...]
    visited: int
    mistakes: tuple[Mistake, ...]
    canonical: str


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps of which no two are alike, in the order in which tasks use them."""

    maps: tuple[Map, ...]

    @property
    def capacity(self) -> int:
        """Number of items that they can carry, one each."""
        return len(self.maps)
