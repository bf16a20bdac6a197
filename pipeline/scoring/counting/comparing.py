"""Comparing two models on the rows that both were asked: paired, never interval against interval.

The difference of accuracies has a cluster-bootstrap interval. Its p-value is McNemar's exact test
where rows are independent and have one sample each, and the sign-flip test over clusters elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from facelet.generators.core.seeding import generator
from facelet.pipeline.scoring.arrays import Floats, Ints
from facelet.pipeline.scoring.counting.estimates import MIN_CLUSTERS
from facelet.pipeline.scoring.counting.statistics import (
    cluster_sums,
    mcnemar,
    percentiles,
    ratio,
    resample,
    sign_flip,
)
from facelet.pipeline.scoring.judging.population import Missing, Population

MAX_PAIRED = 5
"""Up to this many models are compared all with all; more need names."""


def pairs(models: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of models to compare.

    Args:
        models: the models that have predictions.
        wanted: the models that were asked for; none asks for all, if there are few.

    Raises:
        ValueError: a wanted model has no predictions, or only one is wanted.
    """
    if not wanted:
        return list(combinations(models, 2)) if len(models) <= MAX_PAIRED else []
    for name in wanted:
        if name not in models:
            raise ValueError(f"compare={name}: no predictions of it; there are {', '.join(models)}")
    if len(set(wanted)) < 2:
        raise ValueError("compare needs at least two different models, such as compare=a,b")
    return list(combinations(dict.fromkeys(wanted), 2))


@dataclass(frozen=True, slots=True)
class Paired:
    """A mean difference of paired shares.

    Attributes:
        positive: pairs whose difference is above 0.
        negative: pairs whose difference is below 0.
        difference: the mean; None without a pair, and so are the others.
        low: lower end of its 95% interval; None where there are too few clusters.
        high: upper end of it.
        p_value: two-sided, of no difference.
        test: which test that is.
        p_holm: the p-value, corrected for all tests of its kind (`holm.corrected`).
    """

    positive: int
    negative: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    test: str | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on one split.

    Attributes:
        config: the config.
        split: the split.
        models: their names.
        items: number of rows that both were asked.
        found: the mean difference of their accuracies, the first's less the second's.
        vouched: whether the dataset was checked at all.
    """

    config: str
    split: str
    models: tuple[str, str]
    items: int
    found: Paired
    vouched: bool


def compare(
    first: Population, second: Population, resamples: int, missing: Missing = "wrong"
) -> Comparison:
    """Return the paired comparison of two models on one split.

    Args:
        first: the entries of one model.
        second: the entries of the other, on the same split.
        resamples: number of bootstrap replicates.
        missing: whether rows count that one of them has no prediction for.
    """
    graded = first.graded & first.counted(missing) & second.counted(missing)
    rows = np.flatnonzero(graded)
    shares = [
        population.per_row(population.correct)[rows] / population.samples
        for population in (first, second)
    ]
    seed = ("facelet-score", "compare", *first.part.name, first.model, second.model)
    found = paired(
        shares[0] - shares[1],
        first.group[rows],
        seed,
        resamples,
        exact=first.samples == second.samples == 1,
    )
    return Comparison(
        *first.part.name, (first.model, second.model), len(rows), found, first.part.vouched
    )


def paired(
    difference: Floats, groups: Ints, seed: Sequence[str], resamples: int, *, exact: bool
) -> Paired:
    """Return the mean of paired differences, with its interval and test.

    Args:
        difference: (pairs,) differences of shares.
        groups: (pairs,) base puzzle of each.
        seed: names that the random numbers come from.
        resamples: number of bootstrap replicates.
        exact: whether differences are -1, 0 or 1, so that McNemar's test is exact where no two
            pairs share a puzzle.
    """
    counts = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    if not len(difference):
        return Paired(*counts)
    columns = np.column_stack((difference, np.ones(len(difference))))
    sums = cluster_sums(columns, groups)
    totals = resample(sums, generator(*seed, "bootstrap"), resamples)
    interval = percentiles(ratio(totals[:, 0], totals[:, 1]))
    low, high = interval if interval and len(sums) >= MIN_CLUSTERS else (None, None)
    if exact and len(sums) == len(difference):
        test, p = "mcnemar_exact", mcnemar(*counts)
    else:
        test, p = "sign_flip_clusters", sign_flip(sums[:, 0], generator(*seed, "sign flip"))
    return Paired(*counts, float(difference.mean()), low, high, p, test)
