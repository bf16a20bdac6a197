"""Read arrays from replies: the nine words of a face, or rows of tokens.

The rules of core.replies.boundary hold here too: the last matrix counts, nothing is guessed, time
is linear in the bounded tail of the reply. What is taken and refused is listed as data in
tests/generators/replies.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from facelet.generators.core.compiled_parts import load_compiled
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_last
from facelet.generators.core.replies.data_blocks import array_lines, normalize_typing, rewritten
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import without_latex

_part = load_compiled("facelet.generators.core._reading")


CLOSING = "Answer verified for correctness."
FORM = f"ANSWER:\n{{}}\n{CLOSING}"
"""The requested form of a matrix, as prompts show it; {} stands for the rows."""


def write_rows(names: Sequence[str]) -> str:
    """Return the three rows of a matrix in the requested form, a line each."""
    rows = (", ".join(names[start : start + 3]) for start in (0, 3, 6))
    return "\n".join(f"Row {row}: [{words}]" for row, words in enumerate(rows, 1))


@cache
def _matrix_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    name = "(" + "|".join(names) + ")"
    shown = FORM.format(write_rows((name,) * 9))
    return re.compile(shown.replace("[", r"\[").replace(".", r"\.").replace("\n", "[ \\t]*\\n+"))


def read_matrix(text: str, vocabularies: Sequence[Mapping[str, str]]) -> Parsed[tuple[str, ...]]:
    """Return the nine words of a 3 x 3 matrix, row by row, as names.

    Strict: `ANSWER:`, three lines `Row 1: [Name, Name, Name]`, and the closing line "Answer
    verified for correctness." Lenient: three consecutive lines or brackets of three words each,
    labelled as rows 1 to 3 in order or not at all; punctuation does not matter; a row may be three
    capital letters without separators. Longer and shorter runs of rows are no matrix.

    All words must belong to one vocabulary, the first that has them all.

    Args:
        text: the reply.
        vocabularies: lower-case words -> names.
    """
    strict, known = _strict_pattern(tuple(map(_Vocabulary, vocabularies)))
    shown = visible_text(text)
    if exact := strict.fullmatch(shown):
        return Parsed(exact.groups(), strict=True)
    bare = rewritten(normalize_typing(without_latex(shown)), array_lines(3))
    words = _last_matrix(bare, known)
    if words is not None and not _is_mentioned(bare, words) and _is_single(bare, words, known):
        for vocabulary in vocabularies:
            if vocabulary.keys() >= set(words):
                return Parsed(tuple(vocabulary[word] for word in words), strict=False)
    return Parsed(None, strict=False)


class _Vocabulary:
    """A vocabulary as a key: it is the same if it is the same object."""

    __slots__ = ("words",)

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Vocabulary) and self.words is other.words

    def __hash__(self) -> int:
        return id(self.words)


@lru_cache(maxsize=64)
def _strict_pattern(
    vocabularies: tuple[_Vocabulary, ...],
) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return the expression for the requested format, and all words."""
    every = [one.words for one in vocabularies]
    names = tuple(dict.fromkeys(name for words in every for name in words.values()))
    return _matrix_pattern(names), frozenset().union(*every)


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
    nine: list[str] | None = _part.matrix(text, known) if _part else None
    if nine is not None:
        return nine or None
    plain = _NOISE.sub(" ", text.translate(_BRACKETS))
    plain = _LABEL.sub(_row_number, plain)
    last: list[str] | None = None
    run: list[list[str]] = []
    spoilt = named = False
    for line in (*plain.split("\n"), "end"):
        words = line.split()
        if words and words[0][0] == "#":
            if (number := int(words.pop(0)[1:])) == 1 and (run or spoilt):
                last, run, spoilt = _finish_run(run, spoilt), [], False
            spoilt = spoilt or number != len(run) + 1
            named = True
        words = [word for word in words if not word.isdigit()]
        if not words:
            continue
        if row := _read_row(words, known):
            run.append(row)
        elif named:
            spoilt = True
        elif run or spoilt:
            last, run, spoilt = _finish_run(run, spoilt), [], False
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
def _place_pattern(row: str) -> re.Pattern[str]:
    """Return the expression for all places where a matrix with this first row may begin."""
    return re.compile(f"(?={_ABOVE}{row})", re.IGNORECASE)


@lru_cache(maxsize=512)
def _row_pattern(row: str) -> re.Pattern[str]:
    """Return the expression for all places of a row; group 1 is the row."""
    return re.compile(f"(?=({row}))", re.IGNORECASE)


def _is_mentioned(text: str, words: Sequence[str]) -> bool:
    """Return whether the last place of a matrix, as nine words, is only a mention of it."""
    # An expression of nine words is new with nearly every reply, and takes milliseconds to compile;
    # those of three are few. Where no pair of their places makes a mention, the matrix is none.
    starts, ends = _find_around(text, words)
    if max(len(starts), len(ends)) <= _PLACES and not any(
        is_mentioned(text, start, end) for start in starts for end in ends if start < end
    ):
        return False
    places = list(re.finditer(_ABOVE + _AMID.join(_rows(words)), text, re.IGNORECASE))
    return bool(places) and is_mentioned(text, places[-1].start(), places[-1].end())


def _is_single(text: str, words: list[str], known: frozenset[str]) -> bool:
    """Return whether no other matrix above the last one, as nine words, contradicts it."""
    starts, _ = _find_around(text, words)
    head = text[: starts[-1]] if starts else ""
    if not (above := _last_matrix(head, known)):
        return True
    begins, ends = _find_around(head, above)
    if not begins or not ends or is_mentioned(text, begins[-1], ends[-1]):
        return True
    two = [Candidate(begins[-1], ends[-1], above), Candidate(starts[-1], len(text), words)]
    return choose_last(text, two) is not None


