"""Intervals and tests against scipy, which the product itself does not use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from facelet.pipeline.scoring.aggregate import statistics
from facelet.pipeline.scoring.aggregate.estimates import estimate_paired, estimate_table
from facelet.pipeline.scoring.aggregate.figure_table import (
    Estimand,
    FigureTable,
    PairedEstimand,
    Ratio,
)
from facelet.pipeline.scoring.aggregate.statistics import (
    RowClusters,
    bootstrap_totals,
    mcnemar_test,
    percentile_interval,
    safe_ratio,
    sign_flip,
    wilson_interval,
)


@given(st.integers(1, 5000), st.data())
def test_wilson_is_scipys(trials, data):
    successes = data.draw(st.integers(0, trials))
    low, high = wilson_interval(successes, trials)
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= low <= successes / trials <= high <= 1


def test_paper_interval():
    # Cube Bench, table 7: 2 of 25 solved is [2.2, 25.0] percent.
    low, high = wilson_interval(2, 25)
    assert (round(100 * low, 1), round(100 * high, 1)) == (2.2, 25.0)


NEAR, FAR = st.integers(-3, 3), st.integers(-(2**40), 2**40)


@given(st.lists(NEAR | FAR, min_size=1, max_size=60), st.data())
def test_cluster_sums_are_sums_by_cluster(clusters, data):
    numbers = st.lists(st.integers(-9, 9), min_size=len(clusters), max_size=len(clusters))
    values = np.array(data.draw(numbers), dtype=float)
    columns = np.column_stack((values, np.ones(len(clusters))))
    sums = RowClusters.from_groups(np.array(clusters)).sum_by_cluster(columns)
    expected = [
        (sum(v for v, c in zip(values, clusters, strict=True) if c == k), clusters.count(k))
        for k in sorted(set(clusters))
    ]
    assert sums.tolist() == [list(map(float, pair)) for pair in expected]


@given(st.lists(st.floats(-9, 9), min_size=3, max_size=300))
def test_percentiles_are_numpys_to_the_bit(values):
    found = percentile_interval(np.array(values))
    if found is not None:
        assert found == tuple(np.quantile(values, (0.025, 0.975)).tolist())


def test_bootstrap_agrees_with_scipy():
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 5, size=120)
    hits = rng.binomial(sizes, rng.beta(2, 2, size=120))
    sums = np.column_stack((hits, sizes)).astype(float)
    drawn = bootstrap_totals(sums, np.random.default_rng(1), 20_000)
    ours = percentile_interval(safe_ratio(drawn[:, 0], drawn[:, 1]))
    theirs = stats.bootstrap(
        (hits, sizes),
        lambda x, n, axis: x.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_clusters_widen_the_interval():
    # Ten puzzles in ten copies each: as wide as ten, not as a hundred.
    hits = np.repeat([1.0, 0.0], 5)
    sums = np.column_stack((10 * hits, np.full(10, 10.0)))
    drawn = bootstrap_totals(sums, np.random.default_rng(1), 5000)
    low, high = percentile_interval(drawn[:, 0] / drawn[:, 1])
    assert high - low > 0.5


def test_many_kinds_of_clusters_are_binned_with_the_same_spread(monkeypatch):
    values = np.random.default_rng(3).normal(size=4000)
    sums = np.column_stack((values, np.ones(4000)))
    exact = bootstrap_totals(sums, np.random.default_rng(1), 2000)
    monkeypatch.setattr(statistics, "MAX_KINDS", 1000)
    binned = bootstrap_totals(sums, np.random.default_rng(1), 2000)
    assert np.all(binned[:, 1] == 4000)
    assert binned[:, 0].std() == pytest.approx(exact[:, 0].std(), rel=0.1)
    assert binned[:, 0].mean() == pytest.approx(values.sum(), abs=5)


@given(st.integers(1, 400), st.integers(1, 4), st.sampled_from([1, 2, 40, 2000]), st.integers(0, 9))
def test_kinds_of_clusters_are_the_distinct_rows_with_their_numbers(rows, columns, high, seed):
    drawn = np.random.default_rng(seed).integers(0, high, (rows, columns)).astype(np.float64)
    for sums in (drawn, drawn / 7, -drawn):
        kinds, counts = statistics._distinct_sums(sums)
        values, times = np.unique(sums, axis=0, return_counts=True)
        order = np.lexsort(kinds.T[::-1])
        assert np.array_equal(kinds[order], values)
        assert np.array_equal(counts[order], times)


@given(st.integers(1, 300), st.sampled_from([1, 20, 31, 33, 5000]), st.integers(0, 9))
def test_clusters_are_numbered_as_they_ascend_however_far_apart(rows, apart, seed):
    groups = np.random.default_rng(seed).integers(-5, rows * apart, rows)
    found = RowClusters.from_groups(groups)
    values, place = np.unique(groups, return_inverse=True)
    assert found.count == len(values)
    assert np.array_equal(found.of, place)


def test_the_same_seed_gives_the_same_draws():
    sums = np.random.default_rng(0).random((50, 3))
    one, two = (bootstrap_totals(sums, np.random.default_rng(7), 300) for _ in range(2))
    assert np.array_equal(one, two)


def test_equal_totals_for_every_replicate_of_one_kind():
    drawn = bootstrap_totals(np.ones((30, 2)), np.random.default_rng(0), 100)
    assert np.all(drawn == 30)


def test_undefined_replicates_give_no_interval():
    assert percentile_interval(np.array([np.nan, np.nan, 1.0])) is None
    assert percentile_interval(np.array([np.nan, 1.0, 2.0])) == pytest.approx((1.025, 1.975))
    assert percentile_interval(np.array([np.nan, 0.1 + 0.2, 0.3])) is None  # equal but for rounding
    assert percentile_interval(np.array([])) is None


@settings(max_examples=60)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_binomial_test(b, c):
    if b + c == 0:
        assert mcnemar_test(b, c) == 1.0
    else:
        assert mcnemar_test(b, c) == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue, rel=1e-9)


def test_mcnemar_of_many_items_is_finite():
    assert mcnemar_test(500_000, 500_000) == 1.0
    assert 0 < mcnemar_test(499_000, 501_000) < 0.06
    assert mcnemar_test(0, 1_000_000) == 0.0


def test_sign_flip_agrees_with_mcnemar_and_with_scipy():
    single = np.array([1.0] * 14 + [-1.0] * 5 + [0.0] * 30)
    p = sign_flip(single, np.random.default_rng(1), 50_000)
    assert p == pytest.approx(mcnemar_test(14, 5), abs=0.006)
    clusters = np.random.default_rng(4).integers(-3, 5, size=24).astype(float)
    ours = sign_flip(clusters, np.random.default_rng(1), 50_000)
    theirs = stats.permutation_test(
        (clusters,),
        lambda x, axis: x.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=50_000,
        rng=np.random.default_rng(2),
    ).pvalue
    assert ours == pytest.approx(theirs, abs=0.012)
    assert sign_flip(np.zeros(5), np.random.default_rng(0)) == 1.0


@pytest.mark.parametrize(("count", "method"), [(9, "wilson_clusters"), (10, "cluster_bootstrap")])
def test_the_bootstrap_is_drawn_from_ten_clusters_on(count, method):
    """Two units a cluster: with nine there is too little to draw from."""
    right = np.arange(2 * count) % 3 == 0
    columns = np.column_stack((right, np.ones(2 * count)))
    table = FigureTable("t", (), np.arange(2 * count), columns, {"share": Ratio(0, 1)})
    groups = np.arange(2 * count) // 2
    clusters = RowClusters.from_groups(groups)
    found = estimate_table(Estimand("all", table, np.arange(2 * count), clusters, ("seed",)), 200)
    assert found["share"].method == method
    difference = np.where(right, 1.0, -1.0)
    compared = estimate_paired(
        PairedEstimand("all", difference, groups, ("seed",), exact=False), 200
    )
    assert (compared.low is not None) == (count == 10)
