"""Expecting: R of a player whose answers are right independently, by its accuracy at each level.

A Markov chain. At the first arrival at a level, all that matters of the past is how many levels
directly below it have not been failed yet: a descent goes on through those, ends at the next one
that is failed again, and a return from it passes levels that have all been failed once, where the
next failure ends the climb. So the chain has one state for each level and that number, and its
values are sums of products of what is given: exact but for rounding, no simulation.

It gives the floor (a player that guesses) and turns a table of accuracies by level into the R that
a ladder would find on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from facelet.pipeline.ladder.climbing import FIVE, NEEDED, Reach

LEAST = 1e-18
"""A state that is less likely is left out."""


def pass_chance(accuracy: float) -> float:
    """Return how likely a visit is passed by a player of an accuracy, 0 to 1."""
    return sum(
        comb(FIVE, right) * accuracy**right * (1 - accuracy) ** (FIVE - right)
        for right in range(NEEDED, FIVE + 1)
    )


@dataclass(frozen=True, slots=True)
class Ends:
    """How likely each end of a climb is.

    Attributes:
        failed: by place, that the level there is failed twice.
        bottom: that it falls below the lowest.
        top: that it passes the highest.
    """

    failed: tuple[float, ...]
    bottom: float
    top: float


def ends(passing: Sequence[float]) -> Ends:
    """Return how likely each end is.

    Args:
        passing: by place, how likely a visit is passed.
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
    return Ends(tuple(failed), bottom, sum(arriving.values()))


def expected(accuracies: Sequence[float], levels: Sequence[int] | None = None) -> Reach:
    """Return the expectation of R, by both readings.

    Args:
        accuracies: by level, the share of right answers.
        levels: the levels, ascending; 1, 2, 3, ... by default.
    """
    numbers = list(levels) if levels is not None else list(range(1, len(accuracies) + 1))
    found = ends([pass_chance(accuracy) for accuracy in accuracies])
    below = [0, *numbers[:-1]]
    top = found.top * numbers[-1] if numbers else 0.0
    return Reach(
        failed=top + sum(p * level for p, level in zip(found.failed, numbers, strict=True)),
        below=top + sum(p * level for p, level in zip(found.failed, below, strict=True)),
    )
