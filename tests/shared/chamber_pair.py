"""The engine and its twin side by side: what can be said, and the states of both in one form."""

from dataclasses import replace
from itertools import product
from math import inf

import pytest
from chamber_twin import ChamberTwin, ImpossibleStep, Moment

from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules
from facelet.generators.chamber.world.chamber_records import COMPASS, Chamber, Step


def list_all_steps(chamber: Chamber) -> list[Step]:
    """Return all steps that can be said, sensible or not."""
    names = {f.name: f.kind for f in chamber.fixtures}
    floors = [n for n, k in names.items() if k in ("floor", "button", "lift")]
    panels = [n for n, k in names.items() if k == "panel"]
    targets = [n for n, k in names.items() if k not in ("floor", "start", "exit", "door")]
    steps = [Step("leave"), *(Step("wait", (name,)) for name in floors)]
    steps += [Step("shoot", (f, c, p)) for f, c, p in product(floors, ("blue", "orange"), panels)]
    steps += [Step("both", (f, a, b)) for f, a, b in product(floors, panels, panels)]
    for verb in ("take", "put", "press", "stand", "enter"):
        steps += [Step(verb, (name,)) for name in targets]
    steps += [Step("put", (name, way)) for name, way in product(targets, COMPASS)]
    return steps + [Step("drop", (name,)) for name in floors]


def step_both(
    rules: StepRules, twin: ChamberTwin, state: State, now: Moment, step: Step
) -> tuple[State, Moment] | None:
    """Return both worlds after a step; None if neither allows it."""
    try:
        then = rules.apply_step(state, step)
    except StepRefused:
        with pytest.raises(ImpossibleStep):
            twin.apply_step(now, step)
        return None
    return then, twin.apply_step(now, step)


def both_moments(rules: StepRules, state: State, now: Moment) -> tuple[Moment, Moment]:
    """Return both worlds as the twin has them, the player in the cell that stands for its floor."""
    home = rules.anchor_cell(rules.chart.cell_to_number(now.player))
    return state_to_moment(rules, state), replace(now, player=rules.chart.number_to_cell(home))


def state_to_moment(rules: StepRules, state: State) -> Moment:
    """Return a state as the twin has it."""
    chart = rules.chart
    assert all(c >= 0 or c in (AWAY, CARRIED) for c in state.things)
    names = [chart.fixtures[i].name for i in chart.things]
    panels = [chart.fixtures[i].name for i in chart.panels]
    colours = zip(("blue", "orange"), state.portals, strict=True)
    timers = zip(chart.switches, state.timers, chart.lasting, strict=True)
    return Moment(
        chart.number_to_cell(state.player),
        {n: chart.number_to_cell(c) for n, c in zip(names, state.things, strict=True) if c >= 0},
        "".join(n for n, c in zip(names, state.things, strict=True) if c == CARRIED),
        dict(zip(names, state.facings, strict=True)),
        {colour: panels[panel] for colour, panel in colours if panel != UNSET},
        {chart.fixtures[i].name: left if lasts or not left else inf for i, left, lasts in timers},
        frozenset(
            chart.fixtures[i].name
            for bit, (i, _, _) in enumerate(chart.givers)
            if state.given >> bit & 1
        ),
    )
