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

Setting = Literal["visual", "described", "symbolic"]


@dataclass(frozen=True, slots=True)
class Asked(Knobs):
    """The knobs of maps, and how they are shown."""

    setting: Setting = param(
        "visual", "what shows the chamber: pictures, a description without places, or its text form"
    )
    hint: bool = param(False, "whether the plan shows a pair of panels that is used together")


@dataclass(frozen=True, slots=True)
class Ground:
    """A map as rows hold it."""

    chamber: str = column("the chamber, a line a fixture", role="puzzle")
    canonical: str = column("digest of the chamber up to symmetry and names", role="canonical")
    plan: tuple[str, ...] = column("a shortest plan, each step a verb and its arguments")
    visited: int = column("states that the search for it looked at")
    setting: str = column("what shows the chamber")
    hint: tuple[str, ...] = column("the panels that a hint joins; empty without a hint")


def ground(found: Map, params: Asked) -> Ground:
    """Return the columns of a map."""
    return Ground(
        write(found.chamber),
        digest(found.canonical),
        tuple(map(str, found.plan)),
        found.visited,
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
    if about.setting != "visual":
        return chat(wording.SYSTEM, f"{text}\n\n{task}")
    if about.hint:
        text = f"{text}\n{wording.HINT}"
    scenes = pictures.scenes(chamber(about), about.hint)
    return chat(wording.SYSTEM, text, *scenes, task)


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
    """Return the claim that no plan is shorter."""
    return (Claim("chamber/shortest", (("chamber", about.chamber), ("steps", len(about.plan)))),)
