"""Compute the expected R of a player with independent answers from its accuracy at each level.

It is a Markov chain. At the first arrival at a level, the only relevant history is the number of
levels directly below it that have not failed yet: a descent passes through those, ends at the next
one that fails again, and a return from it passes levels that have all failed once, where the next
failure ends the climb. So the chain has one state for each level and that number, and its values
are sums of products of the inputs: exact up to rounding, without simulation.

It gives the floor (a player that guesses) and converts accuracies by level into the mean R of a
ladder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from facelet.pipeline.curriculum.ladder.climb import PASS_COUNT, VISIT_QUESTIONS, ReachedLevel

LEAST = 1e-18
"""A state that is less likely is left out."""
_LEAST_OF_MANY = 1e-7
"""The same where many players are followed at once."""

Array = npt.NDArray[np.float64]


def pass_chance(accuracy: float) -> float:
    """Return the probability that a player of an accuracy, 0 to 1, passes a visit."""
    return sum(
        comb(VISIT_QUESTIONS, right) * accuracy**right * (1 - accuracy) ** (VISIT_QUESTIONS - right)
        for right in range(PASS_COUNT, VISIT_QUESTIONS + 1)
    )


@dataclass(frozen=True, slots=True)
class EndChances:
    """The probabilities of the ends of a climb.

    Attributes:
        failed: by index, that the level there fails twice.
        bottom: that the climb falls below the lowest level.
        top: that it passes the highest level.
    """

    failed: tuple[float, ...]
    bottom: float
    top: float


def end_chances(passing: Sequence[float]) -> EndChances:
    """Return the probability of each end.

    Args:
        passing: by index, the probability that a visit is passed.
    """
    levels = len(passing)
    failed = [0.0] * levels
    bottom = 0.0
    # By the number of levels directly below that have not been failed: how likely it is to arrive
    # first at `place` with that number.
    arriving = {0: 1.0}
    for place, chance in enumerate(passing):
        following: dict[int, float] = {}
        for fresh, likely in arriving.items():
            if likely < LEAST:
                continue
            following[fresh + 1] = following.get(fresh + 1, 0.0) + likely * chance
            # Down, failing level after level; `turning` holds where a pass turned it upwards.
            falling = likely * (1 - chance)
            turning: list[tuple[int, float]] = []
            at, left = place - 1, fresh
            while falling >= LEAST:
                if at < 0:
                    bottom += falling
                    break
                turning.append((at, falling * passing[at]))
                falling *= 1 - passing[at]
                if left == 0:
                    failed[at] += falling
                    break
                left -= 1
                at -= 1
            # Up again, through levels that have all been failed once.
            rising = 0.0
            turned = dict(turning)
            for level in range(turning[-1][0] if turning else place, place):
                rising = (
                    rising * passing[level]
                    if level not in turned
                    else (rising * passing[level] + turned[level])
                )
                failed[level + 1] += rising * (1 - passing[level + 1])
            following[0] = following.get(0, 0.0) + rising * chance
        arriving = following
    return EndChances(tuple(failed), bottom, sum(arriving.values()))


def estimate_reach(
    accuracies: Sequence[float], levels: Sequence[int] | None = None
) -> ReachedLevel:
    """Return the expectation of R, by both readings.

    Args:
        accuracies: by level, the share of right answers.
        levels: the levels, ascending; 1, 2, 3, ... by default.
    """
    numbers = list(levels) if levels is not None else list(range(1, len(accuracies) + 1))
    found = end_chances([pass_chance(accuracy) for accuracy in accuracies])
    below = [0, *numbers[:-1]]
    top = found.top * numbers[-1] if numbers else 0.0
    return ReachedLevel(
        failed=top + sum(p * level for p, level in zip(found.failed, numbers, strict=True)),
        below=top + sum(p * level for p, level in zip(found.failed, below, strict=True)),
    )


def estimate_reaches(accuracies: Array, levels: Sequence[int]) -> dict[str, Array]:
    """Return by reading the expected R of several players; within 0.001 of `estimate_reach`.

    Args:
        accuracies: float64 (players, levels), the share of right answers.
        levels: the levels, ascending.
    """
    wrong = 1 - accuracies
    passing: Array = np.zeros_like(accuracies)
    for right in range(PASS_COUNT, VISIT_QUESTIONS + 1):
        passing += (
            comb(VISIT_QUESTIONS, right) * accuracies**right * wrong ** (VISIT_QUESTIONS - right)
        )
    failing = 1 - passing
    players, count = passing.shape
    failed = np.zeros((count, players))
    arriving = {0: np.ones(players)}
    for place in range(count):
        following: dict[int, Array] = {}
        returned = np.zeros(players)
        for fresh, likely in arriving.items():
            if likely.max() < _LEAST_OF_MANY:
                continue
            following[fresh + 1] = likely * passing[:, place]
            falling = likely * failing[:, place]
            turning: list[Array] = []
            for at in range(place - 1, place - 2 - fresh, -1):
                if at < 0 or falling.max() < _LEAST_OF_MANY:
                    break
                turning.append(falling * passing[:, at])
                falling = falling * failing[:, at]
                if at == place - 1 - fresh:
                    failed[at] += falling
            rising = np.zeros(players)
            for back in range(len(turning) - 1, -1, -1):
                level = place - 1 - back
                rising = rising * passing[:, level] + turning[back]
                failed[level + 1] += rising * failing[:, level + 1]
            returned += rising * passing[:, place]
        following[0] = returned
        arriving = following
    top = np.sum(list(arriving.values()), axis=0) * levels[-1]
    return {
        "failed": top + np.array(levels, dtype=np.float64) @ failed,
        "below": top + np.array([0, *levels[:-1]], dtype=np.float64) @ failed,
    }
