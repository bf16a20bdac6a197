"""Pictures: the scenes of a chamber in a state: the plan, one of each room, and the hint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.world.chambers import DIGITS, Chamber, Fixture
from facelet.generators.chamber.world.kinds import device
from facelet.generators.chamber.world.steps import Step
from facelet.renderers.scenes.chamber import (
    ChamberItem,
    ChamberPlan,
    ChamberRay,
    ChamberRoom,
)
from facelet.renderers.scenes.records import Scene

SAME = {"exit": "EXIT", "start": "START"}


@lru_cache(maxsize=64)
def scenes(chamber: Chamber, link: tuple[str, ...] = ()) -> tuple[Scene, ...]:
    """Return the scenes of a chamber at its beginning: the plan, then its rooms.

    Args:
        chamber: the chamber.
        link: names of two panels to join in the plan, for a hint.
    """
    engine = rules(chamber)
    return shown(engine, engine.beginning, link)


def shown(engine: Rules, state: State, link: tuple[str, ...] = ()) -> tuple[Scene, ...]:
    """Return the scenes of a chamber in a state: the plan, then its rooms.

    Args:
        engine: the rules of the chamber.
        state: the state.
        link: names of two panels to join in the plan.
    """
    chamber = engine.chart.chamber
    floors, ceilings = heights(chamber, chamber.floors), heights(chamber, chamber.ceilings)
    items, rays = _items(engine, state), _rays(engine, state)
    seen = "seen from the south-west (left) and from the north-east (right)"
    rooms = tuple(
        ChamberRoom(floors, ceilings, items, rays, box, f"Room {number}, {seen}")
        for number, box in enumerate(sorted(chamber.rooms), 1)
    )
    plan = ChamberPlan(floors, ceilings, items, rays, table(chamber), link)
    return (plan, *rooms)


def heights(chamber: Chamber, values: Sequence[int]) -> str:
    """Return heights as a scene has them."""
    wide = chamber.size[0]
    lines = (values[first : first + wide] for first in range(0, len(values), wide))
    return "/".join("".join(DIGITS[value] for value in line) for line in lines)


def _items(engine: Rules, state: State) -> tuple[ChamberItem, ...]:
    chart = engine.chart
    now = engine.situation(state)
    found = []
    for number, fixture in enumerate(chart.fixtures):
        name = SAME.get(fixture.kind, "" if fixture.kind == "liquid" else fixture.name)
        cells, facing = fixture.cells, fixture.facing
        if number in chart.things:
            thing = chart.things.index(number)
            if state.things[thing] < 0:
                continue
            cells, facing = (chart.place(state.things[thing]),), state.facings[thing]
        height = 0
        if fixture.kind == "lift" and not now.on[number]:
            height = fixture.numbers[0]
        found.append(ChamberItem(fixture.kind, name, cells, facing, height))
    return tuple(found)


def _rays(engine: Rules, state: State) -> tuple[ChamberRay, ...]:
    now = engine.situation(state)
    return tuple(
        ChamberRay(kind, tuple(map(engine.chart.place, path.cells)))  # type: ignore[arg-type]
        for _, kind, path in now.paths
    )


def table(chamber: Chamber) -> tuple[str, ...]:
    """Return what drives what, and the figures of devices: one line a fixture."""
    lines = []
    given: dict[str, list[str]] = {}
    for fixture in chamber.fixtures:
        if device(fixture.kind).thing:
            for name in fixture.inputs:
                given.setdefault(name, []).append(fixture.name)
    for fixture in chamber.fixtures:
        if not device(fixture.kind).thing and (words := _line(fixture, given)):
            lines.append(f"{fixture.name} {device(fixture.kind).noun}: {words}")
    return tuple(lines)


def _line(fixture: Fixture, given: dict[str, list[str]]) -> str:
    parts = []
    driven = " and ".join(fixture.inputs)
    if fixture.kind == "switch":
        steps = fixture.numbers[0]
        parts.append(f"on for {steps} step{'s'[: steps > 1]}" if steps else "on for good")
    if fixture.kind == "plate":
        parts.append(f"throws {fixture.numbers[0]} far, {fixture.numbers[1]} high")
    if fixture.kind == "lift":
        parts.append(f"{fixture.numbers[0]} high")
    if fixture.kind == "dispenser":
        parts.append(f"gives {' and '.join(given.get(fixture.name, ['nothing']))}")
    if fixture.kind == "beam" and fixture.numbers[0] == 1:
        verb = "are" if len(fixture.inputs) > 1 else "is"
        parts.append(
            f"runs, and backwards while {driven} {verb} on" if driven else "runs backwards"
        )
    elif driven:
        state = "open" if fixture.kind == "door" else "on"
        parts.append(f"{state} while {driven} {'are' if len(fixture.inputs) > 1 else 'is'} on")
    return ", ".join(parts)


def hint(plan: Sequence[Step]) -> tuple[str, ...]:
    """Return the pair of panels that holds the portals at the first use of both, or ()."""
    open_now: dict[str, str] = {}
    for step in plan:
        if step.verb == "both":
            return step.args[1], step.args[2]
        if step.verb == "shoot":
            open_now[step.args[1]] = step.args[2]
            if len(open_now) == 2:
                return tuple(sorted(open_now.values()))
    return ()
