from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial import distance

from facelet.generators.options import fairness_statistics

count_lists = st.lists(st.integers(0, 60), min_size=2, max_size=7)


@given(count_lists, count_lists)
def test_divergence_is_scipys_squared_distance(left: list[int], right: list[int]) -> None:
    size = min(len(left), len(right))
    left, right = left[:size], right[:size]
    assume(sum(left) and sum(right))
    expected = distance.jensenshannon(left, right, base=2) ** 2
    assert fairness_statistics.jensen_shannon(left, right) == pytest.approx(expected, abs=1e-9)
    assert fairness_statistics.jensen_shannon(right, left) == pytest.approx(expected, abs=1e-9)


def test_divergence_ends() -> None:
    assert fairness_statistics.jensen_shannon([3, 1], [6, 2]) == 0
    assert fairness_statistics.jensen_shannon([1, 0], [0, 1]) == 1


@given(count_lists)
def test_chi_square_is_scipys(observed: list[int]) -> None:
    assume(sum(observed))
    expected = scipy.stats.chisquare(observed)
    mine = fairness_statistics.chi_square(observed)
    assert mine == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=2, max_size=5))
def test_homogeneity_is_scipys_contingency_test(table: list[list[int]]) -> None:
    array = np.array(table)
    assume(array.sum(axis=1).all() and array.sum(axis=0).all())
    oracle = scipy.stats.chi2_contingency(array, correction=False)
    assert fairness_statistics.homogeneity_test(table) == pytest.approx(
        oracle.pvalue, rel=1e-9, abs=1e-300
    )


@given(st.floats(1e-6, 400), st.integers(1, 60))
def test_chi_square_tail_is_scipys(statistic: float, dof: int) -> None:
    expected = scipy.stats.chi2.sf(statistic, dof)
    assert fairness_statistics.chi_square_tail(statistic, dof) == pytest.approx(
        expected, rel=1e-9, abs=1e-300
    )


@given(st.floats(1e-9, 0.9), st.integers(1, 30))
def test_chi_square_bound_inverts_the_tail(p: float, dof: int) -> None:
    assert fairness_statistics.chi_square_bound(p, dof) == pytest.approx(
        scipy.stats.chi2.isf(p, dof), rel=1e-6
    )


@given(st.integers(1, 400), st.data())
def test_binomial_tail_is_scipys(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, trials))
    chance = data.draw(st.sampled_from([1 / 2, 1 / 3, 1 / 4, 0.9]))
    expected = scipy.stats.binom.sf(hits - 1, trials, chance)
    assert fairness_statistics.binomial_tail(hits, trials, chance) == pytest.approx(
        expected, rel=1e-8
    )


@given(st.integers(1, 300), st.sampled_from([1e-2, 1e-4, 1e-6]), st.sampled_from([0.25, 0.5]))
def test_accuracy_bound_is_the_last_plausible_count(trials: int, p: float, chance: float) -> None:
    hits = round(fairness_statistics.accuracy_bound(p, trials, chance) * trials)
    assert fairness_statistics.binomial_tail(hits, trials, chance) > p
    assert fairness_statistics.binomial_tail(hits + 1, trials, chance) <= p or hits == trials


@given(st.integers(1, 4), st.integers(0, 40), st.randoms(use_true_random=False))
def test_dealt_blocks_are_balanced_at_every_length(repeats: int, items: int, random) -> None:
    labels: list[str] = []
    while len(labels) < items:
        block = list("ABCD") * repeats
        random.shuffle(block)
        labels += block
    found = fairness_statistics.measure_balance(labels[:items], "ABCD")
    assert 0 < found.block <= 4 * repeats
    assert found.deviation == 0


@given(st.lists(st.sampled_from("AB"), max_size=40))
def test_balance_means_what_it_says(labels: list[str]) -> None:
    found = fairness_statistics.measure_balance(labels, "AB")
    if found.block:
        full = len(labels) // found.block * found.block
        for start in range(0, full, found.block):
            block = labels[start : start + found.block]
            assert block.count("A") == block.count("B")
        assert max((labels[full:].count(x) for x in "AB"), default=0) <= found.block // 2
    else:
        assert found.deviation > 0


def test_a_skewed_sequence_has_no_block() -> None:
    assert fairness_statistics.measure_balance("A" * 100, "ABCD") == fairness_statistics.Balance(
        0, 3
    )


@given(st.integers(0, 2**32 - 1))
def test_random_draws_stay_below_the_divergence_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mix = np.array([0.25, 0.3, 0.45])
    drawn = rng.multinomial(400, mix)
    bound = fairness_statistics.jensen_shannon_bound(1e-6, 3, 400)
    assert fairness_statistics.jensen_shannon(drawn, mix) < bound < 0.02


def test_doubling_target_of_the_paper() -> None:
    # A.7.2 by hand: 18 items, doubles feasible in 0, 18 and 18 of them, alpha 1.
    odds = np.array([1, 19, 19]) / 20
    expected = 0.25 + 0.25 * odds / odds.sum()
    assert fairness_statistics.doubling_target([0, 18, 18], 18) == pytest.approx(expected)
    assert math.isclose(fairness_statistics.doubling_target([3, 5, 7], 9).sum(), 1.0)


def test_impossible_inputs_are_named() -> None:
    with pytest.raises(ValueError, match="positive sum"):
        fairness_statistics.normalize_counts([0, 0])
