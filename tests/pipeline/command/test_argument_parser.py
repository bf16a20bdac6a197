"""Settings from words: types, empty texts, places, words with dots."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed import parse_settings, parse_words

from facelet.pipeline.command.setting_keys import key, list_verb_keys
from facelet.pipeline.shell_commands import format_command


@dataclass(frozen=True, kw_only=True)
class Settings:
    first: str = key("A place.", "", place=True)
    second: str = key("Another.", "", place=True)
    seed: int = key("A number.", 0)
    rows: int | None = key("A number in bounds.", None, low=1, high=9)
    share: float = key("A share.", 0.5, low=0, above=True, high=1, fix="more with all=true")
    fast: bool = key("A flag.", False)
    tasks: tuple[str, ...] = key("Names.", ())
    out: Path | None = key("A path.", None)
    note: str | None = key("A text that may be empty.", None)
    form: Literal["a", "bc"] = key("A choice.", "a", fix="most take a")
    body: Mapping[str, Any] = key("An object.", {})
    dotted: tuple[str, ...] = key("Others.", (), free=True)


def read_settings(*words: str) -> Settings:
    return parse_words(Settings, words, "try")


def test_values_have_the_types_of_their_fields():
    found = read_settings(
        "seed=-4", "rows=9", "share=1e-3", "fast=YES", "tasks=[a, 'b c']", 'out="/tmp/a b=c"'
    )
    assert (found.seed, found.rows, found.share, found.fast) == (-4, 9, 0.001, True)
    assert (found.tasks, found.out) == (("a", "b c"), Path("/tmp/a b=c"))
    assert read_settings("form=BC", 'body={"x": [1]}') == Settings(form="bc", body={"x": [1]})
    assert read_settings() == Settings()


def test_an_empty_text_is_a_value_only_where_none_is_the_default():
    assert read_settings("out=", "first=", "body=", "tasks=[]") == Settings()
    assert read_settings("note=").note == ""
    for word in ("seed=", "share=", "fast=", "form="):
        with pytest.raises(ValueError, match=f"^{word} is n"):
            read_settings(word)


def test_words_without_a_key_fill_the_places_in_order():
    assert read_settings("x", "seed=1", "y") == Settings(first="x", second="y", seed=1)
    assert read_settings("second=x", "y") == Settings(first="y", second="x")
    with pytest.raises(ValueError, match=r"unexpected argument 'z'; .*: facelet try \[FIRST\]"):
        read_settings("x", "y", "z")


def test_files_that_the_shell_expands_are_one_list():
    found = parse_settings("score", ["made", "a.jsonl", "b.jsonl", "all=true"])
    assert (found.dataset, found.predictions) == (Path("made"), "a.jsonl,b.jsonl")
    assert parse_settings("report", ["a", "b", "out=x"]).results == ("a", "b")


@pytest.mark.parametrize("path", ["plain", "a=b", "'a'", '"', "'", "-x", " a", "ü\\n", "--out=x"])
def test_what_a_printed_command_names_is_read_back(path):
    (word,) = shlex.split(format_command("info", dataset=path))[2:]
    value = word.removeprefix("dataset=")
    for way in ([word], [f"--{word}"], ["--dataset", value]):
        (found,) = {parse_settings("info", way).dataset}
        assert found == Path(path.strip())


def test_words_with_dots_pass_as_they_are():
    for way in (["a.b=c,d"], ["--a.b=c,d"], ["--a.b", "c,d"]):
        assert read_settings(*way, "seed=1").dotted == ("a.b=c,d",)
    assert read_settings("a.b=1", "a.c=2").dotted == ("a.b=1", "a.c=2")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("seed=1.5", "seed=1.5 is not a whole number; allowed: any whole number"),
        ("seed=" + "1" * 40, "is not a whole number"),
        ("seed=\u0661", "is not a whole number"),
        ("rows=0", "rows=0 is out of range; use a whole number of at least 1 and at most 9"),
        ("share=0", "share=0 is out of range; use a number above 0 and at most 1"),
        ("share=nan", "share=nan is out of range"),
        ("share=2", r"\(more with all=true\)"),
        ("form=b", r"form=b is not one of a, bc \(did you mean 'bc'\?\); most take a"),
        ("=1", "write words as key=value"),
        ("body={", "body is not a JSON object"),
        ("sead=1", r"unknown key 'sead' \(did you mean 'seed'\?\); known: first, second, seed"),
    ],
)
def test_bad_words(word, message):
    with pytest.raises(ValueError, match=message):
        read_settings(word)


@given(st.lists(st.text(max_size=12), max_size=4))
def test_any_words_are_read_or_refused(words):
    words = [word for word in words if word not in ("-h", "--help")]
    try:
        found = read_settings(*words)
    except ValueError as error:
        assert str(error)
    else:
        assert isinstance(found, Settings)


def test_a_field_that_is_not_described_is_refused():
    @dataclass(frozen=True)
    class UndescribedSettings:
        seed: int = 0

    with pytest.raises(TypeError, match=r"UndescribedSettings\.seed is not made by `key`"):
        list_verb_keys(UndescribedSettings)
