"""Commands in sentences: which give a command, and which only mention one.

mentions.json holds whole replies as players of games write them. Each holds one command, except
where it says "or"; tests/contract/test_mentions.py goes through the readers of all tasks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from facelet.generators.core.replies import letter, yes_no
from facelet.generators.core.replies.command import Command, CommandForm, read_command
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.labyrinth.plan_task.plan_parser import read_action

DATA = json.loads(Path(__file__).with_name("mentions.json").read_text(encoding="utf-8"))
FORMS = (
    CommandForm("query", "My Query: {int}, {int}, {int}"),
    CommandForm("answer", "My Answer: {ints}"),
    CommandForm("move", "My Move: {UP|DOWN|LEFT|RIGHT}"),
    CommandForm("guess", "My Guess: {word}"),
)
SAID = {
    "My Query": Command("query", (1, 2, 3)),
    "My Answer": Command("answer", ((7,),)),
    "My Move": Command("move", ("UP",)),
    "My Guess": Command("guess", ("crane",)),
}


@pytest.mark.parametrize("text", DATA["given"])
def test_sentences_that_give_a_command(text: str) -> None:
    (expected,) = (said for opening, said in SAID.items() if opening in text)
    assert read_command(text, FORMS).value == expected


@pytest.mark.parametrize("text", DATA["mentioned"])
def test_sentences_that_mention_one(text: str) -> None:
    assert read_command(text, FORMS).value is None


def test_the_command_before_a_mention_counts() -> None:
    forms = (
        CommandForm("break", "Breaking: {int}"),
        CommandForm("take", "Choosing: {int} Breaking: {int}"),
    )
    assert read_command("**Choosing: 1 Breaking: 2**", forms).value == Command("take", (1, 2))
    assert read_command("Choosing: 1 Breaking: 2, not Breaking: 3", forms).value == Command(
        "take", (1, 2)
    )
    assert read_command("Breaking: 3, not Choosing: 1 Breaking: 2", forms).value == Command(
        "break", (3,)
    )
    assert read_command("It is not Choosing: 1 Breaking: 2", forms).value is None
    assert (
        read_command("My Move: UP, not My Move: DOWN or My Move: LEFT", FORMS).value
        == SAID["My Move"]
    )
    assert str(read_action("MOVE(x=3, y=5), not MOVE(x=1, y=1)").value) == "MOVE(x=3, y=5)"
    for text in ("It is not MOVE(x=3, y=5).", "Not MOVE(x=3, y=5) or MOVE(x=1, y=1)"):
        assert read_action(text).value is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I don't think the answer is B.", None),
        ("If the answer is B, the cube is solved.", None),
        ("Suppose the answer is B.", None),
        ("It is not <B>.", None),
        ("It can't be that the answer is A, so the answer is B.", "B"),
        ("The answer is B, not C.", "B"),
        ("The answer is not A; the answer is D.", "D"),
        ("Is the answer B? Yes, the answer is B.", "B"),
        ("I am not sure. Answer: B", "B"),
    ],
)
def test_letters(text: str, value: str | None) -> None:
    assert letter.read_choice(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("No, that is wrong.", "no"),
        ("Answer: No. That is not correct.", "no"),
        ("Answer: No, this is not possible.", "no"),
        ("Yes, that is right.", "yes"),
        ("I don't think the answer is yes.", None),
        ("If the answer is no, it fails.", None),
    ],
)
def test_judgements_take_nothing_back(text: str, value: str | None) -> None:
    """ "That is wrong" is about the statement that was asked about, not about the reply."""
    assert yes_no.yes_no(text).value == value


@pytest.mark.parametrize(
    "unit", ["not ", "if i ", "the example ", "would ", "e.g. ", " ", "\n", "?"]
)
def test_time_does_not_grow_with_the_text(unit: str) -> None:
    """Only bounded text around an answer is looked at; quadratic in this, it would not end."""
    text = unit * 2_000_000
    for place in range(0, len(text), len(text) // 100):
        is_mentioned(text, place, place)
