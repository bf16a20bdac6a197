"""The papers' rules for replies: what each reads, and which of several places."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from facelet.generators.core.forms import Form
from facelet.pipeline.papers import replies, rooms
from facelet.pipeline.papers.cube_bench.replies import (
    EFFECTS,
    LETTER,
    LETTER_OR_IDK,
    REFLECTED_LETTER,
    YES_NO,
)
from facelet.pipeline.papers.replies import Commands, Pattern, Reading, beginning
from facelet.pipeline.scoring.taking.predictions import MAX_REPLY

GAME = Commands(
    "words",
    (Form("query", "My Query: {int}, {int}, {int}"), Form("answer", "My Answer: {ints}")),
)


@pytest.mark.parametrize(
    ("reading", "reply", "read"),
    [
        (LETTER, "<ANSWER>B</ANSWER>", "<ANSWER>B</ANSWER>"),
        (LETTER, "so <answer>\n b </answer>.", "<ANSWER>b</ANSWER>"),
        (LETTER, "ANSWER: C", "<ANSWER>C</ANSWER>"),
        (LETTER, "Answer:D\nbut", "<ANSWER>D</ANSWER>"),
        # The first counts, a tag before a colon; a careful reader takes the last.
        (
            LETTER,
            "<ANSWER>A</ANSWER> no: <ANSWER>B</ANSWER>",
            "<ANSWER>A</ANSWER>",
        ),
        (LETTER, "ANSWER: A <ANSWER>B</ANSWER>", "<ANSWER>B</ANSWER>"),
        # Thoughts are part of the output.
        (
            LETTER,
            "<think><ANSWER>C</ANSWER></think><ANSWER>A</ANSWER>",
            "<ANSWER>C</ANSWER>",
        ),
        (LETTER, "The answer is B", None),
        (LETTER, "B", None),
        (LETTER, "ANSWER: Because", None),
        (LETTER, "<ANSWER>E</ANSWER>", None),
        (LETTER, "<ANSWER>A or B</ANSWER>", None),
        (LETTER, "\\boxed{A}", None),
        (LETTER_OR_IDK, "<ANSWER> idk </ANSWER>", "<ANSWER>IDK</ANSWER>"),
        (LETTER_OR_IDK, "answer: e", "<ANSWER>IDK</ANSWER>"),
        (LETTER_OR_IDK, "I don't know.", "<ANSWER>IDK</ANSWER>"),
        (LETTER_OR_IDK, "I don't know. ANSWER: B", "<ANSWER>B</ANSWER>"),
        (LETTER_OR_IDK, "I am not sure", None),
        (YES_NO, "Answer: Yes", "Answer: Yes"),
        (YES_NO, "So:\nAnswer:  No, it differs", "Answer: No"),
        (YES_NO, "Answer: No. Sorry, Answer: Yes", "Answer: No"),
        (YES_NO, "answer: yes", None),
        (YES_NO, "Yes", None),
        (YES_NO, "Answer: Yesterday", None),
        (
            EFFECTS,
            "<A> DECREASE </A>\n<B>no_change</B> <C> INCREASE </D>",
            "<A> DECREASE </A>\n<B> NO_CHANGE </B>",
        ),
        (
            EFFECTS,
            "B: increase\nA: DECREASE; A: INCREASE",
            "<A> DECREASE </A>\n<B> INCREASE </B>",
        ),
        (EFFECTS, "A: goes up", None),
        (GAME, "My Query: 1, 2, 3", "My Query: 1, 2, 3"),
        (GAME, "I ask:\nMy Query:\n 4, 5, 6 please\nMy Query: 1, 2, 3", "My Query: 4, 5, 6"),
        (GAME, "My Query: 1, 2\nMy Query: 1, 2, 3", "My Query: 1, 2, 3"),
        # The rules' order, not the reply's.
        (GAME, "My Answer: 1, 2\nMy Query: 1, 2, 3", "My Query: 1, 2, 3"),
        (GAME, "My Answer: 1, 2", "My Answer: 1, 2"),
        (GAME, "my answer: 1, 2", None),
        (GAME, "**My Answer:** 1, 2", None),
        (GAME, "My Query: [1, 2, 3]", "My Query: 1, 2, 3"),
        (GAME, "My Query:1,2,3", "My Query: 1, 2, 3"),
        (GAME, "My Query: 1 2 3", None),
    ],
)
def test_what_each_rule_reads(reading: Reading, reply: str, read: str | None) -> None:
    assert reading.read(reply) == read


def test_a_reflection_is_not_parsed() -> None:
    assert [REFLECTED_LETTER.free(turn) for turn in range(3)] == [False, True, False]
    assert not LETTER.free(1)


HOSTILE = [
    *("<answer>", "<answer>" + " " * 50, "answer: ", "answer:" + "\n" * 50, "I don't "),
    *("<a>" + " " * 30, "<a> decrease ", "a: ", "My Query: ", "My Query:" + " " * 60),
    *("My Answer: " + "1, " * 100, "My Answer: 1" + "0" * 300, " ", "Answer: Ye"),
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("reading", [LETTER_OR_IDK, EFFECTS, GAME])
def test_the_longest_reply_takes_no_time(reading: Reading, text: str) -> None:
    """A million characters: quadratic in them, this would not end."""
    reading.read((text * (MAX_REPLY // len(text) + 1))[:MAX_REPLY])


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"abc\d", "abc"),
        (r"\bAnswer:\s*(Yes|No)", "answer:"),
        (r"(I don't know)", "i don't know"),
        *((pattern, "") for pattern in ("ab*c", "a|b", "(yes|no) a", "ab?", "^a", "[a]b", "ab{2}")),
    ],
)
def test_what_expressions_begin_with(pattern, said):
    assert beginning(re.compile(pattern)) == said


def test_rules_read_long_replies_as_short_ones(monkeypatch):
    rules = [rule for paper in rooms.papers().values() for rule in paper.reply_rules.values()]
    patterns = [rule for rule in rules if isinstance(rule, Pattern)]
    cores = json.loads((Path(__file__).parents[2] / "generators/replies.json").read_text())
    texts = list(every_text(cores))
    assert len(texts) > 100
    assert patterns
    for text in texts:
        for reply in (f"{'so ' * 80}{text}", f"x{text} answer" * 9, f"{'no answer: ' * 20}{text}"):
            monkeypatch.setattr(replies, "_SHORT", 200)
            found = [rule.read(reply) for rule in patterns]
            monkeypatch.setattr(replies, "_SHORT", 1 << 30)
            assert [rule.read(reply) for rule in patterns] == found


def every_text(value):
    """Yield the texts of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from every_text(one)
