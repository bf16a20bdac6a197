from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.argument_text import (
    check_range,
    parse_numbers,
    parse_splits,
    split_key_value,
    suggest_nearest,
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1-20", tuple(range(1, 21))),
        ("1,2,5-8", (1, 2, 5, 6, 7, 8)),
        ("7", (7,)),
        (" 3 , 1-2 ", (1, 2, 3)),
        ("1000-1002", (1000, 1001, 1002)),
    ],
)
def test_numbers(text, numbers):
    assert parse_numbers(text, "levels") == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-3", "0 is out of range; allowed: whole numbers and ranges from 1 on"),
        ("", "cannot read ''"),
        ("1-", "cannot read '1-'"),
        ("1..3", "cannot read '1..3'"),
        ("-3", "cannot read '-3'"),
        ("8-5", "8-5 runs backwards; write 5-8"),
        ("1,3,1", "names 1 twice"),
        ("2-4,3", "names 3 twice"),
        ("1,,2", "cannot read ''"),
        ("1.5", "cannot read '1.5'"),
        ("all", "cannot read 'all'"),
        ("9" * 30, "cannot read '999"),
        ("\u0661", "cannot read"),
    ],
)
def test_bad_numbers(text, message):
    with pytest.raises(ValueError, match=re.escape(f"levels={text}") + ".*" + re.escape(message)):
        parse_numbers(text, "levels")


@given(st.sets(st.integers(1, 5000), min_size=1))
def test_any_set_of_numbers_can_be_written(numbers):
    assert parse_numbers(",".join(map(str, numbers)), "depths") == tuple(sorted(numbers))


@given(st.text(max_size=30))
def test_numbers_are_read_or_refused(text):
    try:
        numbers = parse_numbers(text, "depths")
    except ValueError as error:
        assert "depths=" in str(error)
    else:
        assert numbers == tuple(sorted(set(numbers)))
        assert min(numbers) >= 1


@pytest.mark.parametrize("text", ["train:8,test:2", "{train: 8, test: 2}", "train=8,test=2"])
def test_splits(text):
    assert parse_splits(text) == (("train", 8), ("test", 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("test", "cannot read 'test'"),
        ("test:0", "at least 1"),
        ("test:-1", "cannot read"),
        ("Test:1", "cannot read"),
        ("a:1,a:2", "names 'a' twice"),
        ("", "cannot read ''"),
        ("a_name_that_is_too_long:1", "cannot read"),
    ],
)
def test_bad_splits(text, message):
    with pytest.raises(ValueError, match=message):
        parse_splits(text)


@given(st.text(max_size=40))
def test_any_word_is_split_or_refused(word):
    try:
        name, value = split_key_value(word)
    except ValueError:
        assert "=" not in word or word.startswith(("=", "-"))
    else:
        assert name in word
        assert value in word


def test_ranges():
    assert check_range("count", 5, 1) == 5
    with pytest.raises(ValueError, match=r"count=0 is out of range; .* at least 1$"):
        check_range("count", 0, 1)
    with pytest.raises(ValueError, match="at least 1 and at most 9"):
        check_range("group", 10, 1, 9)


def test_nearest_word():
    assert suggest_nearest("prfile", ["profile", "seed"]) == " (did you mean 'profile'?)"
    assert suggest_nearest("zzz", ["profile", "seed"]) == ""
