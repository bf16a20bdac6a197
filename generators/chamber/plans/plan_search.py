"""Find a shortest plan by a compiled breadth-first search, which proves that none is shorter.

The search visits all states at distance k before any at k + 1. So when it first reaches the exit at
distance n, no plan has fewer than n steps; `PlanSearchResult.visited` counts the visited states. A
search that exceeds its limit gives up and proves nothing. `insight_proofs` defines which states are
equivalent.

This module encodes a chamber as tables for the compiled planner and decodes the steps that it
returns; `_tables.h` reads the numbers in the order in which they are written here. The planner is
loaded when it is first used, so maps can be played and scored where it was not compiled. The tests
compare it with a Python search that plays every step with the rules.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.world.chamber_records import (
    BLUE,
    COLOURS,
    COMPASS,
    LEAVE,
    ORANGE,
    Fixture,
    Step,
)
from facelet.generators.chamber.world.device_protocol import (
    BOUNCE,
    Device,
    ParabolicThrow,
    RunwaySprint,
)
from facelet.generators.core.compiled_parts import CompiledPart

if TYPE_CHECKING:
    from facelet.generators.chamber.plans import _planner as core
else:
    core = CompiledPart("facelet.generators.chamber.plans._planner", "the planner of test chambers")


_SHOOT_BLUE, _SHOOT_ORANGE, _BOTH, _TAKE, _PUT, _PRESS, _STAND, _ENTER, _DROP, _WAIT = range(10)
_VERBS = ("shoot", "shoot", "both", "take", "put", "press", "stand", "enter", "drop", "wait")
_SENSES = (None, "weight", "time", "light")
_RAYS = (None, "laser", "bridge", "beam")
_BEAMS = ("said", "floors", "nobody")
_REST, _LOST, _THROW, _SPRINT, _SPRING = range(5)
_PLAIN = {"rest": _REST, "lost": _LOST, BOUNCE: _SPRING}
_LARGEST = 2**31 - 1

Way = list[tuple[Step, bool]]
"""Steps, each with whether the colours of the portals were exchanged after it."""


@dataclass(frozen=True, slots=True)
class Omission:
    """What a search must do without; by default nothing.

    Attributes:
        portals: no portal is shot.
        speed: everything leaves portals as slowly as if it walked in.
        facings: directions that nothing is put down facing.
        sending: nothing is put into a beam, onto a plate or into a portal.
        lifting: nothing is taken off a button.
        carrying: a thing is picked up only at its first place, and so only once.
        pressing: a switch is pressed once only.
        light: receivers, by name, that no laser lights.
        time: how many steps less a switch stays on; one step is left in any case.
    """

    portals: bool = False
    speed: bool = False
    facings: frozenset[int] = frozenset()
    sending: bool = False
    lifting: bool = False
    carrying: bool = False
    pressing: bool = False
    light: frozenset[str] = frozenset()
    time: int = 0


NOTHING = Omission()


def run_search(
    rules: StepRules, limit: int, without: Omission, start: State | None, most: int | None
) -> tuple[Way | None, bool, int]:
    """Return a shortest way to the exit or None, whether that is proven, and the states visited.

    Args:
        rules: the rules of the chamber.
        limit: states to visit at most.
        without: what the search does without.
        start: where it begins; None for the beginning of the chamber.
        most: steps of the longest plan to look for, leaving included; None for any.

    Raises:
        ValueError: the chamber is too large, or its devices never come to rest.
        NotCompiled: the planner was not compiled.
    """
    table = array("i", iterate_tables(rules, without, start)).tobytes()
    deepest = _LARGEST if most is None else most - 1
    number, visited, steps = core.shortest(
        table, min(limit, _LARGEST), not without.portals, deepest
    )
    if number < 0:
        return None, number == -1, visited
    way = [(_decode_step(rules.chart, verb, args), bool(swap)) for verb, *args, swap in steps]
    return way, True, visited


def _decode_step(chart: StaticTables, verb: int, args: list[int]) -> Step:
    """Return a step of the compiled search."""
    names = [fixture.name for fixture in chart.fixtures]
    one, two, three = args
    if verb in (_PUT, _STAND, _ENTER):
        said = [names[one], *([COMPASS[two]] if verb == _PUT and two >= 0 else [])]
    elif verb == _TAKE:
        said = [names[chart.things[one]]]
    elif verb == _PRESS:
        said = [names[chart.switches[one]]]
    else:
        said = [chart.area_name[one] if one >= 0 else names[-1 - one]]
    if verb in (_SHOOT_BLUE, _SHOOT_ORANGE):
        said += [COLOURS[verb], names[chart.panels[two]]]
    elif verb == _BOTH:
        said += [names[chart.panels[two]], names[chart.panels[three]]]
    return Step(_VERBS[verb], tuple(said))


# --- tables ---------------------------------------------------------------------------------------


def iterate_tables(
    rules: StepRules, without: Omission = NOTHING, start: State | None = None
) -> Iterator[int]:
    """Yield the tables of a chamber, as `_tables.h` reads them.

    Args:
        rules: the rules of the chamber.
        without: what a search does without.
        start: where it begins; None for the beginning of the chamber.
    """
    chart = rules.chart
    chamber = chart.chamber
    yield from chamber.size
    closing = (sorted(chart.screens), sorted(chart.changing))
    yield from _pack_rows(chamber.floors, chamber.ceilings, *closing)
    yield len(chart.areas)
    yield from _pack_rows(*chart.areas)
    yield chart.area_of[chart.exit]
    pairs = list(zip(chart.fixtures, chart.devices, strict=True))
    yield len(pairs)
    for number, (fixture, kind) in enumerate(pairs):
        yield from _pack_fixture(chart, number, fixture, kind, fixture.name in without.light)
    yield from _pack_map(chart.special)
    felt = [
        chart.cell_to_number(f.first_cell)
        for f, kind in pairs
        if kind.senses and kind.is_special(f)
    ]
    yield from _pack_map({cell: place for place, cell in enumerate(felt)})
    yield from _pack_rows(
        chart.joints,
        [part for emitter in chart.emitters for part in emitter],
        chart.panels,
        [cell for cell, _ in chart.face],
        [facing for _, facing in chart.face],
        [chart.devices[i].turns for i in chart.things],
        chart.switches,
        [max(1, steps - without.time) if steps else 0 for steps in chart.lasting],
    )
    yield len(chart.givers)
    for giver, cell, things in chart.givers:
        yield from (giver, cell, len(things), *things)
    fixed = _self_contained_steps(chart)
    first = rules.beginning if start is None else start
    given = [first.given >> place & 1 for place in range(len(chart.givers))]
    yield from _pack_rows(
        [
            i
            for i, (_, kind) in enumerate(pairs)
            if "put" in kind.verbs and not (without.sending and "enter" in kind.verbs)
        ],
        [verb for verb, _ in fixed],
        [item for _, item in fixed],
        [first.player, *first.portals, *given, *first.things, *first.facings, *first.timers],
    )
    yield from (without.speed, sum(1 << facing for facing in without.facings))
    yield from (without.lifting, without.carrying, without.pressing)
    reading = chart.reading
    yield from (reading.eye, reading.grazing, reading.one_place, reading.jumps)
    yield _BEAMS.index(reading.beams)


def _pack_rows(*rows: Iterable[int]) -> Iterator[int]:
    for values in rows:
        row = list(map(int, values))
        yield from (len(row), *row)


def _pack_map(values: dict[int, int]) -> Iterator[int]:
    yield len(values)
    for pair in values.items():
        yield from pair


def _self_contained_steps(chart: StaticTables) -> list[tuple[int, int]]:
    """Return verbs and items of all steps that need no other argument."""
    found = [(_PRESS, place) for place, _ in enumerate(chart.switches)]
    for code, verb in ((_STAND, "stand"), (_ENTER, "enter")):
        found += [(code, i) for i, kind in enumerate(chart.devices) if verb in kind.verbs]
    return found + [(_DROP, chart.area_named[name]) for name in sorted(chart.area_named)]


def _pack_fixture(
    chart: StaticTables, number: int, fixture: Fixture, kind: Device, dark: bool
) -> Iterator[int]:
    place = chart.cell_to_number(fixture.first_cell) if fixture.cells else -1
    yield from (place, fixture.kind == "panel", kind.plunge)
    landing = kind.landing_result(fixture)
    if isinstance(landing, ParabolicThrow):
        yield from (_THROW, landing.direction, landing.distance, landing.rise)
    elif isinstance(landing, RunwaySprint):
        yield from (_SPRINT, landing.direction, landing.count, landing.faster)
    else:
        yield from (_PLAIN[landing], 0, 0, 0)
    yield from (_SENSES.index(kind.senses), place)
    # A receiver that faces no direction is lit by no laser.
    yield chart.switch[fixture.name] if kind.senses == "time" else -1 if dark else fixture.facing
    yield from _pack_rows(chart.inputs[number])
    for on in (False, True):
        yield from _pack_rows(
            map(chart.cell_to_number, kind.solid_cells(fixture, on)),
            map(chart.cell_to_number, kind.list_watched_cells(fixture, on)),
        )
        ray = kind.emit_ray(fixture, on)
        yield from (_RAYS.index(ray.kind if ray else None), ray is not None and ray.backwards)


LIMIT = 60_000
"""States that a search visits before it gives up."""


@dataclass(frozen=True, slots=True)
class PlanSearchResult:
    """What a search found.

    Attributes:
        plan: a shortest plan; None if there is none.
        proven: whether the whole space was looked at, as far as it matters. False if the search
            gave up.
        visited: states that were looked at.
    """

    plan: tuple[Step, ...] | None
    proven: bool
    visited: int


def find_shortest_plan(
    rules: StepRules,
    *,
    limit: int = LIMIT,
    without: Omission = NOTHING,
    start: State | None = None,
    most: int | None = None,
) -> PlanSearchResult:
    """Return a shortest plan.

    Args:
        rules: the rules of the chamber.
        limit: states to visit at most.
        without: what the plan has to do without.
        start: where it begins; None for the beginning of the chamber.
        most: steps of the longest plan to look for, leaving included. That there is none as short
            is then proven where no plan was found. None for any.

    Raises:
        ValueError: the chamber is too large, or its devices never come to rest.
    """
    way, proven, visited = run_search(rules, limit, without, start, most)
    return PlanSearchResult(None if way is None else in_play(way), proven, visited)


def in_play(way: list[tuple[Step, bool]]) -> tuple[Step, ...]:
    """Return the plan of a way through a search, with the colours as they would be in play.

    Args:
        way: the steps, each with whether the colours were exchanged after it.
    """
    plan: list[Step] = []
    exchanged = False
    for step, swapped in way:
        plan.append(exchange_colours(step) if exchanged else step)
        exchanged ^= swapped
    return (*plan, LEAVE)


def exchange_colours(step: Step) -> Step:
    """Return a step with the two colours exchanged."""
    verb, args = step
    if verb == "shoot":
        return Step(verb, (args[0], ORANGE if args[1] == BLUE else BLUE, args[2]))
    return Step(verb, (args[0], args[2], args[1])) if verb == "both" else step
