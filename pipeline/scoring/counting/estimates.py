"""Estimates: a figure with its 95% interval, for the units of one cell.

A plain proportion over independent units has the Wilson interval. Everything else, and every
proportion over units that share a base puzzle or have several samples, has the percentile interval
of a cluster bootstrap. Over fewer than MIN_CLUSTERS clusters that say anything about the figure, or
where all units agree, the bootstrap has too little to draw from and would be too narrow: then a
share has Wilson's interval with the clusters as trials, which is wide, and any other figure has
none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from facelet.generators.core.seeding import Name, generator
from facelet.pipeline.scoring.arrays import Floats, Ints
from facelet.pipeline.scoring.counting.figure_table import FigureTable, Quantity, Ratio
from facelet.pipeline.scoring.counting.statistics import (
    Interval,
    cluster_sums,
    percentiles,
    resample,
    wilson,
)

Method = Literal["wilson", "wilson_clusters", "cluster_bootstrap"]

MIN_CLUSTERS = 10
"""Fewest clusters that a bootstrap is drawn from."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure.

    Attributes:
        value: the figure, or None where it is undefined.
        low: lower end of the interval, or None.
        high: upper end of the interval, or None.
        method: how the interval was made, or None without one.
        units: number of units that the figure is about.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: Method | None = None
    units: int = 0


def estimate(
    table: FigureTable, chosen: Ints, groups: Ints, seed: tuple[Name, ...], resamples: int
) -> Mapping[str, Estimate]:
    """Return the figures of a table over some of its units.

    Args:
        table: the table.
        chosen: places of the units.
        groups: (units of the table,) cluster of each unit.
        seed: names that the resampling draws depend on.
        resamples: number of bootstrap replicates.
    """
    columns = table.columns[chosen]
    # Numbered from 0 within the cell, so that counting them takes no more than the cell's size.
    clusters = np.unique(groups[chosen], return_inverse=True)[1]
    spread = int(clusters.max(initial=-1)) + 1
    totals = columns.sum(axis=0)
    replicates: Floats | None = None
    counted: dict[int, tuple[int, int]] = {}
    found: dict[str, Estimate] = {}
    for name, formula in table.formulas.items():
        value = float(formula(totals)) if len(chosen) else math.nan
        units, trials = len(chosen), spread
        if isinstance(formula, Ratio):
            if formula.denominator not in counted:
                about = clusters[columns[:, formula.denominator] != 0]
                counted[formula.denominator] = len(about), int(np.count_nonzero(np.bincount(about)))
            units, trials = counted[formula.denominator]
        elif isinstance(formula, Quantity):
            about = clusters[columns.any(axis=1)]
            units, trials = len(about), int(np.count_nonzero(np.bincount(about)))
        if not math.isfinite(value):
            found[name] = Estimate(None, units=units)
            continue
        share = False
        if isinstance(formula, Ratio) and formula.share:
            numbers = columns[:, (formula.numerator, formula.denominator)]
            whole, parts = totals[formula.denominator], totals[formula.numerator]
            if trials == units and bool(np.all((numbers == 0) | (numbers == 1))):
                found[name] = Estimate(value, *wilson(float(parts), float(whole)), "wilson", units)
                continue
            share = bool(np.all((numbers[:, 0] >= 0) & (numbers[:, 0] <= numbers[:, 1])))
        drawn: Interval | None = None
        extreme = isinstance(formula, Quantity) and not formula.resampled
        if trials >= MIN_CLUSTERS and not extreme and not (share and value in (0.0, 1.0)):
            if replicates is None:
                sums = cluster_sums(columns, clusters)
                replicates = resample(sums, generator("facelet-score", *seed), resamples)
            drawn = percentiles(formula(replicates))
        if drawn is not None:
            found[name] = Estimate(value, *drawn, "cluster_bootstrap", units)
        elif share:
            found[name] = Estimate(value, *wilson(value * trials, trials), "wilson_clusters", units)
        else:
            found[name] = Estimate(value, units=units)
    return found
