"""Read the letter of the option that a reply chooses, or its abstention."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from facelet.generators.core.memoization import memoize_short
from facelet.generators.core.replies import labels
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.plain_text import plain_text

FORM = "<ANSWER>{}</ANSWER>"
"""The requested form of a choice, as prompts show it; {} stands for the letter."""

_CHOICE = labels.label_form(
    "[a-d]", FORM.format(r"\s*(?P<label>[A-D])\s*"), (" a", " b", " c", " d")
)

IDK = "IDK"
"""The value of an abstention."""

_UNSURE = "i (?:[a-z]{2,12}ly )?(?:don'?t|do not) know"
_CHOICE_OR_IDK = labels.label_form(
    f"[a-e]|idk|{_UNSURE}",
    FORM.format(r"\s*(?P<label>[A-D]|IDK)\s*"),
    (" a", " b", " c", " d", " e", " idk", " know"),
)
_UNSURE_SAID = re.compile(rf"(?<![\w']){_UNSURE}(?![\w'])")


@memoize_short
def read_choice(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses.

    Strict: `<ANSWER>B</ANSWER>` and nothing else. Lenient: also
    `ANSWER: B`, "the answer is (b)", `<B>`, a boxed letter, a letter alone on the last or first
    line, a single line that opens with it.
    """
    parsed = labels.read_label(text, _CHOICE)
    return (
        labels.find_shared_result(parsed.value.upper(), parsed.strict) if parsed.value else parsed
    )


_JOINTS = " ([,:\u2013\u2014-"
"""Signs between the content of an option and its letter."""
_LETTERS = {
    letter: re.compile(rf"(?<![\w'])[{letter}{letter.lower()}](?![\w'])") for letter in "ABCD"
}
_BEHIND = re.compile(
    r"[)\]}>.,:;=| \u2013\u2014(-]{1,6}(?:(?:that is|which is|namely|i\.e\.),? )?", re.IGNORECASE
)
_WITH_CONTENT = re.compile(
    r"(?:(?i:the|my|final|answer|option|choice|is) ?:? ?){0,5}\(?([A-D])[).:]{0,2} ?[-\u2013]? ?"
    r"\(?(\w.*?)\)?\.?"
)
_PRAISE = frozenset("correct right yes best true final definitely".split())
_NEIGHBOUR = 120
"""Characters beside a letter in which the content of an option is looked for."""


_CLOSE = 32
"""Characters at the end of a reply in which most letters stand."""


def choose(parsed: Parsed[str], text: str, options: Sequence[str]) -> Parsed[str]:
    """Return what a reply chooses; nothing if the letter stands beside another option's content.

    A line that is a letter and its own option chooses it, whatever letters the option is made of.

    Args:
        parsed: the letter that the reply chooses, as far as its content does not matter.
        text: the reply.
        options: what the letters stand for, A first.
    """
    if parsed.strict or len(parsed.value or "A") > 1:
        return parsed
    shown = visible_text(text)
    if "\n" in shown and parsed.value and shown.endswith(FORM.format(parsed.value)):
        return parsed
    if alone := "\n" not in shown and _WITH_CONTENT.fullmatch(plain_text(shown)):
        letter, own = alone[1], plain_text(options["ABCD".index(alone[1])])
        if own in (alone[2], f"{alone[2]})"):
            return labels.find_shared_result(letter)
        if letter == parsed.value and " " not in alone[2] and alone[2].lower() not in _PRAISE:
            return labels.find_shared_result(None)
    if not parsed.value:
        return parsed
    shown = plain_text(shown)
    word = _LETTERS[parsed.value]
    places = [*word.finditer(shown, max(0, len(shown) - _CLOSE))] or [*word.finditer(shown)]
    if not places:
        return parsed
    start, end = places[-1].span()
    before = shown[max(0, start - _NEIGHBOUR) : start].rpartition("\n")[2]
    named = before.rstrip(" ([")
    if named[-6:].lower() in ("option", "choice", "letter"):
        before = named[:-6]
    before = before.rstrip(_JOINTS)
    behind = shown[end : end + _NEIGHBOUR].partition("\n")[0]
    sign = _BEHIND.match(behind)
    behind = behind[sign.end() :] if sign else ""
    contents = _plain_options(tuple(options))
    if not (before.endswith(contents) or behind.startswith(contents)):
        return parsed
    beside = {
        letter
        for letter, option in zip("ABCD", contents, strict=True)
        if (before.endswith(option) and _is_apart(before[: len(before) - len(option)][-1:]))
        or (behind.startswith(option) and _is_apart(behind[len(option) : len(option) + 1]))
    }
    return Parsed(None, strict=False) if beside and parsed.value not in beside else parsed


@lru_cache(maxsize=1024)
def _plain_options(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(plain_text, options))


def _is_apart(sign: str) -> bool:
    """Return whether a sign, or none, goes on with no word beside it."""
    return not (sign.isalnum() or sign in ("_", "'"))


@memoize_short
def choice_or_idk(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses, or IDK where it abstains.

    Strict: as in `read_choice`, or `<ANSWER>IDK</ANSWER>`. Lenient: IDK, a fifth option E, or the
    words "I don't know" wherever a letter could stand; and those words anywhere in a reply that
    announces no answer. A letter that is announced counts, whatever doubts surround it.
    """
    shown = visible_text(text)
    if exact := _CHOICE_OR_IDK.strict.fullmatch(shown):
        return labels.find_shared_result(exact["label"], True)
    near = labels.read_ending(shown, _CHOICE_OR_IDK) if len(shown) > labels.NEAR else None
    label = near.value if near else None
    if label is None:
        bare = labels.label_text(shown)
        announced = labels.find_announced(bare, _CHOICE_OR_IDK)
        label = labels.read_loosely(bare, announced, _CHOICE_OR_IDK).value
        if label is None:
            unsure = not announced and _UNSURE_SAID.search(bare)
            return labels.find_shared_result(IDK if unsure else None)
    return labels.find_shared_result(label.upper() if label in "abcd" else IDK)
