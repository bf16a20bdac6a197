"""Placeholders are filled once, literally, and only where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.placeholders import fill, fill_prompt, mark, names
from facelet.generators.core.prompts import Message, Picture, Prompt, Text
from facelet.renderers.scenes.records import Scene


@given(st.text(), st.text())
def test_values_are_taken_literally(choice: str, reflection: str) -> None:
    text = "You chose {draft_choice}. You wrote: {redacted_reflection} {draft_choice}"
    assert fill(text, {"draft_choice": choice, "redacted_reflection": reflection}) == (
        f"You chose {choice}. You wrote: {reflection} {choice}"
    )


def test_a_mark_inside_a_value_stays() -> None:
    values = {"draft_choice": "B", "redacted_reflection": "{draft_choice} \\1 {x}"}
    assert fill("{redacted_reflection}", values) == "{draft_choice} \\1 {x}"


def test_other_braces_mean_nothing() -> None:
    assert fill("{} {other} {{draft_choice} }", {"draft_choice": "C"}) == "{} {other} {C }"
    assert names("{redacted_reflection} {draft_choice} {redacted_reflection}") == (
        "redacted_reflection",
        "draft_choice",
    )


def test_a_missing_value_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"\{redacted_reflection\}.*draft_choice, redacted_reflection"
    ):
        fill("{draft_choice} {redacted_reflection}", {"draft_choice": "A"})


def test_a_prompt_keeps_its_shape() -> None:
    picture = Picture(Scene())
    prompt = Prompt((Message("user", (Text(mark("draft_choice")), picture, Text("x"))),))
    assert fill_prompt(prompt, {"draft_choice": "D"}) == Prompt(
        (Message("user", (Text("D"), picture, Text("x"))),)
    )
