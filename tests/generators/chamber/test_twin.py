"""The engine against the twin: equal verdicts and equal worlds after every step of random plays."""

from collections.abc import Iterator

import chamber_search
import numpy as np
import pytest
from chamber_jumble import iterate_jumbles
from chamber_pair import both_moments, list_all_steps, step_both
from chamber_twin import ChamberTwin
from chamber_worlds import WORLDS

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.engine.state import AWAY
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.world.chamber_records import ARGUMENTS, Chamber, Step, parse_chamber
from facelet.generators.chamber.world.device_registry import devices_by_kind, find_device
from facelet.generators.core.task import Reject

WORLDS_EACH, STEPS = 6, 30
JUMBLED = "jumbled"
DIRECT = {
    name: name in devices_by_kind()
    and bool(find_device(name).verbs - {"put"})
    and not find_device(name).plunge
    for name in WORLDS
}
"""Whether steps name the device of a sort of worlds; these are then done often enough to tell.

One bounces up to a floor after a fall through portals, which chance seldom shoots: test_mechanics
begins anywhere.
"""


def iterate_worlds(name: str, count: int) -> Iterator[tuple[Chamber, np.random.Generator]]:
    """Yield small chambers of a sort."""
    if name == JUMBLED:
        for number, chamber in enumerate(iterate_jumbles(3 * count, 2)):
            yield chamber, np.random.default_rng(number)
        return
    seed = found = 0
    while found < count:
        seed += 1
        rng = np.random.default_rng(seed)
        try:
            chamber = compose_chamber(1 + seed % 2, 5, WORLDS[name], rng)
            StepRules(StaticTables(chamber))
        except (Reject, ValueError):
            continue
        if name in WORLDS.keys() - {"basic", "all"} and not chamber.fixtures_of(name):
            continue
        found += 1
        yield chamber, rng


@pytest.mark.parametrize("name", [*WORLDS, JUMBLED])
@pytest.mark.some(3)
def test_engine_and_twin_agree(name: str) -> None:
    done: set[str] = set()
    used = 0
    refused = 0
    for chamber, rng in iterate_worlds(name, WORLDS_EACH):
        rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
        moves = LegalSteps(rules)
        everything = list_all_steps(chamber)
        own = {f.name for f in chamber.fixtures if f.kind == name}
        direct = [step for step in everything if own & set(step.args)]
        state, now = rules.beginning, twin.first_moment()
        for _ in range(STEPS):
            one, two = both_moments(rules, state, now)
            assert one == two
            areas = rules.reachable_areas(state)
            reach = {c for c in twin.reachable_cells(now) if twin.is_plain_floor(c)}
            seen = {rules.chart.area_of[rules.chart.cell_to_number(c)] for c in reach}
            assert seen == {a for a in range(len(rules.chart.areas)) if areas >> a & 1}
            legal = [step for step, _ in moves.iterate_successors(state)]
            handy = [s for s in legal if s.verb not in ("shoot", "both")]
            pick = rng.integers(4)
            pool = everything if pick == 0 else (handy if pick > 1 else legal) or everything
            # Legal or not: a broken device may well forbid what it should do.
            can = [step for step in legal if own & set(step.args)]
            pool = (can if can and rng.integers(4) else direct or pool) if rng.integers(2) else pool
            step = pool[int(rng.integers(len(pool)))]
            both = step_both(rules, twin, state, now, step)
            if both is None:
                refused += 1
                continue
            state, now = both
            done.add(step.verb)
            used += step in direct
    assert used > 4 or not DIRECT.get(name)
    assert refused > 20 and {"shoot", "both", "drop"} & done and done <= set(ARGUMENTS)


def test_no_device_is_missing() -> None:
    """Every kind is in a sort of worlds of its own, or in the base that each has."""
    always = {"panel", "floor", "start", "exit", "liquid", "spot", *WORLDS["basic"]}
    assert always | WORLDS.keys() | {"receiver", "mirror"} >= devices_by_kind().keys()
    assert {"receiver", "mirror"} <= set(WORLDS["laser"])


POOL = """\
size 9,4,4
room 1,1,8,3
floors 444444444/411100114/411100114/444444444
ceilings 444444444/444444444/444444444/444444444
start A1 1,1,1 - - -
cube C1 2,1,1 - - -
cube C2 - - N1 -
floor F1 1,2,1 - - -
floor F2 7,2,1 - - -
plate J1 3,1,1 east - 1,1
dispenser N1 1,2,3 - S1 -
switch S1 2,2,1 - - 1
liquid W1 4,1,0;5,1,0;4,2,0;5,2,0 - - -
exit X1 6,1,1 - - -"""


def test_a_thing_can_be_lost_while_another_is_away() -> None:
    """The plate throws the one cube into the liquid; the other is still in its dispenser."""
    chamber = parse_chamber(POOL)
    rules, twin = StepRules(StaticTables(chamber)), ChamberTwin(chamber)
    state, now = rules.beginning, twin.first_moment()
    for step in (Step("take", ("C1",)), Step("put", ("J1",))):
        state, now = rules.apply_step(state, step), twin.apply_step(now, step)
        one, two = both_moments(rules, state, now)
        assert one == two
    assert state.things == (AWAY, AWAY)
    assert find_shortest_plan(rules) == chamber_search.find_shortest_plan(rules)
