"""Columns, prompts, checks and claims that all rows about a map share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, Protocol

from facelet.generators.chamber.engine.plan_runner import chamber_rules, run_plan
from facelet.generators.chamber.maps.map_records import ChamberMap, Knobs
from facelet.generators.chamber.presentation import chamber_scenes, rule_text
from facelet.generators.chamber.world.chamber_records import (
    Chamber,
    canonical_text,
    format_chamber,
    parse_chamber,
)
from facelet.generators.chamber.world.step_records import Step, parse_step
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.row_schema import column
from facelet.generators.core.task import Claim, Need

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
