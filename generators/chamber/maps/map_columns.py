"""What all rows about a map share: the knobs, the records, the columns, the prompts and the checks.

A map is generated from knobs. It contains a chamber, a shortest plan of it, and five independent
mistakes, each a wrong version of one step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Protocol

from facelet.generators.chamber.engine.step_rules import chamber_rules, run_plan
from facelet.generators.chamber.plans.plan_mistakes import Mistake
from facelet.generators.chamber.presentation import chamber_scenes, rule_text
from facelet.generators.chamber.world.chamber_records import (
    Chamber,
    Step,
    canonical_text,
    format_chamber,
    parse_chamber,
    parse_step,
)
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.row_schema import column
from facelet.generators.core.task import Claim, Need

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


Setting = Literal["visual", "rooms", "first_person", "all", "described", "symbolic"]


SHARED_GROUP = "rows about one map show the same rooms"
"""Why rows whose prompts differ share the group of their map."""
GENERATED = (
    Deviation(
        "16 hand-made maps of a commercial game, with its pictures",
        "generated chambers, drawn here, every label proven by simulation",
        "nothing of the game is copied, and the number of maps is unlimited",
    ),
)


@dataclass(frozen=True, slots=True)
class MapParams(Knobs):
    """The knobs of maps, and how they are shown."""

    setting: Setting = param(
        "visual",
        "what shows the chamber: a plan and the rooms at an angle (visual), these rooms alone "
        "(rooms), the rooms in perspective from standing points (first_person), all of these, "
        "words without places (described), or its text form (symbolic)",
    )
    hint: bool = param(False, "whether the plan shows a pair of panels that is used together")


@dataclass(frozen=True, slots=True)
class MapRecord:
    """The columns of a map."""

    chamber: str = column("the chamber, a line a fixture", role="puzzle")
    canonical: str = column("digest of the chamber up to symmetry and names", role="canonical")
    plan: tuple[str, ...] = column("a shortest plan, each step a verb and its arguments")
    visited: int = column("states that the search for it looked at")
    insights: tuple[str, ...] = column(
        "what the chamber cannot be solved without, each proven by taking it away"
    )
    setting: str = column("what shows the chamber")
    hint: tuple[str, ...] = column("the panels that a hint joins; empty without a hint")


def map_to_record(found: ChamberMap, params: MapParams) -> MapRecord:
    """Return the columns of a map."""
    return MapRecord(
        format_chamber(found.chamber),
        digest_text(found.canonical),
        tuple(map(str, found.plan)),
        found.visited,
        found.insights,
        params.setting,
        chamber_scenes.portal_hint(found.plan) if params.hint else (),
    )


def digest_text(text: str) -> str:
    """Return the digest of a canonical text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read_chamber(about: MapRecord) -> Chamber:
    """Return the chamber."""
    return parse_chamber(about.chamber)


def plan_steps(about: MapRecord) -> tuple[Step, ...]:
    """Return the plan."""
    return tuple(map(parse_step, about.plan))


def map_prompt(about: MapRecord, task: str) -> Prompt:
    """Return the chamber as its setting shows it, with a task behind it.

    Args:
        about: the map.
        task: what is asked.
    """
    text = rule_text.describe_rules(about.chamber, about.setting)
    if about.setting not in chamber_scenes.PICTURED:
        return chat_prompt(rule_text.SYSTEM, f"{text}\n\n{task}")
    if has_hint(about):
        text = f"{text}\n{rule_text.HINT}"
    scenes = chamber_scenes.chamber_scenes(read_chamber(about), about.hint, about.setting)
    return chat_prompt(rule_text.SYSTEM, text, *scenes, task)


def has_hint(about: MapRecord) -> bool:
    """Return whether a plan is shown that joins two panels."""
    return bool(about.hint) and about.setting in ("visual", "all")


def find_map_faults(about: MapRecord) -> list[str]:
    """Return what is false about a map; that its plan is shortest is left to `map_claims`."""
    try:
        place, plan = read_chamber(about), plan_steps(about)
        engine = chamber_rules(place)
    except ValueError as error:
        return [f"it is no chamber with a plan: {error}"]
    found = []
    if digest_text(canonical_text(place)) != about.canonical:
        found.append("the canonical digest is another chamber's")
    if not run_plan(engine, plan).has_left:
        found.append("the plan does not lead out")
    if about.hint and about.hint != chamber_scenes.portal_hint(plan):
        found.append("the hint joins other panels")
    return found


def map_claims(about: MapRecord) -> tuple[Claim, ...]:
    """Return the claims that no plan is shorter, and that each insight is needed."""
    given = ("chamber", about.chamber)
    shortest = Claim("chamber/shortest", (given, ("steps", len(about.plan))))
    plan = ("plan", "; ".join(about.plan))
    return (
        shortest,
        *(Claim("chamber/insight", (given, ("name", name), plan)) for name in about.insights),
    )


class AboutMap(Protocol):
    """A row about a map."""

    @property
    def ground(self) -> MapRecord:
        """The map."""


class MapTask:
    """What all tasks about maps share: the maps they need, the group and the claims of a row."""

    def needs(self, params: MapParams) -> Need:
        """Return the maps."""
        return params.map_need()

    def group_key(self, instance: AboutMap) -> str:
        """Return the digest of the chamber."""
        return instance.ground.canonical

    def claims(self, instance: AboutMap) -> tuple[Claim, ...]:
        """Return the claims that no plan is shorter, and that each insight is needed."""
        return map_claims(instance.ground)
