"""The exact chance of a player that answers every attempt with a letter drawn uniformly.

All options of an item are drawn from names, so the situations that such a player can meet form a
finite tree. Its branches end where the cube is solved, and where it is farther from solved than
attempts are left. The plan has no influence,
neither on what is carried out nor on what is offered, but before a deviation from the teacher.
"""

from __future__ import annotations

from functools import cache, lru_cache

from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.rules import OPTIONS, Deviates, Redraw, Stage
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.notation import Maneuver
from facelet.generators.cube.states.certified_states import CertifiedState

MAX_SPARE = 5
"""The most attempts beyond the depth: up to this the tree of an item takes about a second."""


def solve_probability(
    state: CertifiedState,
    key: str,
    redraw: Redraw,
    max_attempts: int,
    *,
    recovery: bool,
    deviation: Deviates = "setback",
) -> float:
    """Return the probability that the cube is solved in the end.

    Args:
        state: the start.
        key: what the item's options are drawn from.
        redraw: whether options are drawn anew for each attempt or each state.
        max_attempts: attempts that are counted.
        recovery: whether attempts are counted only after the first deviation.
        deviation: what that is.
    """
    return _walk_attempts(state, key, redraw, max_attempts, recovery, deviation)[0]


def reachable_states(
    state: CertifiedState,
    key: str,
    redraw: Redraw,
    max_attempts: int,
    *,
    recovery: bool,
    deviation: Deviates = "setback",
) -> frozenset[str]:
    """Return the states, as facelet strings, before which such a player can stand and still solve.

    Args:
        state: the start.
        key: what the item's options are drawn from.
        redraw: whether options are drawn anew for each attempt or each state.
        max_attempts: attempts that are counted.
        recovery: whether attempts are counted only after the first deviation.
        deviation: what that is.
    """
    return _walk_attempts(state, key, redraw, max_attempts, recovery, deviation)[1]


@lru_cache(maxsize=16)
def _walk_attempts(
    state: CertifiedState,
    key: str,
    redraw: Redraw,
    max_attempts: int,
    recovery: bool,
    deviation: Deviates,
) -> tuple[float, frozenset[str]]:
    """Return what `solve_probability` and `reachable_states` return.

    Both are asked of the same items in turn.
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
            after = moves.apply_maneuver(now, (move,))
            if after == SOLVED:
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
    return likely, frozenset(passed)
