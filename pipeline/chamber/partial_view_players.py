"""Partial-view players of chambers: distances without devices, or one step at a time.

chamber/fill_blanks       "walking" fills the blanks so that the walk through all named places is
                          shortest; "nearest" takes, blank after blank, the option nearest to where
                          the step before it ends; "one_step" takes the first option that is
                          possible at its turn
chamber/plan_correctness  "first_half" executes half of the plan and assumes that the rest works
chamber/act, chamber/plan "one_step" draws a possible step that changes something; a plan has as
                          many steps as the budget

Distances are those of facelet.generators.chamber.plans.walking_distance, which ignores devices,
heights and doors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, chamber_rules
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.step_sentences import parse_sentence
from facelet.generators.chamber.plans.walking_distance import Plan, walking_distances
from facelet.generators.chamber.replies.plan_parser import write_plan
from facelet.generators.chamber.tasks import act
from facelet.generators.chamber.tasks.act import Played, to_command
from facelet.generators.chamber.tasks.fill_blanks import Gaps
from facelet.generators.chamber.tasks.plan import Whole
from facelet.generators.chamber.tasks.plan_correctness import Candidate
from facelet.generators.chamber.world.chamber_records import LEAVE, Step, parse_chamber
from facelet.generators.core.prompts import Prompt
from facelet.pipeline.audit.baseline_players import PartialViewPlayer
from facelet.pipeline.family_modules import AnyTask

Says = Callable[[Prompt], str]


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    if task.name == "chamber/fill_blanks":
        return {
            "walking": PartialViewPlayer(
                "the length of the whole way, at no device", _filling_player(_shortest_filling)
            ),
            "nearest": PartialViewPlayer(
                "which place is nearest, at no device", _filling_player(_nearest_filling)
            ),
            "one_step": PartialViewPlayer(
                "whether a step can be done when its turn comes", _filling_player(_doable_filling)
            ),
        }
    if task.name == "chamber/plan_correctness":
        return {"first_half": PartialViewPlayer("the first half of the plan", _first_half)}
    begin = _random_plan if task.name == "chamber/plan" else _wandering_player(1)
    return {
        "one_step": PartialViewPlayer("what can be done now, and leaves as soon as it can", begin)
    }


def legal(task: AnyTask) -> PartialViewPlayer | None:
    """Return the player of any step that can be done and changes something, or leaves."""
    if task.name != "chamber/act":
        return None
    return PartialViewPlayer("which steps can be done", _wandering_player(0))


def _filling_player(
    fill: Callable[[str, Plan, Sequence[Step], np.random.Generator], Sequence[int]],
) -> Callable[[Any, np.random.Generator], Says]:
    """Return what fills the blanks by a way to choose.

    Args:
        fill: from a chamber's text form, a plan with blanks, the options and randomness to the
            numbers of the options that it takes.
    """

    def begin_play(puzzle: Gaps, rng: np.random.Generator) -> Says:
        plan = [parse_sentence(text) if text else None for text in puzzle.gapped]
        options = [parse_sentence(text) for text in puzzle.choices]
        chosen = fill(puzzle.ground.chamber, plan, options, rng)
        said = f"Answer: {', '.join(ascii_uppercase[number] for number in chosen)}"
        return lambda prompt: said

    return begin_play


def _shortest_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return the options with which the whole way is shortest; by lot if there are several."""
    order = [int(number) for number in rng.permutation(len(options))]
    return walking_distances(chamber).least_walk(plan, options, order)[1]


def _nearest_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return, blank after blank, the option that is nearest to where the step before it ends."""
    known, order = (
        walking_distances(chamber),
        [int(number) for number in rng.permutation(len(options))],
    )
    place, chosen = known.start, list[int]()
    for step in plan:
        if step is None:
            here = place
            left = [number for number in order if number not in chosen]
            chosen.append(min(left, key=lambda k: known.walk_to_step(here, options[k])[1]))
            step = options[chosen[-1]]
        place = known.walk_to_step(place, step)[0]
    return chosen


def _doable_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return, blank after blank, an option that can be done there; once none can, any."""
    order = [int(number) for number in rng.permutation(len(options))]
    engine, chosen = chamber_rules(parse_chamber(chamber)), list[int]()
    state: State | None = engine.beginning
    for step in plan:
        if step is None:
            left = [number for number in order if number not in chosen]
            can = [k for k in left if state is not None and _try_step(engine, state, options[k])]
            chosen.append((can or left)[0])
            step = options[chosen[-1]]
        state = None if state is None else _try_step(engine, state, step)
    return chosen


def _try_step(engine: StepRules, state: State, step: Step) -> State | None:
    """Return the state after a step; None if it cannot be done."""
    try:
        return engine.apply_step(state, step)
    except StepRefused:
        return None


def _first_half(puzzle: Candidate, rng: np.random.Generator) -> Says:
    """Say yes if the first half of the plan, the middle step included, can be done."""
    engine = chamber_rules(map_columns.read_chamber(puzzle.ground))
    state: State | None = engine.beginning
    for text in puzzle.candidate[: (len(puzzle.candidate) + 1) // 2]:
        state = None if state is None else _try_step(engine, state, parse_sentence(text))
    said = f"Answer: {'No' if state is None else 'Yes'}"
    return lambda prompt: said


def _wandering_player(eager: int) -> Callable[[Any, np.random.Generator], Says]:
    """Return what does one of the steps that can be done and change something, by lot.

    Args:
        eager: 1 to leave as soon as that can be done, 0 to leave by lot too.
    """

    def begin_play(puzzle: Played, rng: np.random.Generator) -> Says:
        said = _iterate_random_steps(
            chamber_rules(map_columns.read_chamber(puzzle.ground)), rng, eager
        )
        return lambda prompt: act.TASK.format_command(to_command(next(said)))

    return begin_play


def _random_plan(puzzle: Whole, rng: np.random.Generator) -> Says:
    """Write a plan of steps that can be done and change something, by lot."""
    steps = _iterate_random_steps(chamber_rules(map_columns.read_chamber(puzzle.ground)), rng, 1)
    plan: list[Step] = []
    while len(plan) < puzzle.budget and LEAVE not in plan:
        plan.append(next(steps))
    said = write_plan(tuple(plan))
    return lambda prompt: said


def _iterate_random_steps(
    engine: StepRules, rng: np.random.Generator, eager: int
) -> Iterator[Step]:
    state, possible = engine.beginning, LegalSteps(engine)
    while True:
        can = [(step, then) for step, then in possible.iterate_successors(state) if then != state]
        if _try_step(engine, state, LEAVE) is not None:
            can = [(LEAVE, state)] if eager else [*can, (LEAVE, state)]
        step, state = can[int(rng.integers(len(can)))] if can else (LEAVE, state)
        yield step
