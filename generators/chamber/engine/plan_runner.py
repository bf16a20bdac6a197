"""Run a plan from the beginning, step by step, up to the first illegal step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.engine.time_step import StepRefused
from facelet.generators.chamber.world.chamber_records import Chamber
from facelet.generators.chamber.world.step_records import LEAVE, Step


@dataclass(frozen=True, slots=True)
class PlanRun:
    """How a plan went.

    Attributes:
        states: the states, from the beginning, as far as it went.
        failed: the number of the step that could not be done, from 0; None if all could.
        reason: why it could not.
        left: whether the player left through the exit.
    """

    states: tuple[State, ...]
    failed_step: int | None
    reason: str
    has_left: bool


def run_plan(rules: StepRules, plan: tuple[Step, ...]) -> PlanRun:
    """Carry a plan out, up to the first step that cannot be done.

    Args:
        rules: the rules of its chamber.
        plan: its steps; what follows after leaving does not matter.
    """
    states = [rules.beginning]
    for number, step in enumerate(plan):
        try:
            states.append(rules.apply_step(states[-1], step))
        except StepRefused as refused:
            return PlanRun(tuple(states), number, str(refused), has_left=False)
        if step == LEAVE:
            return PlanRun(tuple(states), None, "", has_left=True)
    return PlanRun(tuple(states), None, "", has_left=False)


@lru_cache(maxsize=64)
def chamber_rules(chamber: Chamber) -> StepRules:
    """Return the rules of a chamber; the same object as long as it is remembered.

    Raises:
        ValueError: its fixtures do not fit; the message names one.
    """
    return StepRules(StaticTables(chamber))
