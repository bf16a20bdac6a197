"""Canonical words are numbered without a gap and drawn uniformly; shells have the known sizes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from facelet.generators.core.seeding import generator
from facelet.generators.cube.distance import sampling
from facelet.generators.cube.engine import cubies, moves, notation
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.metrics import Metric

METRICS: tuple[Metric, ...] = ("htm", "qtm")

# Positions at distance 0, 1, 2, ... (published counts).
POSITIONS: dict[Metric, tuple[int, ...]] = {
    "htm": (1, 18, 243, 3240, 43239),
    "qtm": (1, 12, 114, 1068, 10011, 93840),
}


def is_canonical(word: tuple[str, ...]) -> bool:
    """Spell the rule out once more: the twin of the numbering."""
    opposite_first = {"D": "U", "L": "R", "B": "F"}
    return all(
        b[0] != a[0] and not (a[0] in opposite_first and b[0] == opposite_first[a[0]])
        for a, b in pairwise(word)
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_numbering_lists_exactly_the_canonical_words(metric: Metric, length: int) -> None:
    listed = [
        sampling.word(metric, length, index) for index in range(sampling.word_count(metric, length))
    ]
    expected = {
        word
        for moves_used in range(length + 1)
        for word in product(moves.FACE_MOVES, repeat=moves_used)
        if notation.length(word, metric) == length and is_canonical(word)
    }
    assert len(set(listed)) == len(listed)
    assert set(listed) == expected


def test_word_counts_follow_the_known_recurrence() -> None:
    counts = [sampling.word_count("htm", length) for length in range(12)]
    assert counts[:4] == [1, 18, 243, 3240]
    # Words of length n >= 3: 12 times those of n - 1 and 18 times those of n - 2.
    for n in range(3, 12):
        assert counts[n] == 12 * counts[n - 1] + 18 * counts[n - 2]


@pytest.mark.parametrize("index", [-1, 18])
def test_an_index_out_of_range_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="allowed: 0 to 17"):
        sampling.word("htm", 1, index)


@pytest.mark.parametrize(("metric", "length"), [("htm", 2), ("htm", 3), ("qtm", 3)])
def test_random_words_are_uniform(metric: Metric, length: int) -> None:
    total = sampling.word_count(metric, length)
    rng = generator("test", "uniform words", metric, length)
    seen = Counter(sampling.random_word(metric, length, rng) for _ in range(20 * total))
    assert len(seen) == total
    assert chisquare(list(seen.values())).pvalue > 1e-4


@given(st.integers(0, 2**63), st.integers(1, 26), st.sampled_from(METRICS))
def test_random_words_have_their_length_and_form(seed: int, length: int, metric: Metric) -> None:
    word = sampling.random_word(metric, length, generator("test", seed))
    assert notation.length(word, metric) == length
    assert is_canonical(word)


@given(st.lists(st.sampled_from(moves.FACE_MOVES), max_size=20), st.integers(0, 2**32))
def test_shuffling_commuting_turns_changes_no_state(names: list[str], seed: int) -> None:
    maneuver = tuple(names)
    shuffled = sampling.shuffle_commuting(maneuver, generator("test", seed))
    assert sorted(shuffled) == sorted(maneuver)
    assert moves.apply(SOLVED, shuffled) == moves.apply(SOLVED, maneuver)


def test_shuffling_takes_both_orders_equally_often() -> None:
    rng = generator("test", "commuting")
    orders = Counter(sampling.shuffle_commuting(("R", "U", "D'", "F"), rng) for _ in range(400))
    assert set(orders) == {("R", "U", "D'", "F"), ("R", "D'", "U", "F")}
    assert chisquare(list(orders.values())).pvalue > 1e-4


def test_random_states_are_legal_and_uniform_in_each_part() -> None:
    rng = generator("test", "random states")
    states = [cubies.from_facelets(sampling.random_state(rng)) for _ in range(4000)]
    parts = {
        "corner at URF": [state.cp[0] for state in states],
        "last corner": [state.cp[7] for state in states],
        "twist at URF": [state.co[0] for state in states],
        "last twist": [state.co[7] for state in states],
        "edge at UR": [state.ep[0] for state in states],
        "edge at UF": [state.ep[1] for state in states],
        "last flip": [state.eo[11] for state in states],
        "parity": [cubies.parity(state.cp) for state in states],
    }
    for name, values in parts.items():
        assert chisquare(np.bincount(values)).pvalue > 1e-4, name


@pytest.mark.parametrize("metric", METRICS)
def test_shells_have_the_published_sizes(metric: Metric) -> None:
    shells = sampling.shells(metric, sampling.EXHAUSTIVE[metric])
    assert tuple(len(shell) for shell in shells) == POSITIONS[metric]


@pytest.mark.parametrize("metric", METRICS)
def test_descend_solves_in_the_depth_of_the_shell(metric: Metric) -> None:
    rng = generator("test", "descend", metric)
    for depth, shell in enumerate(sampling.shells(metric, sampling.EXHAUSTIVE[metric])):
        listed = sorted(shell)
        for place in rng.integers(len(listed), size=5):
            solution = sampling.descend(metric, listed[int(place)], rng)
            assert notation.length(solution, metric) == depth
            assert moves.apply(listed[int(place)], solution) == SOLVED


def test_descend_takes_every_optimal_first_move() -> None:
    rng = generator("test", "descend")
    state = moves.apply(SOLVED, "U D2")
    assert {sampling.descend("htm", state, rng)[0] for _ in range(60)} == {"U'", "D2"}


def test_descend_refuses_deeper_states() -> None:
    state = moves.apply(SOLVED, "R U F' L2 D B")
    with pytest.raises(ValueError, match="use a Solver"):
        sampling.descend("htm", state, generator("test"))