_LONGEST_ABOVE = 64
"""More characters than _ABOVE ever takes."""
_ABOVE_WORD = re.compile(f"{_ABOVE}[a-z]", re.IGNORECASE)
"""That, and the first letter of the row below."""
_HEAD = re.compile(r"\b[atrfu]", re.IGNORECASE)
"""With what it begins, unless it is empty."""


def _rows(words: Sequence[str]) -> list[str]:
    """Return the expressions for the rows of nine words."""
    return ["[^A-Za-z]*".join(words[start : start + 3]) for start in (0, 3, 6)]


def _find_around(text: str, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return all places where a matrix may begin and end: its first and its last row stand there.

    Args:
        text: the reply.
        words: the nine words.
    """
    first: list[int] | None = None
    last: list[int] | None = None
    if _part and all(word.isascii() and word.isalpha() for word in words):
        first, last = _part.rows(text, *words[:3]), _part.rows(text, *words[6:])
    if first is None or last is None or len(first) > 2 * _PLACES:
        rows = _rows(words)
        starts = [place.start() for place in _place_pattern(rows[0]).finditer(text)]
        return starts, [place.end(1) for place in _row_pattern(rows[2]).finditer(text)]
    found_at: set[int] = set()
    for place in first[::2]:
        found_at.add(place)
        for head in _HEAD.finditer(text, max(0, place - _LONGEST_ABOVE), place):
            # The first letter of the row belongs to it: "is" before "ised" is no word.
            if _ABOVE_WORD.fullmatch(text, head.start(), place + 1):
                found_at.add(head.start())
    return sorted(found_at), last[1::2]


def _row_number(label: re.Match[str]) -> str:
    """Return the name of a row as "#1" to "#9" at the beginning of a line."""
    return f"\n#{label[1] or (label.lastindex or 0) - 1} "


def _finish_run(run: list[list[str]], spoilt: bool) -> list[str] | None:
    """Return the words of a finished run of rows, or None if it is no matrix."""
    return None if spoilt or len(run) != 3 else [word for row in run for word in row]


def _read_row(words: Sequence[str], known: frozenset[str]) -> list[str] | None:
    """Return the three lower-case words of a line that is a row, else None."""
    if len(words) == 1 and len(words[0]) == 3 and words[0].isupper():
        words = words[0]
    lower = [word.lower() for word in words]
    return lower if len(lower) == 3 and known.issuperset(lower) else None


_ROW_NAME = re.compile(
    r"[\"']?\b[Rr]ow[ _]?[0-7]\b[\"']?(?: ?\([A-Za-z ]{1,16}\))?[ *]{0,3}[:=.)-]?"
    r"|^[ \t|-]{0,3}[0-7][.):](?=[ \t])|^[ \t>]*-[ \t]+(?=\[)|^[ \t]*(?:>[ \t]*){1,9}"
    r"|[*`'\"\u2018\u2019\u201c\u201d]",
    re.MULTILINE,
)
"""Names, numbers and bullets of rows, block quotes, emphasis and quotes."""
_BETWEEN = re.compile(r"[\s,;:|\[\](){}-]*")
# A hyphen that is a token belongs to no list.
_BETWEEN_HYPHENS = re.compile(r"[\s,;:|\[\](){}]*")


@cache
def _row_of(token: str, size: int) -> re.Pattern[str]:
    sign = (
        r"[ \t]{0,4}[,|&;]?[ \t]{0,4}"
        if len(token) == 4
        else r"[ \t]{0,4}(?:[,|&;]|[ \t])[ \t]{0,4}"
    )
    return re.compile(rf"(?<![\w-]){token}(?:{sign}{token}){{{size - 2},}}(?![\w-])")


def read_grid(text: str, token: str, size: int) -> tuple[str, ...] | None:
    """Return the tokens of the last square array of a text that is given, and not only mentioned.

    An array is so many rows of so many tokens with nothing but brackets, commas, bars, blanks and
    the names or numbers of rows between them; a run of more or fewer rows is none, nor is an array
    that other rows follow. A row that is one of its own may be repeated behind it.

    Args:
        text: the reply.
        token: a regular expression for one token, without groups.
        size: the number of rows, and of tokens in each.
    """
    plain = rewritten(normalize_typing(without_latex(text)), array_lines(size))
    plain = _ROW_NAME.sub(" ", plain)
    between = _BETWEEN_HYPHENS if re.fullmatch(token, "-") else _BETWEEN
    runs: list[list[re.Match[str]]] = []
    for row in _row_of(token, size).finditer(plain):
        if runs and between.fullmatch(plain, runs[-1][-1].end(), row.start()):
            runs[-1].append(row)
        else:
            runs.append([row])
    spare: set[tuple[str, ...]] = set()
    arrays: list[Candidate[list[tuple[str, ...]]]] = []
    for run in runs:
        start, end = run[0].start(), run[-1].end()
        rows = [tuple(re.findall(token, row[0])) for row in run]
        if is_mentioned(plain, start, end):
            continue
        if len(rows) == 1:
            spare.update(rows)
        else:
            spare.clear()
            arrays.append(Candidate(start, end, rows))
    last = arrays[-1].value if arrays else None
    if not last or [len(row) for row in last] != [size] * size or not spare <= {*last}:
        return None
    whole = [one for one in arrays if one.value and len(one.value) == size]
    return tuple(cell for row in last for cell in row) if choose_last(plain, whole) else None
