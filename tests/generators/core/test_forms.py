"""Forms of commands: what is read, what is refused, and that reading is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.replies.command import Command, CommandForm, format_forms, read_command

DATA = json.loads(Path(__file__).with_name("forms.json").read_text(encoding="utf-8"))
FORMS = tuple(CommandForm(name, template) for name, template in DATA["forms"].items())
BY_NAME = {form.name: form for form in FORMS}


def plain_values(args: tuple[Any, ...]) -> list[Any]:
    return [list(value) if isinstance(value, tuple) else value for value in args]


@pytest.mark.parametrize("strictness", ["strict", "lenient"])
def test_replies_that_give_a_command(strictness: str) -> None:
    for text, name, args in DATA[strictness]:
        parsed = read_command(text, FORMS)
        assert parsed.value is not None, text
        assert (parsed.value.form, plain_values(parsed.value.args)) == (name, args), text
        assert parsed.strict == (strictness == "strict"), text


@pytest.mark.parametrize("text", DATA["nothing"])
def test_replies_that_give_none(text: str) -> None:
    parsed = read_command(text, FORMS)
    assert parsed.value is None and not parsed.strict


NUMBERS = st.integers(-(10**17), 10**17)
ARGUMENTS = {
    "query": st.tuples(NUMBERS, NUMBERS, NUMBERS),
    "answer": st.tuples(st.lists(NUMBERS, min_size=1, max_size=40).map(tuple)),
    "move": st.tuples(st.sampled_from(("UP", "DOWN", "LEFT", "RIGHT"))),
    "place": st.tuples(NUMBERS, NUMBERS, NUMBERS),
    "guess": st.tuples(st.from_regex("[A-Za-z]{1,64}", fullmatch=True)),
    "mask": st.tuples(st.from_regex("[01]{1,64}", fullmatch=True)),
    "links": st.tuples(
        st.lists(st.from_regex("[0-9]{1,9}-[0-9]{1,9}", fullmatch=True), min_size=1).map(tuple)
    ),
}


@given(st.sampled_from(sorted(ARGUMENTS)).flatmap(lambda n: st.tuples(st.just(n), ARGUMENTS[n])))
def test_what_is_written_is_read(case: tuple[str, tuple[Any, ...]]) -> None:
    name, args = case
    text = BY_NAME[name].format_command(*args)
    for around in ("{}", "First I think.\n\n{}"):
        parsed = read_command(around.format(text), FORMS)
        assert parsed.value == Command(name, args) and parsed.strict
    parsed = read_command(f"So: **{text}**", FORMS)
    assert parsed.value == Command(name, args) and not parsed.strict


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    assert read_command(text, FORMS) == read_command(text, FORMS)


@pytest.mark.parametrize(
    "text",
    [
        "My Query: " * 100_000,
        "My Answer: " + "1, " * 300_000,
        "My Answer: " + "1 " * 300_000 + "x",
        "My Answer: " + "- " * 300_000,
        "(" * 500_000,
        "\n" * 500_000 + "My Query: 1, 2, 3",
        "My Guess: " + "a" * 500_000,
    ],
)
def test_long_replies_are_taken(text: str) -> None:
    """Only a tail is read, in linear time; a quadratic expression would not come back."""
    read_command(text, FORMS)


def test_bad_templates_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown field 'number'"):
        CommandForm("query", "My Query: {number}")
    with pytest.raises(ValueError, match="must begin with text"):
        CommandForm("query", "{int}")
    with pytest.raises(ValueError, match="3 fields, not 2"):
        BY_NAME["query"].format_command(1, 2)


def test_forms_are_shown_with_names_for_their_fields() -> None:
    shown = CommandForm("query", "My Query: {int}, {int}", shown="My Query: a, b")
    assert format_forms((shown, BY_NAME["move"], BY_NAME["answer"])) == (
        "My Query: a, b\nMy Move: UP|DOWN|LEFT|RIGHT\nMy Answer: N, N, ..."
    )
