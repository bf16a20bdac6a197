"""Estimate figures with 95% intervals, and mean paired differences with tests.

A plain proportion over independent units has the Wilson interval. Everything else, and every
proportion over units that share a base puzzle or have several samples, has the percentile interval
of a cluster bootstrap. With fewer than MIN_CLUSTERS informative clusters, or if all units agree,
the bootstrap interval would be too narrow. A share then has Wilson's interval with the clusters as
trials, which is wide, and any other figure has none.

The mean of paired differences has a cluster-bootstrap interval. Its p-value is McNemar's exact test
if pairs are independent and have one sample each, and otherwise the sign-flip test over clusters.

Families of tests are corrected by Holm's method (1979, "A simple sequentially rejective multiple
test procedure"): with m tests in ascending order of p, the k-th is multiplied by m - k + 1, is at
least the one before, and at most 1. The probability that any claim of a family with a corrected p
below ALPHA is wrong is at most ALPHA, for any dependence between the tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal

import numpy as np

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.scoring.aggregate.figure_table import (
    About,
    Estimand,
    PairedEstimand,
    QuantityFormula,
    Ratio,
)
from facelet.pipeline.scoring.aggregate.statistics import (
    Interval,
    RowClusters,
    bootstrap_totals,
    mcnemar_test,
    percentile_interval,
    safe_ratio,
    sign_flip,
    wilson_interval,
)
from facelet.pipeline.scoring.array_types import Bools, Floats
from facelet.pipeline.scoring.worker_pool import each_ahead

Method = Literal["wilson", "wilson_clusters", "cluster_bootstrap", "posterior"]

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


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedFigures(Generic[About]):
    """The figures of one thing, by name."""

    about: About
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A mean difference of paired shares.

    Attributes:
        positive: pairs whose difference is above 0.
        negative: pairs whose difference is below 0.
        difference: the mean; None without a pair, and so are the others.
        low: lower end of its 95% interval; None where there are too few clusters.
        high: upper end of it.
        p_value: two-sided, of no difference.
        test: which test that is.
        p_holm: the p-value, corrected for all tests of its kind (`correct_holm`).
    """

    positive: int
    negative: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    test: str | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TestedDifference(Generic[About]):
    """The mean difference of one thing."""

    about: About
    found: PairedDifference


def estimate_figures(
    wanted: Iterable[Estimand[About]], resamples: int, threads: int = 1
) -> tuple[EstimatedFigures[About], ...]:
    """Return figures by what they are about, in the order in which that comes up.

    Args:
        wanted: what is to be estimated, one table after the other.
        resamples: number of bootstrap replicates.
        threads: most threads that estimate.
    """
    found: dict[About, dict[str, Estimate]] = {}

    def estimate_one(one: Estimand[About]) -> tuple[About, Mapping[str, Estimate]]:
        return one.about, estimate_table(one, resamples)

    for about, estimates in each_ahead(estimate_one, wanted, threads):
        figures = found.setdefault(about, {})
        for name, figure in estimates.items():
            # Two tables of one figure say the same; the first has it.
            figures.setdefault(name, figure)
    return tuple(EstimatedFigures(about, figures) for about, figures in found.items())


def test_differences(
    every: Iterable[PairedEstimand[About]], resamples: int, threads: int = 1
) -> tuple[TestedDifference[About], ...]:
    """Return the mean differences of pairs.

    Args:
        every: the pairs, by what they are about.
        resamples: number of bootstrap replicates.
        threads: most threads that estimate.
    """

    def test_one(pairs: PairedEstimand[About]) -> TestedDifference[About]:
        return TestedDifference(pairs.about, estimate_paired(pairs, resamples))

    return tuple(each_ahead(test_one, every, threads))


