"""The twin of the compiled planner: the same search, every step played with the rules in Python.

What a search does without is done here in another way than there: steps are left out as they are
generated, chambers are changed before they are searched, and speed is taken away where portals are
left. So nothing is shared but the names.
"""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

from facelet.generators.chamber.engine import flights
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.plans.compiled import NOTHING, Without
from facelet.generators.chamber.plans.moves import Moves
from facelet.generators.chamber.plans.search import LIMIT, Found, in_play
from facelet.generators.chamber.world.chambers import Chamber
from facelet.generators.chamber.world.grid import COMPASS, DOWN
from facelet.generators.chamber.world.kinds import device
from facelet.generators.chamber.world.steps import Step

Kept = tuple[State, frozenset[str]]
"""A state, and the switches that were pressed, where that matters."""


def shortest(
    rules: Rules,
    *,
    limit: int = LIMIT,
    without: Without = NOTHING,
    start: State | None = None,
    most: int | None = None,
) -> Found:
    """Return a shortest plan; the arguments are those of the planner."""
    changed = rules if without == NOTHING else Rules(Chart(_changed(rules, without)))
    leave = flights.Flight.leave
    slow = patch.object(flights.Flight, "leave", lambda self, face, speed: leave(self, face, 0))
    if not without.speed:
        return _found(changed, limit, without, start, most)
    with slow:
        return _found(changed, limit, without, start, most)


def _changed(rules: Rules, without: Without) -> Chamber:
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


def _found(
    rules: Rules, limit: int, without: Without, start: State | None, most: int | None
) -> Found:
    search = Moves(rules, portals=not without.portals)
    begin = rules.beginning if start is None else start
    first: Kept = (search.canonical(begin)[0], frozenset())
    order = [first]
    deep = {first: 0}
    came: dict[Kept, tuple[int, Step, bool] | None] = {first: None}
    for number, (state, pressed) in enumerate(order):
        if most is not None and deep[order[number]] > most - 1:
            return Found(None, proven=True, visited=len(order))
        if rules.zone(state) >> search.goal & 1:
            return Found(in_play(_way(order, came, number)), proven=True, visited=len(order))
        if len(order) > limit:
            return Found(None, proven=False, visited=len(order))
        for step, after, now in _steps(rules, search, state, pressed, without):
            canonical, swapped = search.canonical(after)
            kept = (canonical, now)
            if kept not in came:
                came[kept] = (number, step, swapped)
                deep[kept] = deep[order[number]] + 1
                order.append(kept)
    return Found(None, proven=True, visited=len(order))


def _steps(
    rules: Rules, search: Moves, state: State, pressed: frozenset[str], without: Without
) -> Iterator[tuple[Step, State, frozenset[str]]]:
    """Yield the steps that are left, what comes of them, and the switches pressed so far."""
    chart = rules.chart
    fixture = {one.name: one for one in chart.fixtures}
    for step, after in search.successors(state):
        name = step.args[0] if step.args else ""
        if step.verb == "put":
            if len(step.args) == 2 and COMPASS.index(step.args[1]) in without.facings:
                continue
            if without.sending and "enter" in device(fixture[name].kind).verbs:
                continue
        if step.verb == "take":
            thing = chart.thing[name]
            cell, origin = state.things[thing], rules.beginning.things[thing]
            on_button = any(
                one.kind == "button" and chart.cell(one.cell) == cell for one in chart.fixtures
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


def _way(
    order: list[Kept], came: dict[Kept, tuple[int, Step, bool] | None], number: int
) -> list[tuple[Step, bool]]:
    way: list[tuple[Step, bool]] = []
    while (origin := came[order[number]]) is not None:
        number, step, swapped = origin
        way.append((step, swapped))
    return way[::-1]
