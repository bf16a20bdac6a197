"""Compute Wilson intervals, the cluster bootstrap, and exact paired tests with numpy only.

All intervals are two-sided, 95%. Rows that share a base puzzle are one cluster: resampling draws
clusters with replacement, never rows. A bootstrap replicate depends only on how often each kind of
cluster was drawn, where clusters with equal sums are of one kind. Replicates are therefore drawn as
multinomial counts of kinds, which has the same distribution as drawing clusters one by one, at a
cost that does not grow with their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from facelet.pipeline.scoring.array_types import Bools, Floats, Ints

Interval = tuple[float, float]

Z = 1.959963984540054
"""The 97.5% point of the standard normal distribution."""

RESAMPLES = 1000
"""Bootstrap replicates, unless the caller asks for another number."""

MAX_KINDS = 10_000
"""Beyond this number of kinds of clusters, clusters are merged into this many bins first."""

_SPARSE = 32
"""Numbers that reach this many times as far as there are rows are sorted; others are listed, which
is up to five times as fast."""

_EXACT = 2**24
"""Whole numbers below this, as many as memory holds, add up without rounding."""

_CHUNK = 4_000_000
_ROUNDING = 1e-12


def wilson_interval(successes: float, trials: float) -> Interval:
    """Return the Wilson score interval of a proportion (Wilson 1927; no continuity correction).

    Args:
        successes: number of successes.
        trials: number of independent trials, more than 0.
    """
    share = successes / trials
    spread = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    centre = share + Z * Z / (2 * trials)
    scale = 1 + Z * Z / trials
    # At 0 and 1 the bound is the share itself; rounding must not push it past.
    low = 0.0 if successes <= 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes >= trials else min(1.0, (centre + spread) / scale)
    return low, high


@dataclass(frozen=True, eq=False)
class RowClusters:
    """Which rows are no independent trials.

    Attributes:
        of: (rows,) cluster of each row; all from 0 to `count` - 1 have a row.
        count: number of clusters.
    """

    of: Ints
    count: int

    @staticmethod
    def from_groups(groups: Ints) -> RowClusters:
        """Return clusters in the order of their numbers, which may be any integers."""
        if not len(groups):
            return RowClusters(groups, 0)
        low, high = int(groups.min()), int(groups.max())
        if high - low >= _SPARSE * len(groups):
            values: Ints = np.unique(groups)
            place: Ints = np.searchsorted(values, groups)
            return RowClusters(place, len(values))
        there = np.zeros(high - low + 1, dtype=bool)
        there[groups - low] = True
        place = np.cumsum(there, dtype=np.int32 if len(there) < 2**31 else np.int64)
        return RowClusters(place[groups - low] - 1, int(place[-1]))

    def with_any(self, rows: Bools) -> int:
        """Return the number of clusters with any of some rows, (rows,)."""
        there = np.zeros(self.count, dtype=bool)
        there[self.of[rows]] = True
        return int(np.count_nonzero(there))

    def sum_by_cluster(self, columns: Floats) -> Floats:
        """Return the sums of rows, (rows, columns), by cluster: (clusters, columns)."""
        if not len(columns) or (self.count == len(columns) and self._is_ascending):
            return columns
        if _is_integral(columns):
            each = [np.bincount(self.of, column, self.count) for column in columns.T]
            return np.stack(each, axis=1)
        order, starts = self._order_rows
        sums: Floats = np.add.reduceat(columns[order], starts, axis=0)
        return sums

    @cached_property
    def _is_ascending(self) -> bool:
        return bool(np.all(self.of[1:] >= self.of[:-1]))

    @cached_property
    def _order_rows(self) -> tuple[Ints, Ints]:
        """Return the rows by cluster, and where each cluster starts among them."""
        order = np.argsort(self.of, kind="stable")
        ordered = self.of[order]
        return order, np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])


def _is_integral(columns: Floats) -> bool:
    """Return whether all are whole and so small that they add up to the same in any order."""
    return bool(np.abs(columns).max() < _EXACT) and np.array_equal(np.rint(columns), columns)


def bootstrap_totals(sums: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Return the totals of bootstrap replicates over clusters.

    Args:
        sums: (clusters, columns) sums of each cluster; at least one cluster.
        rng: where the draws come from.
        resamples: number of replicates.

    Returns:
        (resamples, columns) totals.
    """
    kinds, counts = _distinct_sums(sums)
    if len(kinds) > MAX_KINDS:
        sums = RowClusters(np.arange(len(sums)) % MAX_KINDS, MAX_KINDS).sum_by_cluster(sums)
        kinds, counts = _distinct_sums(sums)
    total = int(counts.sum())
    totals = np.empty((resamples, sums.shape[1]))
    step = max(1, _CHUNK // len(kinds))
    for first in range(0, resamples, step):
        size = min(step, resamples - first)
        drawn = rng.multinomial(total, counts / total, size=size)
        totals[first : first + size] = drawn @ kinds
    return totals


def _distinct_sums(sums: Floats) -> tuple[Floats, Ints]:
    # np.unique over rows sorts them as raw bytes, which is slow: rank every column, then combine
    # the ranks into one number as long as it fits.
    key = np.zeros(len(sums), dtype=np.int64)
    largest = 0
    for column in sums.T:
        whole = column.astype(np.int64)
        if np.array_equal(whole, column) and 0 <= whole.min() and whole.max() < 1024:
            ranks, width = whole, int(whole.max()) + 1
        else:
            values, ranks = np.unique(column, return_inverse=True)
            width = len(values)
        if (largest + 1) * width > 2**62:
            values, key = np.unique(key, return_inverse=True)
            largest = len(values) - 1
        key = key * width + ranks
        largest = (largest + 1) * width - 1
    if largest < len(key):
        every = np.bincount(key, minlength=largest + 1)
        there = np.flatnonzero(every)
        place = np.empty(largest + 1, dtype=np.int64)
        place[key] = np.arange(len(key))  # of any row of a kind: they are equal
        return sums[place[there]], every[there].astype(np.int64)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return sums[first], counts.astype(np.int64)


def percentile_interval(replicates: Floats) -> Interval | None:
    """Return the percentile interval of bootstrap replicates.

    None when most are undefined, or when all are equal: then all units agree, and how sure that
    makes the figure is nothing that drawing them again could tell.
    """
    defined = replicates[np.isfinite(replicates)]
    if len(defined) * 2 < len(replicates) or not len(defined):
        return None
    if np.ptp(defined) <= _ROUNDING * np.abs(defined).max():
        return None
    low, high = np.quantile(defined, (0.025, 0.975)).tolist()
    return low, high


def safe_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the quotients, NaN where the denominator is 0."""
    result = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def mcnemar_test(only_first: int, only_second: int) -> float:
    """Return the two-sided p of McNemar's exact test.

    Args:
        only_first: number of items that only the first model got right.
        only_second: number of items that only the second model got right.
    """
    trials = only_first + only_second
    least = min(only_first, only_second)
    if trials == 0:
        return 1.0
    logs = _log_binomials(trials, least)
    return min(1.0, 2 * math.fsum(np.exp(logs).tolist()))


def _log_binomials(trials: int, last: int) -> Floats:
    # log of C(trials, k) / 2**trials for k = 0..last.
    k = np.arange(1, last + 1, dtype=np.float64)
    logs = np.zeros(last + 1)
    logs[1:] = np.cumsum(np.log(trials - k + 1) - np.log(k))
    return logs - trials * math.log(2)


def sign_flip(differences: Floats, rng: np.random.Generator, resamples: int = 10_000) -> float:
    """Return the two-sided p of the paired test that flips the sign of each cluster's difference.

    With differences of -1, 0 and 1 it is McNemar's test by simulation.

    Args:
        differences: (clusters,) sums of the differences between two models.
        rng: where the flips come from.
        resamples: number of simulated sums.
    """
    sizes = np.abs(differences[differences != 0])
    if not len(sizes):
        return 1.0
    observed = abs(float(differences.sum()))
    values, counts = np.unique(sizes, return_counts=True)
    sums = np.zeros(resamples)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        sums += value * (2.0 * rng.binomial(count, 0.5, size=resamples) - count)
    # The slack keeps ties that rounding has moved apart; the observed sum counts as one draw.
    reached = int(np.count_nonzero(np.abs(sums) >= observed * (1 - 1e-9)))
    return (reached + 1) / (resamples + 1)
