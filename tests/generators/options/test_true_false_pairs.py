"""Pairing: everybody is paired who can be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options import true_false_pairs
from facelet.generators.options.true_false_pairs import PairPartner, find_partner, pair_up

signatures = st.lists(st.sampled_from("abcd"), max_size=30)


@given(signatures, st.booleans())
def test_as_many_pairs_differ_as_can_be(kinds: list[str], near: bool) -> None:
    order = pair_up(kinds, kinds if near else ())
    assert sorted(order) == list(range(len(kinds)))
    pairs = [
        (kinds[order[place]], kinds[order[place + 1]]) for place in range(0, len(order) - 1, 2)
    ]
    differing = [left != right for left, right in pairs]
    common = max(Counter(kinds).values(), default=0)
    possible = min(len(kinds) // 2, len(kinds) - common)
    assert sum(differing) == possible
    assert differing == sorted(differing, reverse=True), "those left over stand at the end"


@given(st.lists(st.integers(), unique=True, max_size=20))
def test_puzzles_that_all_differ_keep_their_order(kinds: list[int]) -> None:
    assert pair_up(kinds) == tuple(range(len(kinds)))


def test_partners_of_later_pairs_are_given_up_for_those_left_over() -> None:
    order = pair_up(["a", "b", "b", "c", "d", "d", "d"])
    kinds = ["a", "b", "b", "c", "d", "d", "d"]
    assert [kinds[i] for i in order[:6:2]] != [kinds[i] for i in order[1:6:2]]
    assert all(kinds[order[k]] != kinds[order[k + 1]] for k in (0, 2, 4))


@given(signatures)
def test_partners_differ_and_are_mutual_in_pairs(kinds: list[str]) -> None:
    order = pair_up(kinds)
    for place, index in enumerate(order):
        other = find_partner(kinds, order, place)
        if len(set(kinds)) < 2:
            assert other is None
            continue
        assert other is not None and kinds[other.index] != kinds[index]
        beside = place ^ 1
        mutual = beside < len(order) and kinds[order[beside]] != kinds[index]
        assert other.mutual == mutual
        if mutual:
            assert other.index == order[beside]
            assert find_partner(kinds, order, beside) == PairPartner(index, mutual=True)


def test_one_alone_is_measured_against_the_nearest_that_differs() -> None:
    kinds = ["a", "b", "a"]
    order = pair_up(kinds)
    assert order == (0, 1, 2)
    assert find_partner(kinds, order, 2) == PairPartner(1, mutual=False)
    assert find_partner(["a", "a", "a"], (0, 1, 2), 2) is None


def test_the_nearest_are_paired_first() -> None:
    texts = ["aaaa", "bbbb", "aaab", "bbba", "abab", "baba"]
    assert pair_up(texts, texts) == (0, 2, 1, 3, 4, 5)
    assert pair_up(texts) == (0, 1, 2, 3, 4, 5)


@given(st.lists(st.text("ab", min_size=4, max_size=4), max_size=16, unique=True))
def test_no_two_pairs_would_both_be_nearer_another_way(texts: list[str]) -> None:
    """Of any two pairs, the nearer one is at least as near as every pair across."""
    order = pair_up(texts, texts)
    pairs = [(texts[one], texts[two]) for one, two in zip(order[::2], order[1::2], strict=False)]
    far = [sum(map(str.__ne__, *pair)) for pair in pairs]
    for k, (left, own) in enumerate(zip(pairs, far, strict=True)):
        for right, other in zip(pairs[k + 1 :], far[k + 1 :], strict=True):
            across = [sum(map(str.__ne__, a, b)) for a in left for b in right]
            assert min(own, other) <= min(across, default=9)


def test_blocks_that_leave_different_ones_over_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(true_false_pairs, "BLOCK", 3)
    texts = ["aa", "aa", "ab", "bb", "bb", "ba"]
    order = pair_up(texts, texts)
    assert sorted(order) == list(range(6))
    assert all(texts[order[k]] != texts[order[k + 1]] for k in (0, 2, 4))
