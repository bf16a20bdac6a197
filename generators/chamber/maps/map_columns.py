"""Ground: what rows about one map have in common, its columns, its pictures and its proofs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from facelet.generators.chamber.engine.runs import rules, run
from facelet.generators.chamber.maps.records import Knobs, Map
from facelet.generators.chamber.showing import pictures, wording
from facelet.generators.chamber.world.chambers import Chamber, canonical, read, write
from facelet.generators.chamber.world.steps import Step, parse
from facelet.generators.core.columns import column
from facelet.generators.core.params import param
from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.task import Claim

Setting = Literal["visual", "rooms", "first_person", "all", "described", "symbolic"]


SHARED_GROUP = "rows about one map show the same rooms"
"""Why rows whose prompts differ share the group of their map."""


@dataclass(frozen=True, slots=True)
class Asked(Knobs):
    """The knobs of maps, and how they are shown."""

    setting: Setting = param(
        "visual",
        "what shows the chamber: a plan and the rooms at an angle (visual), these rooms alone "
        "(rooms), the rooms in perspective from standing points (first_person), all of these, "
        "words without places (described), or its text form (symbolic)",
    )
    hint: bool = param(False, "whether the plan shows a pair of panels that is used together")


@dataclass(frozen=True, slots=True)
class Ground:
    """A map as rows hold it."""

    chamber: str = column("the chamber, a line a fixture", role="puzzle")
    canonical: str = column("digest of the chamber up to symmetry and names", role="canonical")
    plan: tuple[str, ...] = column("a shortest plan, each step a verb and its arguments")
    visited: int = column("states that the search for it looked at")
    insights: tuple[str, ...] = column(
        "what the chamber cannot be solved without, each proven by taking it away"
    )
    setting: str = column("what shows the chamber")
    hint: tuple[str, ...] = column("the panels that a hint joins; empty without a hint")


def ground(found: Map, params: Asked) -> Ground:
    """Return the columns of a map."""
    return Ground(
        write(found.chamber),
        digest(found.canonical),
        tuple(map(str, found.plan)),
        found.visited,
        found.insights,
        params.setting,
        pictures.hint(found.plan) if params.hint else (),
    )


def digest(text: str) -> str:
    """Return the digest of a canonical text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def chamber(about: Ground) -> Chamber:
    """Return the chamber."""
    return _read(about.chamber)


@lru_cache(maxsize=64)
def _read(text: str) -> Chamber:
    """Return the chamber of a text; the rows of a map share it."""
    return read(text)


def steps(about: Ground) -> tuple[Step, ...]:
    """Return the plan."""
    return tuple(map(parse, about.plan))


def ask(about: Ground, task: str) -> Prompt:
    """Return the chamber as its setting shows it, with a task behind it.

    Args:
        about: the map.
        task: what is asked.
    """
    text = wording.described(about.chamber, about.setting)
    if about.setting not in pictures.PICTURED:
        return chat(wording.SYSTEM, f"{text}\n\n{task}")
    if hinted(about):
        text = f"{text}\n{wording.HINT}"
    scenes = pictures.scenes(chamber(about), about.hint, about.setting)
    return chat(wording.SYSTEM, text, *scenes, task)


def hinted(about: Ground) -> bool:
    """Return whether a plan is shown that joins two panels."""
    return bool(about.hint) and about.setting in ("visual", "all")


def faults(about: Ground) -> list[str]:
    """Return what is false about a map; that its plan is shortest is left to `claims`."""
    try:
        place, plan = chamber(about), steps(about)
        engine = rules(place)
    except ValueError as error:
        return [f"it is no chamber with a plan: {error}"]
    found = []
    if digest(canonical(place)) != about.canonical:
        found.append("the canonical digest is another chamber's")
    if not run(engine, plan).left:
        found.append("the plan does not lead out")
    if about.hint and about.hint != pictures.hint(plan):
        found.append("the hint joins other panels")
    return found


def claims(about: Ground) -> tuple[Claim, ...]:
    """Return the claims that no plan is shorter, and that each insight is needed."""
    given = ("chamber", about.chamber)
    shortest = Claim("chamber/shortest", (given, ("steps", len(about.plan))))
    plan = ("plan", "; ".join(about.plan))
    return (
        shortest,
        *(Claim("chamber/insight", (given, ("name", name), plan)) for name in about.insights),
    )
