"""Insights: what a chamber cannot be solved without, each proven by taking it away.

    carried    a thing has to be taken up again after it was put down or sent
    facing     a mirror cube has to face one direction: if none may, the plan is longer or missing
    lifted     a thing has to be taken off a button again, which lets go of what it drove
    momentum   a portal has to be left with the speed of a fall or a throw
    pressed    a switch has to be pressed twice
    sent       a thing has to be put into a beam, a portal, or onto a plate, to go ahead alone
    shared     one laser has to light one receiver, and later another one
    timed      switches that stay on for one step less, and for one at least, are too short: what
               is done meanwhile has to be done in one order, with nothing in between
    trap       on the way of the plan a step can be done that leads nearer to the exit, as far as
               one sees who looks at no device, and from there no plan leads out

"Has to" means: the planner, with all else as it is and that one thing taken away, has looked at all
plans that are as long as a shortest one, and none leads out. A trap is proven by a search of all
that can be done from there. What a search gives up on is not proven, and named by nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import run
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.plans.compiled import Without
from facelet.generators.chamber.plans.moves import Moves
from facelet.generators.chamber.plans.search import shortest
from facelet.generators.chamber.world.grid import LEVEL
from facelet.generators.chamber.world.steps import Step

LIMIT = 30_000
"""States that the search of one proof may visit."""

Plan = Sequence[Step]


def needs(rules: Rules, plan: Plan, without: Without, limit: int) -> bool:
    """Return whether it is proven that no plan as short does without something.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        without: what is taken away.
        limit: states to visit at most.
    """
    found = shortest(rules, limit=limit, without=without, most=len(plan))
    return found.proven and found.plan is None


def _facing(rules: Rules, plan: Plan, limit: int) -> bool:
    if not any(step.verb == "put" and len(step.args) == 2 for step in plan):
        return False
    return any(needs(rules, plan, Without(facings=frozenset({way})), limit) for way in LEVEL)


def _shared(rules: Rules, plan: Plan, limit: int) -> bool:
    names = {fixture.name for fixture in rules.chart.fixtures if fixture.kind == "receiver"}
    lit: dict[int, list[str]] = {}
    for laser, receiver in _lights(rules, plan):
        if receiver in names and receiver not in lit.setdefault(laser, []):
            lit[laser].append(receiver)
    alone = {
        name: needs(rules, plan, Without(light=frozenset({name})), limit)
        for name in sorted({name for found in lit.values() if len(found) > 1 for name in found})
    }
    return any(
        alone[one] and alone[other]
        for found in lit.values()
        for one, other in combinations(found, 2)
    )


def _lights(rules: Rules, plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield each laser with a receiver that it lights, state by state."""
    chart = rules.chart
    at = {
        (chart.cell(fixture.cell), fixture.facing): fixture.name
        for fixture in chart.fixtures
        if fixture.kind == "receiver"
    }
    for state in run(rules, tuple(plan)).states:
        for laser, kind, path in rules.situation(state).paths:
            if kind == "laser" and path.end in at:
                yield laser, at[path.end]


def _timed(rules: Rules, plan: Plan, limit: int) -> bool:
    pressed = any(step.verb == "press" for step in plan)
    return pressed and needs(rules, plan, Without(time=1), limit)


def _trap(rules: Rules, plan: Plan, limit: int) -> bool:
    return next(traps(rules, plan, limit), None) is not None


def traps(rules: Rules, plan: Plan, limit: int) -> Iterator[tuple[int, Step]]:
    """Yield the traps beside a plan: the number of a step of it, and the step that is one.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        limit: states that the search from a trap may visit.
    """
    moves, far = Moves(rules), distances(rules)
    known: dict[State, bool] = {}
    for number, state in enumerate(run(rules, tuple(plan)).states[:-1]):
        here = nearness(rules, far, state)
        for step, after in moves.successors(moves.canonical(state)[0]):
            if nearness(rules, far, after) >= here:
                continue
            kept = moves.canonical(after)[0]
            if kept not in known:
                found = shortest(rules, limit=limit, start=kept)
                known[kept] = found.proven and found.plan is None
            if known[kept]:
                yield number, step


def distances(rules: Rules) -> list[int]:
    """Return how many columns each area is from the exit, over open columns, devices left out."""
    chart = rules.chart
    goal = chart.exit % chart.layer
    floors, ceilings = chart.chamber.floors, chart.chamber.ceilings
    found, queue = {goal: 0}, deque([goal])
    while queue:
        here = queue.popleft()
        for way in LEVEL:
            there = here + chart.offsets[way]
            if there not in found and floors[there] < ceilings[there]:
                found[there] = found[here] + 1
                queue.append(there)
    layer = chart.layer
    return [min(found.get(cell % layer, layer) for cell in area) for area in chart.areas]


def nearness(rules: Rules, far: Sequence[int], state: State) -> int:
    """Return how near to the exit one can walk in a state, in columns.

    Args:
        rules: the rules of the chamber.
        far: what `distances` returns.
        state: the state.
    """
    zone = rules.zone(state)
    near = [way for area, way in enumerate(far) if zone >> area & 1]
    return min(near, default=rules.chart.layer)


def _lacking(without: Without, *verbs: str) -> Callable[[Rules, Plan, int], bool]:
    """Return the proof that no plan does without something; tried where a plan has such steps."""

    def proof(rules: Rules, plan: Plan, limit: int) -> bool:
        said = {step.verb for step in plan}
        return said.issuperset(verbs) and needs(rules, plan, without, limit)

    return proof


PROOFS: Mapping[str, Callable[[Rules, Plan, int], bool]] = {
    "carried": _lacking(Without(carrying=True), "take", "put"),
    "facing": _facing,
    "lifted": _lacking(Without(lifting=True), "take"),
    "momentum": _lacking(Without(speed=True)),
    "pressed": _lacking(Without(pressing=True), "press"),
    "sent": _lacking(Without(sending=True), "put"),
    "shared": _shared,
    "timed": _timed,
    "trap": _trap,
}
"""The proof of each insight, from rules, a shortest plan, and states that a search may visit."""


def proven(rules: Rules, plan: Plan, name: str, limit: int = LIMIT) -> bool:
    """Return whether an insight is proven.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        name: the name of the insight, of `PROOFS`.
        limit: states that one search may visit.
    """
    return PROOFS[name](rules, plan, limit)


def insights(rules: Rules, plan: Plan) -> tuple[str, ...]:
    """Return the names of all insights that are proven, sorted."""
    return tuple(name for name in sorted(PROOFS) if proven(rules, plan, name))
