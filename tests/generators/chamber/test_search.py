"""The planner against a search that knows no shortcuts, and its plans carried out."""

import numpy as np

from facelet.generators.chamber.composing.compose import compose
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import run
from facelet.generators.chamber.plans.search import shortest
from facelet.generators.chamber.world.grid import COMPASS
from facelet.generators.chamber.world.kinds import kinds
from facelet.generators.chamber.world.steps import LEAVE, Step
from facelet.generators.core.task import Reject

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


def test_plans_lead_out() -> None:
    plans = [(rules, found.plan) for rules, found in small_worlds(30) if found.plan]
    assert len(plans) > 10
    for rules, plan in plans:
        assert run(rules, plan).left
        for number in range(len(plan) - 1):
            # A shortest plan has no step to spare.
            assert not run(rules, plan[:number] + plan[number + 1 :]).left


def test_a_search_that_gives_up_proves_nothing() -> None:
    rules, found = next((r, f) for r, f in small_worlds(30) if f.plan and f.visited > 50)
    assert shortest(rules, limit=found.visited).plan == found.plan
    short = shortest(rules, limit=found.visited // 2)
    assert short.plan is None and not short.proven
