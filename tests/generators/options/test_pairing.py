"""Pairing: everybody is paired who can be."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.pairing import Partner, pair_up, partner

signatures = st.lists(st.sampled_from("abcd"), max_size=30)


@given(signatures)
def test_as_many_pairs_differ_as_can_be(kinds: list[str]) -> None:
    order = pair_up(kinds)
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
        other = partner(kinds, order, place)
        if len(set(kinds)) < 2:
            assert other is None
            continue
        assert other is not None and kinds[other.index] != kinds[index]
        beside = place ^ 1
        mutual = beside < len(order) and kinds[order[beside]] != kinds[index]
        assert other.mutual == mutual
        if mutual:
            assert other.index == order[beside]
            assert partner(kinds, order, beside) == Partner(index, mutual=True)


def test_one_alone_is_measured_against_the_nearest_that_differs() -> None:
    kinds = ["a", "b", "a"]
    order = pair_up(kinds)
    assert order == (0, 1, 2)
    assert partner(kinds, order, 2) == Partner(1, mutual=False)
    assert partner(["a", "a", "a"], (0, 1, 2), 2) is None
