"""Compute the expected R of a player with independent answers, and its posterior interval.

It is a Markov chain. At the first arrival at a level, the only relevant history is the number of
levels directly below it that have not failed yet: a descent passes through those, ends at the next
one that fails again, and a return from it passes levels that have all failed once, where the next
failure ends the climb. So the chain has one state for each level and that number, and its values
are sums of products of the inputs: exact up to rounding, without simulation.

It gives the floor (a player that guesses) and converts accuracies by level into the mean R of a
ladder.

The interval is a posterior of the expected R, given all answers of a ladder. The right answers of
each level are counted, whichever run asked. Their logit is a weighted sum of 1, the logarithm of
the level and the level; the weights have a normal prior. They are drawn from their posterior (a
normal one about its mode, resampled by weight), and each draw has an expected R. The interval
contains the middle of those and the mean over the runs. So it ends at 0 and at the top of the
ladder, and has some width even where all runs ended alike. Above the deepest level with questions
no answer informs the accuracy: there it never rises, and no interval ends above REACH times that
level.

The quantiles are slightly wider than 2.5% and 97.5%, so that simulated ladders of ten runs have the
stated coverage, over accuracies that are flat, steep and slowly falling
(tests/pipeline/curriculum/ladder/test_ladder_intervals.py).
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


DRAWS = 200
QUANTILES = (0.0225, 0.9775)
REACH = 10
"""An interval ends at most at so many times the deepest level that was asked."""
_SPREAD = 2.5
"""Standard deviation of the prior of each weight."""
_STEPS = 60
_FAR = 30.0
"""Logits beyond this are as good as certain."""


def draw_posterior(
    levels: Sequence[int], counts: Sequence[tuple[int, int]], rng: np.random.Generator
) -> Array:
    """Return draws of the accuracy at each level.

    Args:
        levels: the levels, ascending.
        counts: by level, right answers and answers; at least one level has some.
        rng: the randomness.

    Returns:
        float64 (DRAWS, levels).
    """
    right, total = np.array(counts, dtype=np.float64).T
    numbers = np.array(levels, dtype=np.float64)
    top = max(float(numbers[total > 0].max()), 2.0)
    terms = np.stack(
        [
            np.ones_like(numbers),
            2 * np.log(numbers) / np.log(top + 1) - 1,
            2 * numbers / (top + 1) - 1,
        ],
        axis=1,
    )
    prior = np.eye(3) / _SPREAD**2
    weights = np.zeros(3)
    for _ in range(_STEPS):
        chance = _logistic(terms @ weights)
        slope = terms.T @ (right - total * chance) - prior @ weights
        bend = (terms.T * (total * chance * (1 - chance))) @ terms + prior
        step = np.linalg.solve(bend, slope)
        weights = weights + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9))
        if np.abs(step).max() < 1e-9:
            break
    root = np.linalg.cholesky(np.linalg.inv(bend))
    normal = rng.standard_normal((4 * DRAWS, 3))
    drawn = weights + normal @ root.T
    logits = np.clip(drawn @ terms.T, -_FAR, _FAR)
    likely = (right * logits - total * np.log1p(np.exp(logits))).sum(axis=1)
    likely += 0.5 * ((normal**2).sum(axis=1) - ((drawn @ prior) * drawn).sum(axis=1))
    weight = np.exp(likely - likely.max())
    picked = rng.choice(len(drawn), DRAWS, p=weight / weight.sum())
    found = _logistic(drawn[picked] @ terms.T)
    unasked = found[:, int(np.flatnonzero(total)[-1]) :]
    np.minimum.accumulate(unasked, axis=1, out=unasked)
    return found


def _logistic(logits: Array) -> Array:
    found: Array = 1 / (1 + np.exp(-np.clip(logits, -_FAR, _FAR)))
    return found


def reach_interval(
    levels: Sequence[int],
    counts: Sequence[tuple[int, int]],
    mean: float,
    reading: str,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the 95% interval of the expected R.

    Args:
        levels: the levels, ascending.
        counts: by level, right answers and answers.
        mean: the mean of R over the runs, which the interval contains.
        reading: failed or below.
        rng: the randomness.
    """
    found = estimate_reaches(draw_posterior(levels, counts, rng), levels)
    low, high = np.quantile(found[reading], QUANTILES)
    deepest = max(level for level, (_, total) in zip(levels, counts, strict=True) if total)
    highest = float(min(levels[-1], REACH * deepest))
    return max(0.0, min(float(low), mean)), min(highest, max(float(high), mean))
