"""Comparing two models on the rows that both were asked: paired, never interval against interval.

The difference of accuracies has a cluster-bootstrap interval. Its p-value is McNemar's exact test
where rows are independent and have one sample each, and the sign-flip test over clusters elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from facelet.generators.core.seeding import generator
from facelet.pipeline.scoring.estimates import MIN_CLUSTERS
from facelet.pipeline.scoring.population import Missing, Population
from facelet.pipeline.scoring.statistics import (
    cluster_sums,
    mcnemar,
    percentiles,
    ratio,
    resample,
    sign_flip,
)

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


def compare(
    first: Population, second: Population, resamples: int, missing: Missing = "wrong"
) -> dict[str, Any]:
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
    difference = shares[0] - shares[1]
    groups = first.group[rows]
    result: dict[str, Any] = {
        "config": first.part.name[0],
        "split": first.part.name[1],
        "models": [first.model, second.model],
        "items": len(rows),
        "difference": None,
        "low": None,
        "high": None,
        "only_first": int(np.count_nonzero(difference > 0)),
        "only_second": int(np.count_nonzero(difference < 0)),
        "p_value": None,
        "test": None,
    }
    if not first.part.vouched:
        result["unverified"] = True
    if not len(rows):
        return result
    seed = ("facelet-score", "compare", *first.part.name, first.model, second.model)
    columns = np.column_stack((difference, np.ones(len(rows))))
    sums = cluster_sums(columns, groups)
    totals = resample(sums, generator(*seed, "bootstrap"), resamples)
    interval = percentiles(ratio(totals[:, 0], totals[:, 1]))
    result["difference"] = float(difference.mean())
    if interval is not None and len(sums) >= MIN_CLUSTERS:
        result["low"], result["high"] = interval
    if len(sums) == len(rows) and first.samples == second.samples == 1:
        result["test"] = "mcnemar_exact"
        result["p_value"] = mcnemar(result["only_first"], result["only_second"])
    else:
        result["test"] = "sign_flip_clusters"
        result["p_value"] = sign_flip(sums[:, 0], generator(*seed, "sign flip"))
    return result
