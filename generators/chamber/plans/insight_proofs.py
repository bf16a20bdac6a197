"""Prove which insights a chamber requires, by a search that forbids each of them.

    carried    a thing must be picked up again after it was put down or sent
    facing     a mirror cube must face one direction: without it no plan is as short
    lifted     a thing must be taken off a button again, which turns off what the button drove
    momentum   a portal must be left with the speed of a fall or a throw
    pressed    a switch must be pressed twice
    sent       a thing must be put into a beam, into a portal, or onto a plate, to travel alone
    shared     one laser must light one receiver, and later another one
    timed      switches that stay on for one step less (at least one) are too short: the steps in
               between must be done in one order, without a pause
    trap       beside the plan there is a legal step that seems to lead nearer to the exit, with
               devices ignored, and no plan leads out from there

"Must" means: with that one thing forbidden and all else unchanged, the planner has searched all
plans as short as a shortest one, and none leads out. A trap is proven by an exhaustive search from
the state behind it. If a search gives up, the insight is not proven and not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from facelet.generators.chamber.engine.plan_runner import run_plan
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.compiled_planner import Omission
from facelet.generators.chamber.plans.legal_steps import LegalSteps
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.plans.walking_distance import column_distances
from facelet.generators.chamber.world.grid import LEVEL
from facelet.generators.chamber.world.step_records import Step

LIMIT = 30_000
"""States that the search of one proof may visit."""

Plan = Sequence[Step]


def needs_omitted(rules: StepRules, plan: Plan, without: Omission, limit: int) -> bool:
    """Return whether it is proven that no plan as short does without something.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        without: what is forbidden.
        limit: states to visit at most.
    """
    found = find_shortest_plan(rules, limit=limit, without=without, most=len(plan))
    return found.proven and found.plan is None


def _needs_facing(rules: StepRules, plan: Plan, limit: int) -> bool:
    if not any(step.verb == "put" and len(step.args) == 2 for step in plan):
        return False
    return any(
        needs_omitted(rules, plan, Omission(facings=frozenset({way})), limit) for way in LEVEL
    )


def _needs_shared_panel(rules: StepRules, plan: Plan, limit: int) -> bool:
    names = {fixture.name for fixture in rules.chart.fixtures if fixture.kind == "receiver"}
    lit: dict[int, list[str]] = {}
    for laser, receiver in _iterate_lit_receivers(rules, plan):
        if receiver in names and receiver not in lit.setdefault(laser, []):
            lit[laser].append(receiver)
    alone = {
        name: needs_omitted(rules, plan, Omission(light=frozenset({name})), limit)
        for name in sorted({name for found in lit.values() if len(found) > 1 for name in found})
    }
    return any(
        alone[one] and alone[other]
        for found in lit.values()
        for one, other in combinations(found, 2)
    )


def _iterate_lit_receivers(rules: StepRules, plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield each laser with a receiver that it lights, state by state."""
    chart = rules.chart
    at = {
        (chart.cell_to_number(fixture.first_cell), fixture.facing): fixture.name
        for fixture in chart.fixtures
        if fixture.kind == "receiver"
    }
    for state in run_plan(rules, tuple(plan)).states:
        yield from (
            (laser, at[path.end])
            for laser, kind, path in rules.resting_situation(state).paths
            if kind == "laser" and path.end in at
        )


def _has_trap(rules: StepRules, plan: Plan, limit: int) -> bool:
    return next(iterate_traps(rules, plan, limit), None) is not None


def iterate_traps(rules: StepRules, plan: Plan, limit: int) -> Iterator[tuple[int, Step]]:
    """Yield the traps beside a plan: the number of a step of it, and the step that is one.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        limit: states that the search from a trap may visit.
    """
    moves, far = LegalSteps(rules), exit_distances(rules)
    known: dict[State, bool] = {}
    for number, state in enumerate(run_plan(rules, tuple(plan)).states[:-1]):
        here = exit_nearness(rules, far, state)
        for step, after in moves.iterate_successors(moves.canonical_state(state)[0]):
            if exit_nearness(rules, far, after) >= here:
                continue
            if (kept := moves.canonical_state(after)[0]) not in known:
                found = find_shortest_plan(rules, limit=limit, start=kept)
                known[kept] = found.proven and found.plan is None
            if known[kept]:
                yield number, step


def exit_distances(rules: StepRules) -> list[int]:
    """Return how many columns each area is from the exit, over open columns, devices left out."""
    chart = rules.chart
    away = column_distances(chart.chamber, chart.number_to_cell(chart.exit)[:2])
    columns = [[chart.number_to_cell(cell)[:2] for cell in area] for area in chart.areas]
    return [min(away.get(column, chart.layer) for column in area) for area in columns]


def exit_nearness(rules: StepRules, far: Sequence[int], state: State) -> int:
    """Return the distance in columns from the exit to the nearest area the player can walk to.

    Args:
        rules: the rules of the chamber.
        far: what `exit_distances` returns.
        state: the state.
    """
    zone = rules.reachable_areas(state)
    near = [way for area, way in enumerate(far) if zone >> area & 1]
    return min(near, default=rules.chart.layer)


def _omission_proof(without: Omission, *verbs: str) -> Callable[[StepRules, Plan, int], bool]:
    """Return the proof that no plan does without something; tried where a plan has such steps."""

    def prove_needed(rules: StepRules, plan: Plan, limit: int) -> bool:
        said = {step.verb for step in plan}
        return said.issuperset(verbs) and needs_omitted(rules, plan, without, limit)

    return prove_needed


PROOFS: Mapping[str, Callable[[StepRules, Plan, int], bool]] = {
    "carried": _omission_proof(Omission(carrying=True), "take", "put"),
    "facing": _needs_facing,
    "lifted": _omission_proof(Omission(lifting=True), "take"),
    "momentum": _omission_proof(Omission(speed=True)),
    "pressed": _omission_proof(Omission(pressing=True), "press"),
    "sent": _omission_proof(Omission(sending=True), "put"),
    "shared": _needs_shared_panel,
    "timed": _omission_proof(Omission(time=1), "press"),
    "trap": _has_trap,
}
"""The proof of each insight, from rules, a shortest plan, and states that a search may visit."""


def is_insight_proven(rules: StepRules, plan: Plan, name: str, limit: int = LIMIT) -> bool:
    """Return whether an insight is proven.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        name: the name of the insight, of `PROOFS`.
        limit: states that one search may visit.
    """
    return PROOFS[name](rules, plan, limit)


def find_insights(rules: StepRules, plan: Plan) -> tuple[str, ...]:
    """Return the names of all insights that are proven, sorted."""
    return tuple(name for name in sorted(PROOFS) if is_insight_proven(rules, plan, name))
