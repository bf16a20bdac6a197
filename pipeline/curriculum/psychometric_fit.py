"""Fit how accuracy falls with the level: one logistic curve (a psychometric function).

    p(level) = guess + (1 - guess) / (1 + exp(slope * (level - threshold)))

`guess` is the share that a guesser gets right; the threshold is the level of the middle between it
and 1, and the slope is at least MIN_SLOPE a level. The curve of greatest likelihood is found on a
grid that is refined, so there is no start to choose and no failure to converge. The interval is
that of the profile likelihood: the thresholds for which some slope is not rejected at 95%. Where
the answers do not bound it on one side (all right, or all wrong), that end is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from facelet.pipeline.scoring.array_types import Floats

MIN_SLOPE, MAX_SLOPE = 0.02, 12.0
"""Slopes, in logits a level."""
LIKELIHOOD_DROP = 1.920729
"""Half of the 95% point of chi squared with one degree of freedom."""
GRID, SLOPES, ROUNDS = 401, 121, 6
"""Thresholds and slopes of a grid, and how often it is refined."""
MIN_MARGIN = 4
"""Levels beyond those that were asked at which a threshold is looked for, at least."""


LUCK = 0.01
"""What a guesser wins more rarely than so is told apart from guessing."""


@dataclass(frozen=True, slots=True)
class LevelResult:
    """A model's results at a level.

    Attributes:
        level: the level.
        right: right answers; a fraction where several samples are averaged.
        total: answers.
        guess: the share that is won there without looking, from 0 to below 1.
    """

    level: int
    right: float
    total: float
    guess: float = 0.0

    @property
    def accuracy(self) -> float:
        """The share that was right."""
        return self.right / self.total

    @property
    def accuracy_above_guess(self) -> float:
        """The share of right answers above guessing, 0 to 1; 0 for no more than guessing."""
        return max(0.0, (self.accuracy - self.guess) / (1 - self.guess))

    @property
    def beats_guessing(self) -> bool:
        """Whether a guesser would reach this result in fewer than one of a hundred tries."""
        right, total, guess = math.floor(self.right), math.ceil(self.total), self.guess
        lucky = (
            math.comb(total, k) * guess**k * (1 - guess) ** (total - k)
            for k in range(right, total + 1)
        )
        return not guess or math.fsum(lucky) < LUCK


@dataclass(frozen=True, slots=True)
class FittedCurve:
    """The curve of greatest likelihood.

    Attributes:
        threshold: the level at which the accuracy is halfway between guessing and 1.
        low: lower end of its 95% interval; None if the answers do not bound it.
        high: upper end; None if they do not bound it.
        slope: logits a level.
        likelihood: the logarithm of the likelihood, without its constant.
    """

    threshold: float
    low: float | None
    high: float | None
    slope: float
    likelihood: float


def fit_curve(asked: Sequence[LevelResult]) -> FittedCurve:
    """Return the curve that fits best.

    Args:
        asked: the results, at one level or more.

    Raises:
        ValueError: there are no answers, or the guess of a level is out of range.
    """
    asked = [one for one in asked if one.total > 0]
    if not asked:
        raise ValueError("no level has an answer; a fit needs answers at one level at least")
    if wrong := [one.guess for one in asked if not 0 <= one.guess < 1]:
        raise ValueError(f"guess={wrong[0]} is out of range; use a share from 0 to below 1")
    levels = [one.level for one in asked]
    span = max(MIN_MARGIN, max(levels) - min(levels))
    ends = (min(levels) - span, max(levels) + span)
    thresholds = np.linspace(*ends, GRID)
    slopes = np.geomspace(MIN_SLOPE, MAX_SLOPE, SLOPES)
    found = _log_likelihoods(asked, thresholds, slopes)
    profile = found.max(axis=1)
    place, steep = np.unravel_index(int(found.argmax()), found.shape)
    threshold, slope = float(thresholds[place]), float(slopes[steep])
    width, factor = (ends[1] - ends[0]) / (GRID - 1), (MAX_SLOPE / MIN_SLOPE) ** (1 / (SLOPES - 1))
    for _ in range(ROUNDS):
        near = threshold + np.linspace(-width, width, 21)
        some = np.clip(slope * factor ** np.linspace(-1, 1, 21), MIN_SLOPE, MAX_SLOPE)
        found = _log_likelihoods(asked, near, some)
        place, steep = np.unravel_index(int(found.argmax()), found.shape)
        threshold, slope = float(near[place]), float(some[steep])
        width, factor = width / 5, factor**0.2
    best = float(found.max())
    kept = np.flatnonzero(profile >= best - LIKELIHOOD_DROP)
    # The grid may have no threshold inside a very narrow interval; then it is the estimate itself.
    first, last = (kept[0], kept[-1]) if len(kept) else (1, 1)
    low = float(thresholds[first]) if len(kept) else threshold
    high = float(thresholds[last]) if len(kept) else threshold
    return FittedCurve(
        threshold,
        None if first == 0 else low,
        None if last == GRID - 1 else high,
        slope,
        best,
    )


def _log_likelihoods(asked: Sequence[LevelResult], thresholds: Floats, slopes: Floats) -> Floats:
    """Return the logarithms of the likelihoods.

    Args:
        asked: what was asked.
        thresholds: (thresholds,) levels.
        slopes: (slopes,) logits a level.

    Returns:
        (thresholds, slopes) logarithms.
    """
    # In logarithms throughout: a steep curve far from its threshold is no longer told from 0 or 1.
    total: Floats = np.zeros((len(thresholds), len(slopes)))
    for one in asked:
        known = np.log(one.guess) if one.guess else -np.inf
        logit = slopes * (thresholds[:, None] - one.level)
        if one.right:
            solved = np.log1p(-one.guess) - np.logaddexp(0, -logit)
            total += one.right * np.logaddexp(known, solved)
        if one.total > one.right:
            total += (one.total - one.right) * (np.log1p(-one.guess) - np.logaddexp(0, logit))
    return total
