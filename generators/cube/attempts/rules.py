"""Rules of attempts: four moves at a time, and every chosen move is made (Cube Bench, 4.3.7, A.8).

At every attempt the player gets four different moves: one drawn from G(s), the moves that strictly
reduce the distance of the state s, and three from the other moves; where there are fewer than three
others, from all moves but the one drawn first (A.8.2). Moves have length one in the metric: the 18
face moves in htm, the 12 quarter turns in qtm.

Everything is drawn from names: the item's key, the stage, the number of the attempt and the state.
So all players see the same four moves under the same letters in the same situation, and a
transcript can be judged without knowing what was shown.

In the paper options are drawn anew at each attempt. This leaks something: in a state that is met
again, a move that is offered again is likely to be the right one. So there is a second mode in
which a state always offers the same four moves; there the key and the state alone decide.

Before the first deviation of a recovery that deviates from the teacher, the options are those of
the paper's closed loop (A.5.2): the teacher's move and three of all other moves.

A plan goes with the state. It solves the state, and its first move is the teacher's. At the start
it is the published solution, or, where the teacher's moves are on offer, one drawn from the key. A
chosen move changes both (A.8.1):

    the teacher's move      carried out, and taken off the plan
    another move of G(s)    carried out; the plan is an optimal solution of the new state
    any other move          carried out; its inverse is put in front of the plan
    no readable letter      nothing changes

`explore_attempts` computes the exact chance of a player that answers every attempt with a uniformly
drawn letter. As options are drawn from names, the situations that such a player can meet form a
finite tree. Its branches end where the cube is solved, and where it is farther from solved than
attempts are left. The plan influences neither what is carried out nor what is offered, except
before a deviation from the teacher.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from facelet.generators.core.seeding import Draw, digest_names, make_generator
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED, UNIT_MOVES, Maneuver, Metric, unit_steps
from facelet.generators.cube.states.certified_states import CertifiedState

OPTIONS = 4

Stage = Literal["teacher", "attempt"]
"""Which attempts are numbered: those before the first deviation, or the counted ones."""


Redraw = Literal["attempt", "state"]
"""What options are drawn anew for: each attempt (A.8.2), or each state."""


Deviates = Literal["setback", "teacher"]
DEVIATES: tuple[Deviates, ...] = ("setback", "teacher")
"""What ends the replies that a recovery does not count: one that leads no closer, or any other than
the teacher's move (section 5.4)."""


class Change(StrEnum):
    """What a reply did to the state and the plan."""

    TEACHER = "teacher"
    PROGRESS = "progress"
    SETBACK = "setback"
    UNPARSED = "unparsed"


@dataclass(frozen=True, slots=True)
class Situation:
    """A state and a plan that solves it.

    Attributes:
        state: facelet string, 54 letters in URFDLB order.
        plan: moves of length one, the teacher's next one first; empty if and only if solved.
    """

    state: str
    plan: Maneuver

    @property
    def is_solved(self) -> bool:
        """Whether the cube is solved."""
        return self.state == SOLVED


def item_key(draw: Draw) -> str:
    """Return the key that an item's options are drawn from: 32 hexadecimal digits."""
    return digest_names(*draw.path, "item", draw.index, "options").hex()[:32]


def find_published_start(state: CertifiedState) -> Situation:
    """Return a certified state with its published solution as the plan."""
    return Situation(state.facelets, unit_steps(state.witness_moves, state.metric))


def taught_start(state: CertifiedState, key: str) -> Situation:
    """Return a certified state with a shortest solution that the item's key draws, move by move.

    The teacher's moves are on offer, so they must not follow from the published solution.

    Args:
        state: the certified state.
        key: the item's key.
    """
    now, plan = state.facelets, []
    while now != SOLVED:
        good = progress_moves(state.metric, now)
        rng = make_generator("cube/attempts", key, "teacher", now)
        plan.append(good[int(rng.integers(len(good)))])
        now = moves.apply_maneuver(now, (plan[-1],))
    return Situation(state.facelets, tuple(plan))


