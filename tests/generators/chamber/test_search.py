"""The planner against its twin and a search that knows no shortcuts, and its plans carried out."""

import json
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import chamber_search
import numpy as np
import pytest
from chamber_jumble import draw_survivable_state, iterate_jumbles
from chamber_worlds import WORLDS

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, run_plan
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs, MapPool
from facelet.generators.chamber.plans import plan_search
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.plan_search import (
    Omission,
    PlanSearchResult,
    find_shortest_plan,
)
from facelet.generators.chamber.world.chamber_records import COMPASS, LEAVE, Step, parse_chamber
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Need, Reject
from facelet.pipeline.chamber.maps import maps_of

SHARED = Path(__file__).parents[2] / "shared"
SMALL = 700
"""States, of the reduced search, up to which the plain one is tried."""


def make_small_worlds(count: int):
    seed = found = 0
    while found < count:
        seed += 1
        rng = np.random.default_rng(seed)
        try:
            rules = StepRules(
                StaticTables(compose_chamber(1 + seed % 3 // 2, 1, tuple(devices_by_kind()), rng))
            )
        except (Reject, ValueError):
            continue
        result = find_shortest_plan(rules, limit=SMALL)
        if result.proven:
            found += 1
            yield rules, result


def list_steps(rules: StepRules) -> list[Step]:
    """Return all steps that have a chance, by the names of their arguments alone."""
    fixtures = rules.chart.fixtures
    kind = {f.name: f.kind for f in fixtures}
    origins = [n for n, k in kind.items() if k in ("floor", "button", "lift")]
    panels = [n for n, k in kind.items() if k == "panel"]
    steps = [Step("wait", (o,)) for o in origins] + [Step("drop", (o,)) for o in origins]
    steps += [Step("shoot", (o, c, p)) for o in origins for c in ("blue", "orange") for p in panels]
    steps += [Step("both", (o, a, b)) for o in origins for a in panels for b in panels if a != b]
    for name in kind:
        steps += [Step(verb, (name,)) for verb in ("take", "press", "stand", "enter", "put")]
        steps += [Step("put", (name, way)) for way in COMPASS]
    return steps


def search_plainly(rules: StepRules, most: int) -> int | None:
    """Return the length of a shortest plan by trying all steps in all states, or None."""
    steps = list_steps(rules)
    seen, front = {rules.beginning}, [rules.beginning]
    for length in range(1, most + 1):
        after = []
        for state in front:
            for step in (LEAVE, *steps):
                try:
                    then = rules.apply_step(state, step)
                except StepRefused:
                    continue
                if step == LEAVE:
                    return length
                if then not in seen:
                    seen.add(then)
                    after.append(then)
        front = after
        if len(seen) > 4 * SMALL:
            return -length
    return None


def iterate_search_pairs(
    rooms: int, used: tuple[str, ...], *, least: int, limit: int
) -> Iterator[tuple[PlanSearchResult, PlanSearchResult]]:
    """Yield what the compiled search and its twin find, in chambers with some kinds of devices."""
    seed = checked = visited = 0
    while checked < least or visited < 20 * least:
        seed += 1
        try:
            rng = np.random.default_rng([rooms, len(used), seed])
            rules = StepRules(StaticTables(compose_chamber(rooms, 4, used, rng)))
        except (Reject, ValueError):
            continue
        without = Omission(portals=not checked % 5)
        found = find_shortest_plan(rules, limit=limit, without=without)
        yield found, chamber_search.find_shortest_plan(rules, limit=limit, without=without)
        checked += 1
        visited += found.visited


@pytest.mark.parametrize("rooms", [3, 6, 9])
@pytest.mark.some(3)
def test_the_compiled_search_does_what_its_twin_does(rooms: int) -> None:
    """Equal plans, proofs and counts of states; so equal successors, in equal order."""
    for found, same in iterate_search_pairs(rooms, tuple(devices_by_kind()), least=10, limit=SMALL):
        assert found == same


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.some(3)
def test_the_compiled_search_knows_each_device(name: str) -> None:
    planned = 0
    for found, same in iterate_search_pairs(2, WORLDS[name], least=24, limit=120):
        assert found == same
        planned += found.plan is not None
    assert planned > 2


TABLED = """\
size 6,3,4
room 1,1,5,2
floors 444444/411114/444444
ceilings 444444/444444/444444
start A1 1,1,1 - - -
exit X1 1,1,1 - - -
floor F1 1,1,1 - - -
floor F2 4,1,1 - - -
switch S1 1,1,1 - - 1
plate J1 3,1,1 east - 1,1
panel P1 1,1,1 west - -"""


def test_broken_tables_are_refused() -> None:
    """The compiled search reads no further than its tables go, and no number out of range."""
    rules, found = next(make_small_worlds(1))
    row = array("i", plan_search.iterate_tables(rules))
    search = plan_search.core.shortest
    assert search(row.tobytes(), SMALL, True, SMALL)[1] == found.visited
    for place in range(len(row)):
        wrong = (row[:place] + array("i", [value]) + row[place + 1 :] for value in (99_999, -9))
        for broken in (row[:place], *wrong):
            with pytest.raises(ValueError, match="tables"):
                search(broken.tobytes(), SMALL, True, SMALL)
    with pytest.raises(ValueError, match="tables"):
        search((row + array("i", [0])).tobytes(), SMALL, True, SMALL)


CHARTS: dict[str, Callable[[StaticTables], dict[str, object]]] = {
    "an emitter without a direction": lambda c: {"emitters": ((0, 0),)},
    "an emitter of no fixture": lambda c: {"emitters": ((len(c.fixtures), 0, 0),)},
    "an emitter outside": lambda c: {"emitters": ((0, len(c.free), 0),)},
    "an emitter of no direction": lambda c: {"emitters": ((0, 0, 6),)},
    "a panel without a face": lambda c: {"face": c.face[:-1]},
    "an area without cells": lambda c: {"areas": (*c.areas, ())},
    "switches by the dozen": lambda c: {"switches": c.switches * 65},
}


@pytest.mark.parametrize("name", CHARTS)
def test_tables_that_do_not_fit_each_other_are_refused(name: str) -> None:
    rules = StepRules(StaticTables(parse_chamber(TABLED)))
    assert find_shortest_plan(rules).proven
    for attribute, value in CHARTS[name](rules.chart).items():
        setattr(rules.chart, attribute, value)
    rules.beginning = rules.beginning._replace(timers=(0,) * len(rules.chart.switches))
    with pytest.raises(ValueError, match="tables"):
        find_shortest_plan(rules)


def test_a_plate_that_throws_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="tables"):
        find_shortest_plan(
            StepRules(StaticTables(parse_chamber(TABLED.replace("east - 1,1", "east - 0,1"))))
        )


def test_shortest_plans_are_as_short_as_those_of_a_plain_search() -> None:
    settled = 0
    for rules, found in make_small_worlds(14):
        length = search_plainly(rules, 12)
        if length is None:
            assert found.plan is None or len(found.plan) > 12
        elif length > 0:
            assert found.plan is not None and len(found.plan) == length
            settled += 1
        elif found.plan is not None:
            # The plain search gave up after so many steps without a plan.
            assert len(found.plan) > -length
    assert settled >= 6


def test_moves_leave_nothing_out() -> None:
    """Whatever any step leads to, from anywhere in a jumbled chamber, a move leads to."""
    off_the_floor = 0
    for number, chamber in enumerate(iterate_jumbles(30, 5)):
        rules, rng = StepRules(StaticTables(chamber)), np.random.default_rng(number)
        moves, steps = LegalSteps(rules), list_steps(rules)
        for start in (rules.beginning, *(draw_survivable_state(rules, rng) for _ in range(3))):
            state = rules.pass_time(start)
            kept = moves.canonical_state(state)[0]
            found = {moves.canonical_state(after)[0] for _, after in moves.iterate_successors(kept)}
            for step in steps:
                try:
                    after = moves.canonical_state(rules.apply_step(state, step))[0]
                except StepRefused:
                    continue
                assert after in found | {kept}, (number, state, step)
            off_the_floor += state.player not in rules.chart.area_of
    assert off_the_floor > 20


def test_plans_lead_out() -> None:
    plans = [(rules, found.plan) for rules, found in make_small_worlds(30) if found.plan]
    assert len(plans) > 10
    for rules, plan in plans:
        assert run_plan(rules, plan).has_left
        for number in range(len(plan) - 1):
            # A shortest plan has no step to spare.
            assert not run_plan(rules, plan[:number] + plan[number + 1 :]).has_left


@pytest.fixture(scope="module")
def longest() -> ChamberMap:
    """A chamber that was made for a shortest plan of 30 steps, and recorded."""
    (found,) = maps_of(json.loads((SHARED / "chamber_long.json").read_text())).maps
    return found


def test_a_plan_of_thirty_steps_is_proven_shortest(longest: ChamberMap) -> None:
    rules = StepRules(StaticTables(longest.chamber))
    found = find_shortest_plan(rules)
    assert run_plan(rules, longest.plan).has_left and len(longest.plan) == 30
    assert found.proven and len(found.plan or ()) == 30 and found.visited > 2_000


@pytest.mark.slow
def test_the_twin_proves_it_too(longest: ChamberMap, resource: Callable[[Need], MapPool]) -> None:
    for found in (longest, *resource(Knobs().map_need()).maps):
        rules = StepRules(StaticTables(found.chamber))
        assert chamber_search.find_shortest_plan(rules) == find_shortest_plan(rules)


def test_a_search_that_gives_up_proves_nothing() -> None:
    rules, found = next((r, f) for r, f in make_small_worlds(30) if f.plan and f.visited > 50)
    assert find_shortest_plan(rules, limit=found.visited).plan == found.plan
    short = find_shortest_plan(rules, limit=found.visited // 2)
    assert short.plan is None and not short.proven
