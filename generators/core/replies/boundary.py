r"""Cut a model's text down to its reply, before any task reads it.

Every parser takes any string and returns a Parsed: the value, or None when the reply has no answer
that can be told without guessing, and whether the format was kept to the letter. Rules for all:

- The reply ends at the first marker that ends a turn, or begins one that the model invented.
- Reasoning does not count: what <think>...</think> holds, what follows an unclosed <think>, and
  what precedes a </think> that nothing opened (chat templates often open it in the prompt). The
  module markers lists the published ones. Any other tag that opens before the answer and never
  closes counts as reasoning, and an unknown <|...|> that a role follows leaves no reply.
- A comment does not count: that of HTML, of LaTeX, and of code, in its block or on its own line.
- What an unknown tag encloses does not count: its name may be a draft's as well as an answer's. It
  does where the name holds a word for an answer, as in <my_move>, or where the words before the tag
  announce one, as in "Answer: <b1>C</b1>".
- Special tokens that a reply goes on behind, such as <|begin_of_box|>, count as line breaks.
- What is ~~struck out~~ is no part of it.
- Of the rest, only the last TAIL characters are read, with the mark CUT in front of them: a longer
  reply is never strict. Every expression below is linear: blanks are squeezed first, and no repeat
  is followed by another that takes the same characters.
- The last answer counts. When that one is ambiguous ("A or B"), there is none.
- Markdown emphasis, quotes, and upper or lower case do not matter to the lenient reading.
- Prose that merely contains a letter or a word is no answer: there is no credit by chance.
- An answer that is negated, supposed, asked, quoted or withdrawn is none (see the module mentions);
  of several commands the one alone on its line counts (see the module candidates).

What each parser takes and refuses is listed as data in tests/generators/replies.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from facelet.generators.core.compiled_parts import load_compiled
from facelet.generators.core.replies.markers import (
    CLOSES,
    HOLDS,
    OWN,
    REASONS,
    ROLE_BEHIND,
    ROLE_NAMED,
    STOPS,
    TABLE,
    Kind,
)

T = TypeVar("T")

TAIL = 4096
"""Number of characters at the end of a reply that are read."""

CUT = "\u2026"
"""Stands for the characters before them, and for what is struck out."""
_STRUCK = re.compile(r"~~(?=\S)[^~]{1,4000}~~")


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


_part = load_compiled("facelet.generators.core._reading")
"""Looks at every character; what it leaves to Python is None."""

_SIGNS = str.maketrans({"\uff5c": "|", "\u2581": "_", "\u25c1": "<", "\u25b7": ">"})
"""Signs of tokens that are written in a second way."""
_CHANNEL = (
    r"<\|(?:(?:end\|><\|)?start\|>assistant<\|)?channel\|>(?P<channel>\w{1,20})[^<>\n]{0,40}"
    r"(?:<\|constrain\|>\w{1,20})?<\|message\|>"
)
_CHANNEL_END = "assistantfinal"
"""What is left of harmony's tokens where a runner takes them away."""
_MARK = re.compile(
    rf"{_CHANNEL}|"
    r"[<\u25c1](?P<name>(?:/|[|\uff5c]/?)?[A-Za-z_][\w\u2581:.-]{0,40}[|\uff5c]?)"
    r"(?: (?!/)[^<>|\uff5c\n]{0,79}[^<>|\uff5c\n/])?(?P<empty> ?/)?[>\u25b7]"
    r"|\[/?(?:\|[\w ]{1,40}\||INST|THINK|SYSTEM_PROMPT)\]"
    r"|\n[ \t]*(?:(?P<alone>user|human|assistant|system)[ \t]*(?=\n|\Z)"
    r"|(?:\#{1,4} ?|\*\*|GPT4 (?:Correct )?)?"
    r"(?P<speaker>[Uu]ser|USER|[Hh]uman|HUMAN|[Aa]ssistant|ASSISTANT)(?:\*\*)? ?:"
    r"|\#{1,4} ?(?P<heading>Instruction|User|Human|Assistant)s?:?[ \t]*(?=\n))"
    rf"|{_CHANNEL_END}(?=[^a-z])",
)
"""Text that may be a marker."""
_COMMENT = re.compile(
    r"<!--.*?(?:-->|\Z)|(?<![*\w])/\*.*?(?:\*/|\Z)"
    r"|\\begin ?\{comment\}.*?(?:\\end ?\{comment\}|\Z)|^[ \t>]*(?://|%(?=[ \t%]))[^\n]*",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(
    r"^[ \t>]*```(?:python|py|bash|sh|shell|ruby|yaml)[ \t]*\n.*?(?:```|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""A block of code in which the sign of a heading begins a comment."""
_CODE_COMMENT = re.compile(r"^[ \t>]*#[^\n]*", re.MULTILINE)
_NAMING = re.compile(r"(?:[\w:=(,\"'`*-]|\bis) ?\Z")
"""The text before a tag that is an answer, or the place of one: "My Move: <left>"."""


def visible_text(text: str, tail: int = TAIL) -> str:
    """Return what of a text is the reply: not reasoning, nor what follows the model's turn.

    It is "" where that cannot be told. Of a longer one it is the last `tail` characters, with CUT
    in front. No requested format begins with CUT, and text that starts at the cut is not taken for
    the start of a line.
    """
    shown: str | None = _part.visible(text, tail) if _part and _CHANNEL_END not in text else None
    if shown is None:
        shown = _visible_text(text, tail)
    shown = without_comments(shown)
    return _STRUCK.sub(CUT, shown) if "~" in shown else shown


def without_comments(text: str) -> str:
    """Return a text without comments, which a reader does not see or does not take as said."""
    if _part and not _part.commented(text):
        return text
    if "/*" in text or "//" in text or "%" in text or "<!--" in text or "{comment}" in text:
        text = _COMMENT.sub("\n", text).strip()
    if "```" in text and "#" in text:
        text = _CODE.sub(lambda code: _CODE_COMMENT.sub("", code[0]), text)
    return text


def _visible_text(text: str, tail: int) -> str:
    text = "\n".join(_pieces(f"\n{text}")).strip()
    return CUT + text[-tail:].rstrip() if len(text) > tail else text


def _pieces(text: str) -> list[str]:
    """Return the parts of a text that are the reply, in order.

    Args:
        text: what a model wrote, behind the end of a line.
    """
    marks = list(_MARK.finditer(text))
    closers = {name.lower(): mark.start() for mark in marks if (name := mark["name"] or "")}
    kept: list[str] = []
    opened: set[str] = set()
    seen: set[str] = set()
    start, thinking, ended = 0, "", False
    for mark in marks:
        kind, family = _kind(text, mark, closers, opened)
        if kind is Kind.UNKNOWN:
            return []
        if kind is Kind.OPEN:
            seen.add(family)
        if thinking:
            # A token in closed reasoning is only spoken of, unless a turn follows it.
            if kind is Kind.CLOSE and (family == thinking or family not in seen):
                start, thinking = mark.end(), ""
                if family not in seen:
                    kept.clear()
            elif ended and kind in (Kind.TURN, Kind.OPEN):
                return kept
            turned = kind is Kind.END or (kind is Kind.TURN and mark[0][0] != "\n")
            ended = bool(thinking) and (ended or turned)
        elif kind is not Kind.TEXT:
            kept.append(text[start : mark.start()])
            start = mark.end()
            if kind is Kind.CLOSE:
                kept.clear()
            elif kind is Kind.OPEN:
                thinking = family
            elif kind in (Kind.END, Kind.TURN):
                # A marker before all text ends nothing; the model's own turn may begin there.
                blank = not "".join(kept).strip()
                if not blank or (kind is Kind.TURN and family not in OWN):
                    return kept
                if kind is Kind.END:
                    continue
                behind = ROLE_BEHIND.match(text, start)
                start = behind.end() if behind else start
    return kept if thinking else [*kept, text[start:]]


def _kind(
    text: str, mark: re.Match[str], closers: Mapping[str, int], opened: set[str]
) -> tuple[Kind, str]:
    """Return what a marker does, and its family: of a turn whose it is, of reasoning its name.

    Args:
        text: the text that holds it.
        mark: the marker.
        closers: the last place of each closing tag.
        opened: the tags of the text that were opened before it; this one is added.
    """
    if channel := mark["channel"]:
        return (Kind.CLOSE if channel == "final" else Kind.OPEN), "channel"
    if speaker := mark["alone"] or mark["speaker"] or mark["heading"]:
        return Kind.TURN, speaker.lower()
    token = re.sub(r"(?: [^<>|]*|/)>\Z", ">", mark[0].translate(_SIGNS).lower())
    name = token.strip("<>[]|")
    kind, family = TABLE.get(token, (None, name))
    behind = ROLE_BEHIND.match(text, mark.end())
    if kind is Kind.TURN:
        named = ROLE_NAMED.search(name)
        role = named[0].strip("_") if named else behind["role"].lower() if behind else name
        return kind, role
    if kind is Kind.TEXT:
        opened.add(name)
    if token == "<s>" and text[: mark.start()].strip():
        opened.add(name)
        return Kind.OPEN, name
    if token == "</s>" and "s" in opened:
        return Kind.CLOSE, "s"
    if kind:
        return kind, family
    if token == _CHANNEL_END:
        return Kind.CLOSE, "channel"
    base = name.strip("/")
    if len(base) == 1 or mark["empty"]:
        return Kind.TEXT, base
    if REASONS.search(name):
        bars = "|" in token
        closes = bool(CLOSES.search(name))
        return (Kind.CLOSE if closes else Kind.OPEN), "|" if bars else base
    if "|" in token:
        if behind or ROLE_NAMED.search(name):
            return Kind.UNKNOWN, ""
        return (Kind.END if STOPS.search(name) else Kind.BREAK), ""
    if name.startswith("/"):
        return (Kind.TEXT if base in opened else Kind.CLOSE), base
    encloses = closers.get(f"/{name}", -1) > mark.start()
    named = _NAMING.search(text[max(0, mark.start() - 8) : mark.start()])
    if not named and not HOLDS.search(name) and (encloses or re.search(r"\w", text[mark.end() :])):
        return (Kind.END if STOPS.search(name) and not encloses else Kind.OPEN), base
    opened.add(base)
    return (Kind.END if STOPS.search(name) and not encloses else Kind.TEXT), base