def start_for_teacher(state: CertifiedState, key: str, deviation: Deviates) -> Situation:
    """Return a certified state with the plan of an item's teacher.

    Args:
        state: the certified state.
        key: the item's key.
        deviation: in a recovery, what ends the replies that are not counted.
    """
    return taught_start(state, key) if deviation == "teacher" else find_published_start(state)


def progress_moves(metric: Metric, state: str) -> Maneuver:
    """Return G(s): the moves of length one that strictly reduce the distance of a state."""
    legal = UNIT_MOVES[metric]
    return tuple(
        move for move in distance_oracle.find_progress(metric, state).closer if move in legal
    )


def canonical_attempt(redraw: Redraw, stage: Stage, number: int) -> tuple[Stage, int]:
    """Return the stage and number to call `attempt_options` with.

    Args:
        redraw: whether options are drawn anew for each attempt or each state.
        stage: which attempts `number` counts.
        number: the attempt's number, from 1.
    """
    return (stage, number) if redraw == "attempt" else ("attempt", 0)


@lru_cache(maxsize=4096)
def attempt_options(metric: Metric, key: str, stage: Stage, number: int, state: str) -> Maneuver:
    """Return the four moves of an attempt, in the order of their letters.

    Args:
        metric: what distances count.
        key: the item's key.
        stage: which attempts `number` counts.
        number: the attempt's number, from 1; 0 where the state alone decides.
        state: the state before it, not solved.

    Raises:
        ValueError: the state is farther from solved than the oracle reaches.
    """
    legal, good = UNIT_MOVES[metric], progress_moves(metric, state)
    rng = make_generator("cube/attempts", key, stage, number, state)
    right = good[int(rng.integers(len(good)))]
    others = [move for move in legal if move not in good]
    if len(others) < OPTIONS - 1:
        others = [move for move in legal if move != right]
    chosen = [right, *(others[place] for place in rng.permutation(len(others))[: OPTIONS - 1])]
    return tuple(chosen[place] for place in rng.permutation(OPTIONS))


@lru_cache(maxsize=4096)
def taught_options(metric: Metric, key: str, number: int, state: str, right: str) -> Maneuver:
    """Return the four moves of a step of the closed loop, in the order of their letters (A.5.2).

    Args:
        metric: what distances count.
        key: the item's key.
        number: the step's number, from 1.
        state: the state before it, not solved.
        right: the teacher's move.
    """
    rng = make_generator("cube/attempts", key, "taught", number, state)
    others = [move for move in UNIT_MOVES[metric] if move != right]
    chosen = [right, *(others[place] for place in rng.permutation(len(others))[: OPTIONS - 1])]
    return tuple(chosen[place] for place in rng.permutation(OPTIONS))


def apply_reply(metric: Metric, now: Situation, move: str | None) -> tuple[Situation, Change]:
    """Return the situation after a reply, and what it did.

    Args:
        metric: what distances count.
        now: the situation before, not solved.
        move: the chosen move; None if no letter could be read.
    """
    if move is None:
        return now, Change.UNPARSED
    after = moves.apply_maneuver(now.state, (move,))
    if move == now.plan[0]:
        return Situation(after, now.plan[1:]), Change.TEACHER
    if move in progress_moves(metric, now.state):
        plan = distance_oracle.find_progress(metric, after).solution
        return Situation(after, unit_steps(plan, metric)), Change.PROGRESS
    return Situation(after, (*notation.invert_maneuver((move,)), *now.plan)), Change.SETBACK


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
    plan = start_for_teacher(state, key, deviation).plan

    @cache
    def solve_from(stage: Stage, number: int, now: str) -> float:
        """Return the probability before attempt `number` of a stage."""
        distance, left = distance_oracle.exact_distance(metric, now), max_attempts - number
        if stage == "attempt" and distance > left + 1:
            return 0.0
        passed.add(now)
        good = progress_moves(metric, now)
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
            return taught_options(metric, key, number, now, plan[number - 1])
        return attempt_options(metric, key, *canonical_attempt(redraw, stage, number), now)

    def first_options(now: str) -> float:
        return solve_from("attempt", 1, now)

    likely = solve_from("teacher", 1, state.facelets) if recovery else first_options(state.facelets)
    return AttemptTree(likely, frozenset(passed))
