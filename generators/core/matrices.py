"""Matrices: reading a 3 x 3 matrix of words out of a reply.

The rules of generators.core.answers hold here too: the last matrix counts, nothing is guessed, time
is linear in the bounded tail of the reply. What is taken and refused is listed as data in
tests/generators/core/answers.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from generators.core.answers import Parsed, visible

_ORDINALS = ("first|top|upper", "second|middle|centre|center", "third|bottom|lower")
_MATRIX_TOKEN = re.compile(
    r"(?P<row>\brow[ _-]?(?P<number>\d)\b|\b(?:"
    + "|".join(f"(?P<row{place}>{words})" for place, words in enumerate(_ORDINALS, 1))
    + r") row\b)|(?P<end>[\n\[\](){}])|(?P<word>[a-z]+)",
    re.IGNORECASE,
)


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

    All words must belong to one vocabulary; the first that knows them all decides what they mean.

    Args:
        text: the reply.
        vocabularies: lower-case words -> names.
    """
    names = tuple(dict.fromkeys(name for words in vocabularies for name in words.values()))
    shown = visible(text)
    exact = _matrix(names).fullmatch(shown)
    if exact:
        return Parsed(exact.groups(), strict=True)
    words = _last_matrix(shown, frozenset().union(*vocabularies))
    if words is not None:
        for vocabulary in vocabularies:
            if vocabulary.keys() >= set(words):
                return Parsed(tuple(vocabulary[word] for word in words), strict=False)
    return Parsed(None, strict=False)


def _last_matrix(text: str, known: frozenset[str]) -> list[str] | None:
    """Return the nine lower-case words of the last run of rows, or None if it is no matrix."""
    last: list[str] | None = None
    run: list[list[str]] = []
    spoilt = labelled_row = False

    def close() -> None:
        nonlocal last, spoilt
        if run or spoilt:
            last = None if spoilt or len(run) != 3 else [word for row in run for word in row]
        run.clear()
        spoilt = False

    line: list[str] = []
    for token in (*_MATRIX_TOKEN.finditer(text), None):
        if token is not None and token["word"]:
            line.append(token["word"])
            continue
        if line:
            row = _row(line, known)
            if row:
                run.append(row)
            elif labelled_row:
                spoilt = True
            else:
                close()
            line, labelled_row = [], False
        if token is not None and token["row"]:
            number = int(token["number"] or next(k for k in (1, 2, 3) if token[f"row{k}"]))
            if number == 1:
                close()
            spoilt = spoilt or number != len(run) + 1
            labelled_row = True
    close()
    return last


def _row(line: Sequence[str], known: frozenset[str]) -> list[str] | None:
    """Return the three lower-case words of a line that is a row, else None."""
    if len(line) == 1 and len(line[0]) == 3 and line[0].isupper():
        line = line[0]
    words = [word.lower() for word in line]
    return words if len(words) == 3 and known.issuperset(words) else None
