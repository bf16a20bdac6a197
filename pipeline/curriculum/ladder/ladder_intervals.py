"""Intervals of R: a posterior of the expected R, given all answers of a ladder.

The right answers of each level are counted, whichever run asked. Their logit is a weighted sum of
1, the logarithm of the level and the level; the weights have a normal prior. They are drawn from
their posterior (a normal one about its mode, resampled by weight), and each draw has an expected R,
by the chain of facelet.pipeline.curriculum.ladder.expected_level. The interval contains the middle
of those and the mean over the runs. So it ends at 0 and at the top of the ladder, and has some
width even where all runs ended alike. Above the deepest level with questions no answer informs the
accuracy: there it never rises, and no interval ends above REACH times that level.

The quantiles are slightly wider than 2.5% and 97.5%, so that simulated ladders of ten runs have the
stated coverage, over accuracies that are flat, steep and slowly falling
(tests/pipeline/curriculum/ladder/test_ladder_intervals.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reaches

DRAWS = 200
QUANTILES = (0.0225, 0.9775)
REACH = 10
"""An interval ends at most at so many times the deepest level that was asked."""
_SPREAD = 2.5
"""Standard deviation of the prior of each weight."""
_STEPS = 60
_FAR = 30.0
"""Logits beyond this are as good as certain."""

Array = npt.NDArray[np.float64]


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