def estimate_table(wanted: Estimand[About], resamples: int) -> Mapping[str, Estimate]:
    """Return the figures of some units of one table.

    Args:
        wanted: the units and their table.
        resamples: number of bootstrap replicates.
    """
    table, chosen, clusters = wanted.table, wanted.chosen, wanted.clusters
    every = len(chosen) == len(table.columns)
    columns = table.columns if every else table.columns[chosen]
    totals = columns.sum(axis=0)
    replicates: Floats | None = None
    counted: dict[int, tuple[int, int]] = {}
    found: dict[str, Estimate] = {}
    for name, formula in table.formulas.items():
        value = float(formula(totals)) if len(chosen) else math.nan
        units, trials = len(chosen), clusters.count
        if isinstance(formula, Ratio):
            if formula.denominator not in counted:
                counted[formula.denominator] = _count_units(
                    columns[:, formula.denominator, np.newaxis], clusters
                )
            units, trials = counted[formula.denominator]
        elif isinstance(formula, QuantityFormula):
            units, trials = _count_units(columns, clusters)
        if not math.isfinite(value):
            found[name] = Estimate(None, units=units)
            continue
        share = False
        if isinstance(formula, Ratio) and formula.share:
            top, below = columns[:, formula.numerator], columns[:, formula.denominator]
            whole, parts = totals[formula.denominator], totals[formula.numerator]
            if trials == units and _is_binary(top) and _is_binary(below):
                found[name] = Estimate(
                    value, *wilson_interval(float(parts), float(whole)), "wilson", units
                )
                continue
            share = bool(np.all((top >= 0) & (top <= below)))
        drawn: Interval | None = None
        extreme = isinstance(formula, QuantityFormula) and not formula.resampled
        if trials >= MIN_CLUSTERS and not extreme and not (share and value in (0.0, 1.0)):
            if replicates is None:
                sums = clusters.sum_by_cluster(columns)
                replicates = bootstrap_totals(
                    sums, make_generator("facelet-score", *wanted.seed), resamples
                )
            drawn = percentile_interval(formula(replicates))
        if drawn is not None:
            found[name] = Estimate(value, *drawn, "cluster_bootstrap", units)
        elif share:
            found[name] = Estimate(
                value, *wilson_interval(value * trials, trials), "wilson_clusters", units
            )
        else:
            found[name] = Estimate(value, units=units)
    return found


def _count_units(columns: Floats, clusters: RowClusters) -> tuple[int, int]:
    """Return the numbers of units and of clusters with a number that is not 0."""
    about: Bools = np.zeros(len(columns), dtype=bool)
    for column in columns.T:
        about |= column != 0
    return int(np.count_nonzero(about)), clusters.with_any(about)


def _is_binary(column: Floats) -> bool:
    """Return whether all numbers of a column are 0 or 1."""
    return bool(np.all((column == 0) | (column == 1)))


def estimate_paired(pairs: PairedEstimand[About], resamples: int) -> PairedDifference:
    """Return the mean of paired differences, with its interval and test.

    Args:
        pairs: the differences.
        resamples: number of bootstrap replicates.
    """
    difference = pairs.difference
    counts = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    if not len(difference):
        return PairedDifference(*counts)
    columns = np.column_stack((difference, np.ones(len(difference))))
    sums = RowClusters.from_groups(pairs.groups).sum_by_cluster(columns)
    totals = bootstrap_totals(sums, make_generator(*pairs.seed, "bootstrap"), resamples)
    interval = percentile_interval(safe_ratio(totals[:, 0], totals[:, 1]))
    low, high = interval if interval and len(sums) >= MIN_CLUSTERS else (None, None)
    if pairs.exact and len(sums) == len(difference):
        test, p = "mcnemar_exact", mcnemar_test(*counts)
    else:
        test, p = (
            "sign_flip_clusters",
            sign_flip(sums[:, 0], make_generator(*pairs.seed, "sign flip")),
        )
    return PairedDifference(*counts, float(difference.mean()), low, high, p, test)


# --- many tests -----------------------------------------------------------------------------------

ALPHA = 0.05
"""Below this corrected p a difference is told from luck."""


def correct_holm(values: Sequence[float | None]) -> list[float | None]:
    """Return corrected p-values in the order of the tests; None where there was no test."""
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    least = 0.0
    for done, (p, place) in enumerate(order):
        least = max(least, min(1.0, (len(order) - done) * p))
        found[place] = least
    return found


def by_family(
    found: Sequence[TestedDifference[About]], family: Callable[[About], Hashable]
) -> tuple[TestedDifference[About], ...]:
    """Return mean differences with their corrected p-values, in their order.

    Args:
        found: the mean differences.
        family: the family of tests that one belongs to, by what it is about.
    """
    families: dict[Hashable, list[int]] = {}
    for place, one in enumerate(found):
        families.setdefault(family(one.about), []).append(place)
    tests: dict[int, PairedDifference] = {}
    for places in families.values():
        adjusted = correct_holm([found[place].found.p_value for place in places])
        tests |= {
            place: replace(found[place].found, p_holm=p)
            for place, p in zip(places, adjusted, strict=True)
        }
    return tuple(TestedDifference(one.about, tests[place]) for place, one in enumerate(found))
