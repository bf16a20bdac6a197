"""Replies of all corpora, and seeded mutations of them: what two ways of reading must agree on."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

HOME = Path(__file__).parents[1]
FILES = (
    "generators/chat_replies.json",
    "generators/replies.json",
    "generators/core/mentions.json",
    "generators/core/forms.json",
    "contract/mentions.json",
)
ANSWERS = (
    *("B", "yes", "IDK", "I don't know", "<ANSWER>C</ANSWER>", "Answer: No", "answer: a", "(d)"),
    *("<A> DECREASE </A>", "B: no change", "My Query: 1, 2, 3", "\\boxed{A}", "Answer verified."),
    *("Row 1: [White, Red, Blue]", "[W, R, B]", "WRB", "MOVE(x=3, y=5)", "answer"),
)
SPOKEN_OF = (
    "It is not [White, Red, Blue], [Red, Red, Red], [Blue, Blue, White].",
    "For example:\nRow 1: [White, Red, Blue]\nRow 2: [Red, Red, Red]\nRow 3: [Blue, Red, White]",
    "I thought of this.\n\nRow 1: W R B\nRow 2: R R R\nRow 3: B B W, but that is wrong.",
    "<A> INCREASE </A> would be wrong, and it is not <B> DECREASE </B>",
)
PIECES = (
    *(" ", "  ", "\n", "\n\n", " \n ", "\t", "\r\n", "\x0b", "\x1c", "\x00", "\xa0", "\u2003"),
    *(".", ". ", ", ", ":", ": ", "?", "!", ";", "'", "\u2019", '"', "\u201c", "*", "**", "`"),
    *("_", "(", ")", "[", "]", "{", "}", "<", ">", "</", "|", "/", "\\", "-", "\u2013", "\u2026"),
    *("\u2192", "<think>", "</think>", "<thinking>", "\u25c1think\u25b7", "</th\u0131nk>"),
    *("<|im_end|>", "<|", "not ", "n't ", "isn't ", "never", "if ", "would have ", "I think of "),
    *("could be ", "what about ", "for example ", "e. g. ", "e.g. "),
    *("the example in the box is ", "the format is ", "you said ", "the prompt says ", "it's "),
    *("that 's ", "one would say ", "anything but ", "not my blue one: ", " is wrong"),
    *(" is not it", "? No", " or ", " and ", " because", "</answer>", " was my first", "Is it "),
    *("so ", "Therefore ", "answer ", "the answer is ", "Final answer: ", "correct option "),
    *("i'd pick ", "I would choose ", "decision : ", "result:", "my choice is ", "\u212a"),
    *("\u0130", "\xc9", "\u03a3", "\u2460", "\U0001f600", "\u200b", "\ufe0f", "\uff1a", "\u3002"),
    *("\ud800", "\xfc", "json\n", "markdown\n", "1. ", "- ", "| A | B | C | D |\n", "option "),
    *("8", "0"),
)


def iterate_texts(value: object) -> Iterator[str]:
    """Yield the texts of a JSON value, keys of objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (key, *iterate_texts(one))
    elif isinstance(value, list):
        for one in value:
            yield from iterate_texts(one)


@cache
def load_corpus() -> tuple[str, ...]:
    """Return the texts of all corpora, each once, in order."""
    found: dict[str, None] = dict.fromkeys(SPOKEN_OF)
    for name in FILES:
        for text in iterate_texts(json.loads((HOME / name).read_text(encoding="utf-8"))):
            found[text.replace("{x}", "Answer: B").replace("{y}", "Answer: D")] = None
    return tuple(found)


def iterate_mutations(seed: int, holding: str = "") -> Iterator[str]:
    """Yield mutated texts without end: cut, joined, repeated, added to, in other cases.

    Args:
        seed: of what is drawn.
        holding: only texts that hold this are mutated.
    """
    rng = random.Random(seed)
    every = [text for text in load_corpus() if holding in text.lower()]
    while True:
        text = rng.choice(every)
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            place = rng.randint(0, len(text))
            end = min(len(text), place + rng.choice((0, 0, 0, 1, 2, 5, 20)))
            put = rng.choice((PIECES, ANSWERS, PIECES, every))
            kind = rng.random()
            if kind < 0.6:
                text = text[:place] + rng.choice(put) + text[end:]
            elif kind < 0.7:
                text = text[:place] + text[end:]
            elif kind < 0.8:
                text = text + rng.choice((" ", "\n", "\n\n", ". ", " so ")) + rng.choice(put)
            elif kind < 0.85:
                text = rng.choice((str.upper, str.lower, str.title, str.swapcase))(text)
            elif kind < 0.9:
                text = text[:place] + text[place:end] * rng.choice((2, 3, 70)) + text[end:]
            elif kind < 0.93:
                text = "I turn the right face and look again. " * rng.choice((3, 7, 120)) + text
            else:
                words = text.split(" ")
                rng.shuffle(words)
                text = " ".join(words)
        if rng.random() < 0.2:
            parts = (*rng.choices(every, k=rng.choice((3, 8))), text)
            text = rng.choice((" ", "\n", ". ", "\n\n", "; ")).join(parts)
            text += " x" * rng.choice((0, 0, 0, 60, 130))
        yield text


def draw_match(pattern: re.Pattern[str], rng: random.Random) -> str:
    """Return a text that an expression may match: it does but for what it looks at around it."""
    return _draw_tree(_parse_tree(pattern), rng, {})


@cache
def _parse_tree(pattern: re.Pattern[str]) -> Any:
    return parser.parse(pattern.pattern, pattern.flags)


def _draw_tree(tree: Any, rng: random.Random, groups: dict[int, str]) -> str:
    return "".join(_draw_node(op, value, rng, groups) for op, value in tree)


def _draw_node(op: Any, value: Any, rng: random.Random, groups: dict[int, str]) -> str:
    if op is ops.LITERAL:
        return chr(value)
    if op is ops.NOT_LITERAL or op is ops.ANY:
        return rng.choice("ax 1")
    if op is ops.IN:
        return _draw_sign(value, rng)
    if op is ops.BRANCH:
        return _draw_tree(rng.choice(value[1]), rng, groups)
    if op is ops.SUBPATTERN:
        groups[value[0]] = _draw_tree(value[3], rng, groups)
        return groups[value[0]]
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        low, high, inner = value
        count = rng.choice((low, low, low + 1, rng.randint(low, min(high, low + 9))))
        return "".join(_draw_tree(inner, rng, groups) for _ in range(min(count, high)))
    if op is ops.GROUPREF:
        return groups.get(value, "")
    assert op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT), op
    return ""


def _draw_sign(value: Any, rng: random.Random) -> str:
    kinds = dict(value)
    if ops.NEGATE in kinds:
        return rng.choice("ax1")
    signs: list[str] = []
    for op, what in value:
        if op is ops.LITERAL:
            signs.append(chr(what))
        elif op is ops.RANGE:
            signs.append(chr(rng.randint(*what)))
        else:
            assert op is ops.CATEGORY, op
            signs.append(rng.choice(" \t" if what is ops.CATEGORY_SPACE else "abz19_"))
    return rng.choice(signs)
