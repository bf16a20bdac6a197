"""The planner against its twin and a search that knows no shortcuts, and its plans carried out."""

import json
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import chamber_search
import numpy as np
import pytest
from chamber_jumble import anywhere, jumbles
from chamber_worlds import WORLDS

from facelet.generators.chamber.composing.compose import compose
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import run
from facelet.generators.chamber.maps.records import Knobs, Map, Maps
from facelet.generators.chamber.plans import compiled
from facelet.generators.chamber.plans.compiled import Without
from facelet.generators.chamber.plans.moves import Moves
from facelet.generators.chamber.plans.search import Found, shortest
from facelet.generators.chamber.world.chambers import read
from facelet.generators.chamber.world.grid import COMPASS
from facelet.generators.chamber.world.kinds import kinds
from facelet.generators.chamber.world.steps import LEAVE, Step
from facelet.generators.core.task import Need, Reject
from facelet.pipeline.chamber.maps import maps_of

SHARED = Path(__file__).parents[2] / "shared"
SMALL = 700
"""States, of the reduced search, up to which the plain one is tried."""


def small_worlds(count: int):
    seed = found = 0
    while found < count:
        seed += 1
        rng = np.random.default_rng(seed)
        try:
            rules = Rules(Chart(compose(1 + seed % 3 // 2, 1, tuple(kinds()), rng)))
        except (Reject, ValueError):
            continue
        result = shortest(rules, limit=SMALL)
        if result.proven:
            found += 1
            yield rules, result


def every_step(rules: Rules) -> list[Step]:
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


def plain(rules: Rules, most: int) -> int | None:
    """Return the length of a shortest plan by trying all steps in all states, or None."""
    steps = every_step(rules)
    seen, front = {rules.beginning}, [rules.beginning]
    for length in range(1, most + 1):
        after = []
        for state in front:
            for step in (LEAVE, *steps):
                try:
                    then = rules.after(state, step)
                except Refused:
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


def pairs(
    rooms: int, used: tuple[str, ...], *, least: int, limit: int
) -> Iterator[tuple[Found, Found]]:
    """Yield what the compiled search and its twin find, in chambers with some kinds of devices."""
    seed = checked = visited = 0
    while checked < least or visited < 20 * least:
        seed += 1
        try:
            rng = np.random.default_rng([rooms, len(used), seed])
            rules = Rules(Chart(compose(rooms, 4, used, rng)))
        except (Reject, ValueError):
            continue
        without = Without(portals=not checked % 5)
        found = shortest(rules, limit=limit, without=without)
        yield found, chamber_search.shortest(rules, limit=limit, without=without)
        checked += 1
        visited += found.visited


@pytest.mark.parametrize("rooms", [3, 6, 9])
@pytest.mark.some(3)
def test_the_compiled_search_does_what_its_twin_does(rooms: int) -> None:
    """Equal plans, proofs and counts of states; so equal successors, in equal order."""
    for found, same in pairs(rooms, tuple(kinds()), least=10, limit=SMALL):
        assert found == same


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.some(3)
def test_the_compiled_search_knows_each_device(name: str) -> None:
    planned = 0
    for found, same in pairs(2, WORLDS[name], least=24, limit=120):
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
    rules, found = next(small_worlds(1))
    row = array("i", compiled.tables(rules))
    search = compiled.core.shortest
    assert search(row.tobytes(), SMALL, True, SMALL)[1] == found.visited
    for place in range(len(row)):
        wrong = (row[:place] + array("i", [value]) + row[place + 1 :] for value in (99_999, -9))
        for broken in (row[:place], *wrong):
            with pytest.raises(ValueError, match="tables"):
                search(broken.tobytes(), SMALL, True, SMALL)
    with pytest.raises(ValueError, match="tables"):
        search((row + array("i", [0])).tobytes(), SMALL, True, SMALL)


CHARTS: dict[str, Callable[[Chart], dict[str, object]]] = {
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
    rules = Rules(Chart(read(TABLED)))
    assert shortest(rules).proven
    for attribute, value in CHARTS[name](rules.chart).items():
        setattr(rules.chart, attribute, value)
    rules.beginning = rules.beginning._replace(timers=(0,) * len(rules.chart.switches))
    with pytest.raises(ValueError, match="tables"):
        shortest(rules)


def test_a_plate_that_throws_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="tables"):
        shortest(Rules(Chart(read(TABLED.replace("east - 1,1", "east - 0,1")))))


def test_shortest_plans_are_as_short_as_those_of_a_plain_search() -> None:
    settled = 0
    for rules, found in small_worlds(14):
        length = plain(rules, 12)
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
    for number, chamber in enumerate(jumbles(30, 5)):
        rules, rng = Rules(Chart(chamber)), np.random.default_rng(number)
        moves, steps = Moves(rules), every_step(rules)
        for start in (rules.beginning, *(anywhere(rules, rng) for _ in range(3))):
            state = rules.passed(start)
            kept = moves.canonical(state)[0]
            found = {moves.canonical(after)[0] for _, after in moves.successors(kept)}
            for step in steps:
                try:
                    after = moves.canonical(rules.after(state, step))[0]
                except Refused:
                    continue
                assert after in found | {kept}, (number, state, step)
            off_the_floor += state.player not in rules.chart.area_of
    assert off_the_floor > 20


def test_plans_lead_out() -> None:
    plans = [(rules, found.plan) for rules, found in small_worlds(30) if found.plan]
    assert len(plans) > 10
    for rules, plan in plans:
        assert run(rules, plan).left
        for number in range(len(plan) - 1):
            # A shortest plan has no step to spare.
            assert not run(rules, plan[:number] + plan[number + 1 :]).left


@pytest.fixture(scope="module")
def longest() -> Map:
    """A chamber that was made for a shortest plan of 30 steps, and recorded."""
    (found,) = maps_of(json.loads((SHARED / "chamber_long.json").read_text())).maps
    return found


def test_a_plan_of_thirty_steps_is_proven_shortest(longest: Map) -> None:
    rules = Rules(Chart(longest.chamber))
    found = shortest(rules)
    assert run(rules, longest.plan).left and len(longest.plan) == 30
    assert found.proven and len(found.plan or ()) == 30 and found.visited > 2_000


@pytest.mark.slow
def test_the_twin_proves_it_too(longest: Map, resource: Callable[[Need], Maps]) -> None:
    for found in (longest, *resource(Knobs().need()).maps):
        rules = Rules(Chart(found.chamber))
        assert chamber_search.shortest(rules) == shortest(rules)


def test_a_search_that_gives_up_proves_nothing() -> None:
    rules, found = next((r, f) for r, f in small_worlds(30) if f.plan and f.visited > 50)
    assert shortest(rules, limit=found.visited).plan == found.plan
    short = shortest(rules, limit=found.visited // 2)
    assert short.plan is None and not short.proven
