"""Runs: plans carried out from the beginning, step by step, up to the first that cannot be done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.chamber.engine.chart import chart
from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.world.chambers import Chamber
from facelet.generators.chamber.world.steps import LEAVE, Step


@dataclass(frozen=True, slots=True)
class Run:
    """How a plan went.

    Attributes:
        states: the states, from the beginning, as far as it went.
        failed: the number of the step that could not be done, from 0; None if all could.
        reason: why it could not.
        left: whether the player left through the exit.
    """

    states: tuple[State, ...]
    failed: int | None
    reason: str
    left: bool


def run(rules: Rules, plan: tuple[Step, ...]) -> Run:
    """Carry a plan out, up to the first step that cannot be done.

    Args:
        rules: the rules of its chamber.
        plan: its steps; what follows after leaving does not matter.
    """
    states = [rules.beginning]
    for number, step in enumerate(plan):
        try:
            states.append(rules.after(states[-1], step))
        except Refused as refused:
            return Run(tuple(states), number, str(refused), left=False)
        if step == LEAVE:
            return Run(tuple(states), None, "", left=True)
    return Run(tuple(states), None, "", left=False)


@lru_cache(maxsize=64)
def rules(chamber: Chamber) -> Rules:
    """Return the rules of a chamber; the same object as long as it is remembered.

    Raises:
        ValueError: its fixtures do not fit; the message names one.
    """
    return Rules(chart(chamber))
