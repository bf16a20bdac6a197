"""Check that a map's labels are the same under other readings of the rules.

All rows of a map ask about its plan with some steps mistaken or left out. So the labels are the
same under a reading if the plan also leads out there and no other filling of its mistaken steps
does: this covers every combination of mistakes and every way to fill the blanks. A shorter plan
must not exist either; if the search for one gives up, the reading counts as disputed.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.chamber.engine.rule_readings import OTHERS
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.blank_options import is_unique_filling
from facelet.generators.chamber.plans.plan_mistakes import Mistake
from facelet.generators.chamber.plans.plan_search import LIMIT, find_shortest_plan
from facelet.generators.chamber.world.step_records import Step


def find_disputed_readings(
    rules: StepRules, plan: Sequence[Step], mistakes: Sequence[Mistake], limit: int = LIMIT
) -> tuple[str, ...]:
    """Return the readings under which some row of a map has another label, by name.

    Args:
        rules: the rules of the map's chamber.
        plan: its plan.
        mistakes: its mistakes, in the order of their steps.
        limit: states that the search for a shorter plan may visit; 0 to look for none.
    """
    numbers = [mistake.number for mistake in mistakes]
    wrong = [mistake.step for mistake in mistakes]
    found = []
    for name, reading in OTHERS.items():
        other = StepRules(rules.chart.read_as(reading))
        if not (
            is_unique_filling(other, plan, numbers, wrong) and _is_shortest(other, plan, limit)
        ):
            found.append(name)
    return tuple(found)


def _is_shortest(rules: StepRules, plan: Sequence[Step], limit: int) -> bool:
    """Return whether it is proven that no plan is shorter."""
    if limit == 0 or len(plan) < 2:
        return True
    found = find_shortest_plan(rules, limit=limit, most=len(plan) - 1)
    return found.proven and found.plan is None
