"""Canonical words are numbered without a gap and drawn uniformly."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, notation, scrambles
from facelet.generators.cube.engine.notation import SOLVED, Metric

METRICS: tuple[Metric, ...] = ("htm", "qtm")


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
        scrambles.find_word(metric, length, index)
        for index in range(scrambles.word_count(metric, length))
    ]
    expected = {
        word
        for moves_used in range(length + 1)
        for word in product(moves.FACE_MOVES, repeat=moves_used)
        if notation.maneuver_length(word, metric) == length and is_canonical(word)
    }
    assert len(set(listed)) == len(listed)
    assert set(listed) == expected


def test_word_counts_follow_the_known_recurrence() -> None:
    counts = [scrambles.word_count("htm", length) for length in range(12)]
    assert counts[:4] == [1, 18, 243, 3240]
    # Words of length n >= 3: 12 times those of n - 1 and 18 times those of n - 2.
    for n in range(3, 12):
        assert counts[n] == 12 * counts[n - 1] + 18 * counts[n - 2]


@pytest.mark.parametrize("index", [-1, 18])
def test_an_index_out_of_range_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="allowed: 0 to 17"):
        scrambles.find_word("htm", 1, index)


@pytest.mark.parametrize(("metric", "length"), [("htm", 2), ("htm", 3), ("qtm", 3)])
def test_random_words_are_uniform(metric: Metric, length: int) -> None:
    total = scrambles.word_count(metric, length)
    rng = make_generator("test", "uniform words", metric, length)
    seen = Counter(scrambles.random_word(metric, length, rng) for _ in range(20 * total))
    assert len(seen) == total
    assert chisquare(list(seen.values())).pvalue > 1e-4


@given(st.integers(0, 2**63), st.integers(1, 26), st.sampled_from(METRICS))
def test_random_words_have_their_length_and_form(seed: int, length: int, metric: Metric) -> None:
    word = scrambles.random_word(metric, length, make_generator("test", seed))
    assert notation.maneuver_length(word, metric) == length
    assert is_canonical(word)


@given(st.lists(st.sampled_from(moves.FACE_MOVES), max_size=20), st.integers(0, 2**32))
def test_shuffling_commuting_turns_changes_no_state(names: list[str], seed: int) -> None:
    maneuver = tuple(names)
    shuffled = scrambles.shuffle_commuting(maneuver, make_generator("test", seed))
    assert sorted(shuffled) == sorted(maneuver)
    assert moves.apply_maneuver(SOLVED, shuffled) == moves.apply_maneuver(SOLVED, maneuver)


def test_shuffling_takes_both_orders_equally_often() -> None:
    rng = make_generator("test", "commuting")
    orders = Counter(scrambles.shuffle_commuting(("R", "U", "D'", "F"), rng) for _ in range(400))
    assert set(orders) == {("R", "U", "D'", "F"), ("R", "D'", "U", "F")}
    assert chisquare(list(orders.values())).pvalue > 1e-4


@pytest.mark.parametrize("metric", METRICS)
def test_plain_scrambles_are_even_among_words_that_change_the_face(metric: Metric) -> None:
    """The twin lists all words of legal moves of which no two neighbors turn one face."""
    legal = moves.FACE_MOVES if metric == "htm" else [m for m in moves.FACE_MOVES if "2" not in m]
    words = {(a, b) for a, b in product(legal, repeat=2) if a[0] != b[0]}
    rng = make_generator("tests", "plain scrambles", metric)
    drawn = Counter(scrambles.plain_scramble(metric, 2, rng) for _ in range(20 * len(words)))
    assert set(drawn) == words  # also D U, which is no canonical word
    assert chisquare([drawn[word] for word in sorted(words)]).pvalue > 1e-3
    longer = [scrambles.plain_scramble(metric, 3, rng) for _ in range(500)]
    assert all(a[0] != b[0] for word in longer for a, b in pairwise(word))
    assert any(word[0][0] == word[2][0] for word in longer)
