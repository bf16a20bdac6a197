"""Define how Cube Bench parses replies, by what a task requests."""

from __future__ import annotations

import re

from facelet.pipeline.papers.paper import KeyedRule, PatternRule

_IGNORE = re.IGNORECASE
_TAG = re.compile(r"<answer>\s*([abcd])\s*</answer>", _IGNORE)
_COLON = re.compile(r"\banswer:\s*([abcd])\b", _IGNORE)
_WORDS = "an <ANSWER> tag with one letter, else ANSWER: and a letter, in any case; the first counts"

LETTER = PatternRule(f"Cube Bench, 4.3.3 and A.8: {_WORDS}", (_TAG, _COLON), "<ANSWER>{}</ANSWER>")
REFLECTED_LETTER = PatternRule(
    f"Cube Bench, 4.3.3 and 4.3.4: {_WORDS}; the reflection itself is not parsed",
    (_TAG, _COLON),
    "<ANSWER>{}</ANSWER>",
    thought_turns=frozenset({1}),
)
LETTER_OR_IDK = PatternRule(
    "Cube Bench, A.6.1: an <ANSWER> tag with a letter or IDK, else ANSWER: and a letter, IDK or E, "
    "else the words I don't know, in any case; the first counts",
    (
        re.compile(r"<answer>\s*([abcd]|idk)\s*</answer>", _IGNORE),
        re.compile(r"\banswer:\s*([abcde]|idk)\b", _IGNORE),
        re.compile(r"(i don't know)", _IGNORE),
    ),
    "<ANSWER>{}</ANSWER>",
    aliases=(("E", "IDK"), ("IDK", "IDK"), ("I DON'T KNOW", "IDK")),
)
YES_NO = PatternRule(
    "Cube Bench, 4.3.2 and table 3: Answer: Yes or Answer: No, spelled so; the first counts",
    (re.compile(r"\bAnswer:\s*(Yes|No)\b"),),
    "Answer: {}",
)
EFFECTS = KeyedRule(
    "Cube Bench, 4.3.6: a tag a letter, such as <A> DECREASE </A>, else A: DECREASE, in any case; "
    "the first of a letter counts",
    (
        re.compile(r"<([abcd])>\s*(decrease|no_change|increase)\s*</\1>", _IGNORE),
        re.compile(r"\b([abcd]):\s*(decrease|no_change|increase)\b", _IGNORE),
    ),
    "<{key}> {value} </{key}>",
)

RULES = {
    "letter": LETTER,
    "reflected_letter": REFLECTED_LETTER,
    "letter_or_idk": LETTER_OR_IDK,
    "yes_no": YES_NO,
    "effects": EFFECTS,
}
