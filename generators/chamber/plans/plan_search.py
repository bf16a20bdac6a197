"""Find a shortest plan by breadth-first search, which proves that none is shorter.

The search visits all states at distance k before any at k + 1. So when it first reaches the exit at
distance n, no plan has fewer than n steps; `PlanSearchResult.visited` counts the visited states. A
search that exceeds its limit gives up and proves nothing. `legal_steps` defines which states are
equivalent. The search is compiled; the tests compare it with a Python search that plays every step
with the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.compiled_planner import NOTHING, Omission, run_search
from facelet.generators.chamber.world.step_records import BLUE, LEAVE, ORANGE, Step

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
