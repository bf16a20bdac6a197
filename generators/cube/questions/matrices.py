"""Matrices: the nine words of a face, read out of a reply.

The rules of generators.core.answers hold here too: the last matrix counts, nothing is guessed, time
is linear in the bounded tail of the reply. What is taken and refused is listed as data in
tests/generators/replies.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from facelet.generators.core.answers import Parsed, visible, without_latex
from facelet.generators.core.mentions import mentioned


@cache
def _matrix(names: tuple[str, ...]) -> re.Pattern[str]:
    name = "(" + "|".join(names) + ")"
    rows = (rf"Row {row}: \[{name}, {name}, {name}\][ \t]*\n+" for row in (1, 2, 3))
    return re.compile(rf"ANSWER:[ \t]*\n+{''.join(rows)}Answer verified for correctness\.")


def matrix(text: str, vocabularies: Sequence[Mapping[str, str]]) -> Parsed[tuple[str, ...]]:
    """Return the nine words of a 3 x 3 matrix, row by row, as names.

    Strict: `ANSWER:`, three lines `Row 1: [Name, Name, Name]`, and the closing line of Cube Bench,
    appendix B.1. Lenient: three consecutive lines or brackets of three words each, labelled as rows
    1 to 3 in order or not at all; punctuation does not matter; a row may be three capital letters
    without separators. Longer and shorter runs of rows are no matrix.

    All words must belong to one vocabulary, the first that has them all.

    Args:
        text: the reply.
        vocabularies: lower-case words -> names.
    """
    names = tuple(dict.fromkeys(name for words in vocabularies for name in words.values()))
    shown = visible(text)
    exact = _matrix(names).fullmatch(shown)
    if exact:
        return Parsed(exact.groups(), strict=True)
    bare = without_latex(shown)
    words = _last_matrix(bare, frozenset().union(*vocabularies))
    if words is not None and not _mentioned(bare, words):
        for vocabulary in vocabularies:
            if vocabulary.keys() >= set(words):
                return Parsed(tuple(vocabulary[word] for word in words), strict=False)
    return Parsed(None, strict=False)


_BRACKETS = str.maketrans("[](){}", "\n" * 6)
_NOISE = re.compile(r"[^A-Za-z0-9\n]+")
_LABEL = re.compile(
    r"\b(?:the )?(?:row ?([1-9])"
    r"|(?:(first|top|upper)|(second|middle|center|centre)|(third|bottom|lower)) row)"
    r"(?: (?:is|has|reads|shows|contains))?\b",
    re.IGNORECASE,
)
"""A name of a row: "row 1" or "top row", and so on."""


def _last_matrix(text: str, known: frozenset[str]) -> list[str] | None:
    """Return the nine lower-case words of the last run of rows, or None if it is no matrix."""
    plain = _NOISE.sub(" ", text.translate(_BRACKETS))
    plain = _LABEL.sub(_numbered, plain)
    last: list[str] | None = None
    run: list[list[str]] = []
    spoilt = named = False
    for line in (*plain.split("\n"), "end"):
        words = line.split()
        if words and words[0][0] == "#":
            number = int(words.pop(0)[1:])
            if number == 1 and (run or spoilt):
                last, run, spoilt = _whole(run, spoilt), [], False
            spoilt = spoilt or number != len(run) + 1
            named = True
        words = [word for word in words if not word.isdigit()]
        if not words:
            continue
        row = _row(words, known)
        if row:
            run.append(row)
        elif named:
            spoilt = True
        elif run or spoilt:
            last, run, spoilt = _whole(run, spoilt), [], False
        named = False
    return last


_AMID = (
    r"(?:[^A-Za-z]|\b(?:the|row|first|top|upper|second|middle|center|centre|third|bottom|lower|is|has"
    r"|reads|shows|contains)\b)*"
)
"""What may stand between the rows of a matrix."""
_ABOVE = (
    r"(?:\banswer[^A-Za-z]{1,9})?(?:\b(?:the )?(?:row ?1|(?:first|top|upper) row)\b[^A-Za-z]{0,9}"
    r"(?:(?:is|has|reads|shows|contains)\b[^A-Za-z]{0,9})?)?"
)


_PLACES = 8
"""Up to so many places where a matrix may begin, and end, are looked at one by one."""


@lru_cache(maxsize=512)
def _places(row: str) -> re.Pattern[str]:
    """Return the expression for all places where a matrix with this first row may begin."""
    return re.compile(f"(?={_ABOVE}{row})", re.IGNORECASE)


@lru_cache(maxsize=512)
def _ends(row: str) -> re.Pattern[str]:
    """Return the expression for all places where a row stands; group 1 is the row."""
    return re.compile(f"(?=({row}))", re.IGNORECASE)


def _mentioned(text: str, words: Sequence[str]) -> bool:
    """Return whether the last place of a matrix, as nine words, is only a mention of it."""
    rows = ["[^A-Za-z]*".join(words[start : start + 3]) for start in (0, 3, 6)]
    # An expression of nine words is new with nearly every reply, and takes milliseconds to compile;
    # those of three are few. Where no pair of their places makes a mention, the matrix is none.
    starts = [found.start() for found in _places(rows[0]).finditer(text)]
    ends = [found.end(1) for found in _ends(rows[2]).finditer(text)]
    if max(len(starts), len(ends)) <= _PLACES and not any(
        mentioned(text, start, end) for start in starts for end in ends if start < end
    ):
        return False
    found = list(re.finditer(_ABOVE + _AMID.join(rows), text, re.IGNORECASE))
    return bool(found) and mentioned(text, found[-1].start(), found[-1].end())


def _numbered(label: re.Match[str]) -> str:
    """Return the name of a row as "#1" to "#9" at the beginning of a line."""
    return f"\n#{label[1] or (label.lastindex or 0) - 1} "


def _whole(run: list[list[str]], spoilt: bool) -> list[str] | None:
    """Return the words of a finished run of rows, or None if it is no matrix."""
    return None if spoilt or len(run) != 3 else [word for row in run for word in row]


def _row(words: Sequence[str], known: frozenset[str]) -> list[str] | None:
    """Return the three lower-case words of a line that is a row, else None."""
    if len(words) == 1 and len(words[0]) == 3 and words[0].isupper():
        words = words[0]
    lower = [word.lower() for word in words]
    return lower if len(lower) == 3 and known.issuperset(lower) else None
