"""The twin of the compiled planner: the same search, every step played with the rules in Python.

What a search does without is done here in another way than there: steps are left out as they are
generated, chambers are changed before they are searched, and speed is taken away where portals are
left. So nothing is shared but the names.
"""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

from facelet.generators.chamber.engine import flight_paths
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.plan_search import (
    LIMIT,
    NOTHING,
    Omission,
    PlanSearchResult,
    in_play,
)
from facelet.generators.chamber.world.chamber_records import COMPASS, DOWN, Chamber, Step
from facelet.generators.chamber.world.device_registry import find_device

Kept = tuple[State, frozenset[str]]
"""A state, and the switches that were pressed, where that matters."""


def find_shortest_plan(
    rules: StepRules,
    *,
    limit: int = LIMIT,
    without: Omission = NOTHING,
    start: State | None = None,
    most: int | None = None,
) -> PlanSearchResult:
    """Return a shortest plan; the arguments are those of the planner."""
    changed = (
        rules if without == NOTHING else StepRules(StaticTables(_change_chamber(rules, without)))
    )
    leave = flight_paths.Flight.leave_portal
    slow = patch.object(
        flight_paths.Flight, "leave_portal", lambda self, face, speed: leave(self, face, 0)
    )
    if not without.speed:
        return _search_plan(changed, limit, without, start, most)
    with slow:
        return _search_plan(changed, limit, without, start, most)


def _change_chamber(rules: StepRules, without: Omission) -> Chamber:
    """Return the chamber with darker receivers and shorter switches."""
    chamber = rules.chart.chamber
    fixtures = []
    for one in chamber.fixtures:
        if one.name in without.light:
            one = replace(one, facing=DOWN)  # no laser ends there
        if one.kind == "switch" and one.numbers[0]:
            one = replace(one, numbers=(max(1, one.numbers[0] - without.time),))
        fixtures.append(one)
    return replace(chamber, fixtures=tuple(fixtures))


def _search_plan(
    rules: StepRules, limit: int, without: Omission, start: State | None, most: int | None
) -> PlanSearchResult:
    search = LegalSteps(rules, portals=not without.portals)
    begin = rules.beginning if start is None else start
    first: Kept = (search.canonical_state(begin)[0], frozenset())
    order = [first]
    deep = {first: 0}
    came: dict[Kept, tuple[int, Step, bool] | None] = {first: None}
    for number, (state, pressed) in enumerate(order):
        if most is not None and deep[order[number]] > most - 1:
            return PlanSearchResult(None, proven=True, visited=len(order))
        if rules.reachable_areas(state) >> search.goal & 1:
            return PlanSearchResult(
                in_play(_trace_plan(order, came, number)), proven=True, visited=len(order)
            )
        if len(order) > limit:
            return PlanSearchResult(None, proven=False, visited=len(order))
        for step, after, now in _iterate_steps(rules, search, state, pressed, without):
            canonical, swapped = search.canonical_state(after)
            kept = (canonical, now)
            if kept not in came:
                came[kept] = (number, step, swapped)
                deep[kept] = deep[order[number]] + 1
                order.append(kept)
    return PlanSearchResult(None, proven=True, visited=len(order))


def _iterate_steps(
    rules: StepRules, search: LegalSteps, state: State, pressed: frozenset[str], without: Omission
) -> Iterator[tuple[Step, State, frozenset[str]]]:
    """Yield the steps that are left, what comes of them, and the switches pressed so far."""
    chart = rules.chart
    fixture = {one.name: one for one in chart.fixtures}
    for step, after in search.iterate_successors(state):
        name = step.args[0] if step.args else ""
        if step.verb == "put":
            if len(step.args) == 2 and COMPASS.index(step.args[1]) in without.facings:
                continue
            if without.sending and "enter" in find_device(fixture[name].kind).verbs:
                continue
        if step.verb == "take":
            thing = chart.thing[name]
            cell, origin = state.things[thing], rules.beginning.things[thing]
            on_button = any(
                one.kind == "button" and chart.cell_to_number(one.first_cell) == cell
                for one in chart.fixtures
            )
            if without.lifting and on_button:
                continue
            if without.carrying and origin >= 0 and cell != origin:
                continue
        now = pressed
        if without.pressing and step.verb == "press":
            if name in pressed:
                continue
            now = pressed | {name}
        yield step, after, now


def _trace_plan(
    order: list[Kept], came: dict[Kept, tuple[int, Step, bool] | None], number: int
) -> list[tuple[Step, bool]]:
    way: list[tuple[Step, bool]] = []
    while (origin := came[order[number]]) is not None:
        number, step, swapped = origin
        way.append((step, swapped))
    return way[::-1]
