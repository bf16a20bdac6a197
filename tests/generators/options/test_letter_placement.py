"""Placing: letters are dealt evenly, and nothing is lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.seeding import Draw
from facelet.generators.options.letter_placement import LETTERS, place_options


@given(st.integers(0, 10_000), st.integers(0, 3))
def test_the_letter_names_the_right_option(index: int, attempt: int) -> None:
    options, letter = place_options("right", ["x", "y", "z"], Draw(("t",), index, attempt))
    assert options[LETTERS.index(letter)] == "right"
    assert sorted(options) == ["right", "x", "y", "z"]
    assert letter == place_options("right", ["x", "y", "z"], Draw(("t",), index))[1]


def test_every_block_of_four_has_each_letter_once() -> None:
    letters = [place_options(0, [1, 2, 3], Draw(("t",), index))[1] for index in range(400)]
    assert all(sorted(letters[i : i + 4]) == list(LETTERS) for i in range(0, 400, 4))
    assert len({tuple(letters[i : i + 4]) for i in range(0, 400, 4)}) > 12


def test_wrong_options_stand_anywhere() -> None:
    orders = Counter(
        tuple(option for option in place_options(0, [1, 2, 3], Draw(("t",), index))[0] if option)
        for index in range(1200)
    )
    assert len(orders) == 6
    assert min(orders.values()) > 140


def test_three_wrong_options_are_wanted() -> None:
    with pytest.raises(ValueError, match="2 wrong options; give 3"):
        place_options("right", ["x", "y"], Draw(("t",), 0))
