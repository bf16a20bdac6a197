from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.options import (
    Key,
    check_range,
    help_table,
    nearest,
    parse_depths,
    parse_splits,
    read_words,
    split_word,
)

KEYS = (
    Key("seed", "int", "0", "any whole number", "Root of all randomness."),
    Key("fast", "bool", "false", "true, false", "Hurry."),
    Key("tasks", "list", "[]", "names", "Which."),
    Key("out", "str", "", "a folder", "Where."),
)


@pytest.mark.parametrize(
    ("text", "metric", "depths"),
    [
        ("1-20", "htm", tuple(range(1, 21))),
        ("1,2,5-8", "htm", (1, 2, 5, 6, 7, 8)),
        (" 7 , 3-4", "htm", (3, 4, 7)),
        ("26", "qtm", (26,)),
        ("20-20", "htm", (20,)),
    ],
)
def test_depths(text, metric, depths):
    assert parse_depths(text, metric) == depths


@pytest.mark.parametrize(
    ("text", "metric", "message"),
    [
        ("0", "htm", "0 is out of range; allowed: .* from 1 to 20"),
        ("1-21", "htm", "21 is out of range"),
        ("27", "qtm", "27 is out of range; .* from 1 to 26"),
        ("8-5", "htm", "runs backwards; write 5-8"),
        ("1,3,1", "htm", "names 1 twice"),
        ("2-4,3", "htm", "names 3 twice"),
        ("", "htm", "cannot read ''"),
        ("1,,2", "htm", "cannot read ''"),
        ("-3", "htm", "cannot read '-3'"),
        ("1..5", "htm", "cannot read '1..5'"),
        ("1.5", "htm", "cannot read '1.5'"),
        ("all", "htm", "cannot read 'all'"),
        ("9" * 30, "htm", "cannot read '999"),
        ("\u0661", "htm", "cannot read"),
    ],
)
def test_bad_depths(text, metric, message):
    with pytest.raises(ValueError, match=message):
        parse_depths(text, metric)


@given(st.sets(st.integers(1, 26), min_size=1))
def test_any_set_of_depths_can_be_written(depths):
    assert parse_depths(",".join(map(str, depths)), "qtm") == tuple(sorted(depths))


@given(st.text(max_size=30))
def test_depths_are_read_or_refused(text):
    try:
        depths = parse_depths(text)
    except ValueError as error:
        assert "depths=" in str(error)
    else:
        assert depths == tuple(sorted(set(depths)))
        assert set(depths) <= set(range(1, 21))


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


def test_words():
    words = ["seed=-4", "fast=yes", "tasks=[a, b]", 'out="/tmp/a b=c"']
    assert read_words(words, KEYS) == {
        "seed": -4,
        "fast": True,
        "tasks": ["a", "b"],
        "out": "/tmp/a b=c",
    }
    assert read_words(["tasks=a,b", "fast=FALSE"], KEYS) == {"tasks": ["a", "b"], "fast": False}
    assert read_words(["tasks=[]"], KEYS) == {"tasks": []}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sead=1"], r"unknown key 'sead' \(did you mean 'seed'\?\); known: seed, fast"),
        (["zzz=1"], "unknown key 'zzz'; known"),
        (["seed=1.5"], "seed=1.5 is not a whole number"),
        (["seed="], "is not a whole number"),
        (["seed=" + "1" * 40], "is not a whole number"),
        (["fast=maybe"], "fast=maybe is neither true nor false"),
        (["seed=1", "seed=2"], "seed is set twice"),
        (["seed"], "cannot read 'seed'; options are written key=value"),
        (["--seed=1"], "options are written key=value"),
        (["=1"], "options are written key=value"),
    ],
)
def test_bad_words(words, message):
    with pytest.raises(ValueError, match=message):
        read_words(words, KEYS)


@given(st.text(max_size=40))
def test_any_word_is_split_or_refused(word):
    try:
        name, value = split_word(word)
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
    assert nearest("prfile", ["profile", "seed"]) == " (did you mean 'profile'?)"
    assert nearest("zzz", ["profile", "seed"]) == ""


def test_help_names_every_key_once():
    page = help_table(KEYS)
    for key in KEYS:
        assert page.count(f"  {key.name}=") == 1
        assert key.doc in page
    assert max(map(len, page.splitlines())) <= 100
