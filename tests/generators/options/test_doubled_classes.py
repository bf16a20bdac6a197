"""Doubling: the mix follows its target, and the slots come out even."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.options.doubled_classes import (
    arrange_slots,
    doublable_classes,
    draw_mixes,
    target_mix,
)
from facelet.generators.options.fairness_statistics import doubling_target, jensen_shannon

CLASSES = ("less", "same", "more")
SLOTS = 4

sizes = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(2, 9)).map(
        lambda counts: dict(zip(CLASSES, counts, strict=True))
    ),
    min_size=1,
    max_size=60,
)


@given(sizes)
def test_every_class_once_and_one_that_can_twice(items: list[dict[str, int]]) -> None:
    for item, mix in zip(items, draw_mixes(items, SLOTS), strict=True):
        count = Counter(mix.classes)
        assert count.total() == SLOTS and set(count) == set(CLASSES)
        assert count[mix.doubled] == 2 and mix.doubled in doublable_classes(item)
        assert all(count[label] <= item[label] for label in CLASSES)


@given(sizes)
def test_the_target_is_the_papers(items: list[dict[str, int]]) -> None:
    """A.7.2: a quarter each, and a quarter shared out by the smoothed share of feasible items."""
    n, alpha = len(items), 1.0
    feasible = np.array([sum(item[label] >= 2 for item in items) for label in CLASSES])
    share = (feasible + alpha) / (n + 2 * alpha)
    expected = 0.25 + 0.25 * share / share.sum()
    assert list(target_mix(items).values()) == pytest.approx(list(expected))
    assert list(doubling_target(feasible, n)) == pytest.approx(list(expected))


def test_the_mix_comes_within_one_item_of_the_target() -> None:
    items = [{"less": 1 + (i % 5 == 0), "same": 2, "more": 9} for i in range(500)]
    target = target_mix(items)
    shown: Counter[str] = Counter()
    for mix in draw_mixes(items, SLOTS):
        shown.update(mix.classes)
    for label in CLASSES:
        assert abs(shown[label] - 2000 * target[label]) <= 1
    assert jensen_shannon([shown[c] for c in CLASSES], list(target.values())) < 1e-6


def test_a_class_that_is_never_feasible_costs_the_others_nothing() -> None:
    items = [{"less": 1, "same": 2, "more": 9}] * 300
    doubled = Counter(mix.doubled for mix in draw_mixes(items, SLOTS))
    assert doubled == {"same": 150, "more": 150}


def test_missing_classes_are_made_up_for() -> None:
    first, second, third = draw_mixes(
        [
            {"less": 18, "same": 0, "more": 0},
            {"less": 2, "same": 16, "more": 0},
            {"less": 1, "same": 0, "more": 17},
        ],
        SLOTS,
    )
    assert first.classes == ("less",) * 4
    assert Counter(second.classes)["less"] <= 2 and set(second.classes) == {"less", "same"}
    assert third.classes == ("less", "more", "more", "more")


def test_slots_cannot_be_filled_from_nothing() -> None:
    with pytest.raises(ValueError, match=r"item 0 has .* slots need as many"):
        draw_mixes([{"less": 1, "same": 1, "more": 1}], SLOTS)


def test_slots_are_even_in_every_block_of_one_mix() -> None:
    items = [{"less": 1 + (i % 3 == 0), "same": 2, "more": 9} for i in range(600)]
    rows: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for mix in draw_mixes(items, SLOTS):
        row = arrange_slots(mix, ("seed",))
        assert sorted(row) == sorted(mix.classes)
        rows.setdefault(mix.classes, []).append(row)
    for classes, arranged in rows.items():
        for start in range(0, len(arranged) - SLOTS + 1, SLOTS):
            block = arranged[start : start + SLOTS]
            for slot in range(SLOTS):
                assert sorted(row[slot] for row in block) == sorted(classes)
    assert max(len(set(arranged)) for arranged in rows.values()) == 12, "all arrangements occur"


def test_arrangements_depend_on_the_seed() -> None:
    plan = draw_mixes([{"less": 2, "same": 2, "more": 9}] * 40, SLOTS)
    assert [arrange_slots(mix, (1,)) for mix in plan] != [arrange_slots(mix, (2,)) for mix in plan]
