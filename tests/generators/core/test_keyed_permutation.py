"""Permutations are permutations, the same everywhere, and mixed as even draws are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from facelet.generators.core.keyed_permutation import MOST, TABLED, Permutation


@pytest.mark.parametrize("size", [1, 2, 3, 1000, TABLED, TABLED + 1, 100_003, 1 << 17, 200_001])
def test_each_number_comes_once(size: int) -> None:
    order = Permutation(size, "a")
    assert np.array_equal(np.sort(order[np.arange(size)]), np.arange(size))
    assert list(order)[:50] == order[:50].tolist()


@settings(max_examples=60)
@given(st.integers(1, MOST), st.data())
def test_a_place_is_found_again(size: int, data: st.DataObject) -> None:
    order = Permutation(size, "a", 7)
    place = data.draw(st.integers(0, size - 1))
    assert 0 <= order[place] < size
    assert order.place_of(order[place]) == place
    assert order[place - size] == order[place]


def test_names_make_the_order_and_nothing_else_does() -> None:
    code = "from facelet import Permutation; print(Permutation(10**9, 'a', 1)[:4].tolist())"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert told == {f"{Permutation(10**9, 'a', 1)[:4].tolist()}\n"}
    assert Permutation(10**9, "a", 2)[:4].tolist() != Permutation(10**9, "a", 1)[:4].tolist()


@pytest.mark.parametrize("size", [1000, 1_000_000])
def test_neighbours_are_apart_as_if_drawn_evenly(size: int) -> None:
    """First, second and difference of neighbours over many orders, against even draws."""
    drawn = np.array([Permutation(size, "mixed", seed)[:2] for seed in range(2000)])
    gap = (drawn[:, 1] - drawn[:, 0]) % size
    for values in (drawn[:, 0], drawn[:, 1], gap):
        counts = np.bincount(values * 20 // size, minlength=20)
        assert stats.chisquare(counts).pvalue > 1e-4
    assert abs(stats.spearmanr(np.arange(500), Permutation(size, "one")[:500])[0]) < 0.2


def test_what_is_out_of_range_is_named() -> None:
    with pytest.raises(ValueError, match="size=0 is out of range; it may be 1 to"):
        Permutation(0)
    with pytest.raises(IndexError, match="there are 10"):
        Permutation(10)[10]
    with pytest.raises(ValueError, match="10 is not in"):
        Permutation(10).place_of(10)
