"""The papers' rules for replies: what each reads, and which of several places."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from reply_corpora import iterate_mutations, load_corpus

from facelet.generators.core.replies.command import CommandForm
from facelet.pipeline.papers import paper, paper_registry
from facelet.pipeline.papers.cube_bench.reply_rules import (
    EFFECTS,
    LETTER,
    LETTER_OR_IDK,
    REFLECTED_LETTER,
    YES_NO,
)
from facelet.pipeline.papers.paper import (
    CommandRule,
    KeyedRule,
    PatternRule,
    ReplyRule,
    find_literal,
    iterate_matches,
)
from facelet.pipeline.scoring.ingest.prediction import MAX_REPLY

GAME = CommandRule(
    "words",
    (
        CommandForm("query", "My Query: {int}, {int}, {int}"),
        CommandForm("answer", "My Answer: {ints}"),
    ),
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
def test_what_each_rule_reads(reading: ReplyRule, reply: str, read: str | None) -> None:
    assert reading.read(reply) == read


def test_a_reflection_is_not_parsed() -> None:
    assert [REFLECTED_LETTER.is_unparsed(turn) for turn in range(3)] == [False, True, False]
    assert not LETTER.is_unparsed(1)


HOSTILE = [
    *("<answer>", "<answer>" + " " * 50, "answer: ", "answer:" + "\n" * 50, "I don't "),
    *("<a>" + " " * 30, "<a> decrease ", "a: ", "My Query: ", "My Query:" + " " * 60),
    *("My Answer: " + "1, " * 100, "My Answer: 1" + "0" * 300, " ", "Answer: Ye"),
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("reading", [LETTER_OR_IDK, EFFECTS, GAME])
def test_the_longest_reply_takes_no_time(reading: ReplyRule, text: str) -> None:
    """A million characters: quadratic in them, this would not end."""
    reading.read((text * (MAX_REPLY // len(text) + 1))[:MAX_REPLY])


@pytest.mark.parametrize(
    ("pattern", "mark"),
    [
        (r"\bAnswer:\s*(Yes|No)", (":", 6)),
        (r"<([ab])>\s*(x|y)", ("<", 0)),
        (r"\b([ab]):\s*(x|y)", (":", 1)),
        (r"[ab]c: (x|y)", (":", 2)),
        (r"(I don't know)", ("'", 5)),
        *((text, ("", 0)) for text in ("abc", "ab*: ", "a:|b", "(a:|b)", "ab?:", "^a:", "a:+")),
        *((text, ("", 0)) for text in ("a{2}:", "(a:)?(b)", "(a|b):", "(?i:a):", "([ab])?:")),
    ],
)
def test_the_sign_of_an_expression(pattern: str, mark: tuple[str, int]) -> None:
    assert find_literal(re.compile(pattern)) == mark


def test_rules_find_what_a_search_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all corpora, mutated, and where a sign is frequent."""
    monkeypatch.setattr(paper, "_SHORT", 0)
    rules = [
        rule
        for paper in paper_registry.load_papers().values()
        for rule in paper.reply_rules.values()
    ]
    patterns = {
        one for rule in rules if isinstance(rule, PatternRule | KeyedRule) for one in rule.patterns
    }
    assert len(patterns) > 5 and all(find_literal(pattern)[0] for pattern in patterns)
    texts = [*load_corpus(), *islice(iterate_mutations(9), 500)]
    texts += [f"{'no answer: <' * count}{text}" for count in (1, 15, 16, 40) for text in texts[::9]]
    for pattern in patterns:
        for text in texts:
            found = [one.span() for one in iterate_matches(pattern, text)]
            assert found == [one.span() for one in pattern.finditer(text)], (pattern, text)
