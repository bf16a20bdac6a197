r"""The reply boundary: what of a model's text is its reply, before any task reads it.

Every parser takes any string and returns a Parsed: the value, or None when the reply has no answer
that can be told without guessing, and whether the format was kept to the letter. Rules for all:

- Thoughts in <think>...</think> do not count, nor what follows an unclosed <think>, nor what
  precedes a </think> that nothing opened (chat templates often open it in the prompt). Special
  tokens that a runner left in, such as <|im_end|> or <|begin_of_box|>, count as line breaks.
- Of the rest, only the last TAIL characters are read, with the mark CUT in front of them: a longer
  reply is never strict. Every expression below is linear: blanks are squeezed first, and no repeat
  is followed by another that takes the same characters.
- The last answer counts. When that one is ambiguous ("A or B"), there is none.
- Markdown emphasis, quotes, and upper or lower case do not matter to the lenient reading.
- Prose that merely contains a letter or a word is no answer: there is no credit by chance.
- An answer that is negated, supposed, asked or quoted is none (see the module mentions).

What each parser takes and refuses is listed as data in tests/generators/replies.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from facelet.generators.core.compiled import found

T = TypeVar("T")

TAIL = 4096
"""Number of characters at the end of a reply that are read."""

CUT = "\u2026"
"""Stands for the characters before them."""


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """What a reply says.

    Attributes:
        value: the answer, or None when there is none.
        strict: whether the reply, thoughts and surrounding white space aside, is exactly the
            requested format.
    """

    value: T | None
    strict: bool


_part = found("facelet.generators.core._reading")
"""Looks at every character; what it leaves to Python is None."""

_THOUGHT = re.compile(r"[<\u25c1](/?)think(?:ing)?[>\u25b7]", re.IGNORECASE)
_SPECIAL = re.compile(r"<\|\w{1,40}\|>")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of thoughts, in order; in long ASCII text by looking at each "<" alone."""
    if not text.isascii():
        yield from _THOUGHT.finditer(text)
        return
    place = text.find("<")
    while place >= 0:
        if tag := _THOUGHT.match(text, place):
            yield tag
        place = text.find("<", place + 1)


def visible(text: str, tail: int = TAIL) -> str:
    """Return a reply without thoughts and outer blanks.

    Of a longer one it is the last `tail` characters, with CUT in front. No requested format begins
    with CUT, and text that starts at the cut is not taken for the start of a line.
    """
    shown: str | None = _part.visible(text, tail) if _part else None
    return _visible(text, tail) if shown is None else shown


def _visible(text: str, tail: int) -> str:
    # Most replies have a "<" and no thoughts, so the cheap test for "think" comes first.
    if ("<" in text or "\u25c1" in text) and not (text.isascii() and "think" not in text.lower()):
        kept: list[str] = []
        start, thinking = 0, False
        for tag in _tags(text):
            if not thinking:
                if tag[1]:
                    kept.clear()
                else:
                    kept.append(text[start : tag.start()])
            thinking = not tag[1]
            start = tag.end()
        if start:
            text = "\n".join(kept if thinking else [*kept, text[start:]])
    text = text.strip()
    if len(text) > tail:
        text = CUT + text[-tail:]
    if "<|" in text:
        text = _SPECIAL.sub("\n", text)
    return text.strip()
