"""Compute the exact chance of a player that answers every attempt with a uniformly drawn letter.

All options of an item are drawn from names, so the situations that such a player can meet form a
finite tree. Its branches end where the cube is solved, and where it is farther from solved than
attempts are left. The plan influences neither what is carried out nor what is offered, except
before a deviation from the teacher.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.rules import OPTIONS, Deviates, Redraw, Stage
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.notation import Maneuver
from facelet.generators.cube.states.certified_states import CertifiedState

MAX_SPARE = 5
"""The most attempts beyond the depth: up to this the tree of an item takes about a second."""


class AttemptTree(NamedTuple):
    """What a player that answers every attempt with a uniformly drawn letter can do on an item.

    Attributes:
        chance: the probability that it solves the cube.
        states: facelet strings of the states that it can pass and still solve.
    """

    chance: float
    states: frozenset[str]


@lru_cache(maxsize=16)
def explore_attempts(
    state: CertifiedState,
    key: str,
    redraw: Redraw,
    max_attempts: int,
    *,
    recovery: bool,
    deviation: Deviates = "setback",
) -> AttemptTree:
    """Return the tree of an item; remembered, as a row asks for it several times in turn.

    Args:
        state: the start.
        key: what the item's options are drawn from.
        redraw: whether options are drawn anew for each attempt or each state.
        max_attempts: attempts that are counted.
        recovery: whether attempts are counted only after the first deviation.
        deviation: what that is.
    """
    metric = state.metric
    passed: set[str] = set()
    plan = rules.start_for_teacher(state, key, deviation).plan

    @cache
    def solve_from(stage: Stage, number: int, now: str) -> float:
        """Return the probability before attempt `number` of a stage."""
        distance, left = distance_oracle.exact_distance(metric, now), max_attempts - number
        if stage == "attempt" and distance > left + 1:
            return 0.0
        passed.add(now)
        good = rules.progress_moves(metric, now)
        total = 0.0
        for move in options_at(stage, number, now):
            if (after := moves.apply_maneuver(now, (move,))) == SOLVED:
                total += 1.0
            elif stage == "teacher":
                following = move in good if deviation == "setback" else move == plan[number - 1]
                total += solve_from(stage, number + 1, after) if following else first_options(after)
            elif move in good or distance <= left:
                total += solve_from(stage, number + 1, after)
        return total / OPTIONS

    def options_at(stage: Stage, number: int, now: str) -> Maneuver:
        if stage == "teacher" and deviation == "teacher":
            return rules.taught_options(metric, key, number, now, plan[number - 1])
        return rules.attempt_options(
            metric, key, *rules.canonical_attempt(redraw, stage, number), now
        )

    def first_options(now: str) -> float:
        return solve_from("attempt", 1, now)

    likely = solve_from("teacher", 1, state.facelets) if recovery else first_options(state.facelets)
    return AttemptTree(likely, frozenset(passed))
