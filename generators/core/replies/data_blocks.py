"""Rewrite the JSON values and Markdown tables of a reply as plain lines.

So that one grammar of lines reads an answer in all of these forms. JSON may have comments, commas
behind its last entries, and other quotes; nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

_COMMENT = re.compile(
    r"(?<=[\[\](){},])[ \t]*(?:\#|//|<-|\u2190)[^\n]{0,160}|(?m:^[ \t]*(?:\#|//)[^\n\[{|,]{0,160}$)"
)
_TRAILING = re.compile(r",(?=\s{0,80}[\]}])")
_QUOTES = str.maketrans("\u201c\u201d\u201e\u2018\u2019\u300c\u300d", "\"\"\"'''" + '"')
_WIDE = str.maketrans(
    {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {0x3001: ",", 0x3010: "[", 0x3011: "]"}
)
_WIDE_SIGN = re.compile(
    "[\uff01-\uff5e\u3001\u3010\u3011\u201c\u201d\u201e\u2018\u2019\u300c\u300d]"
)
_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()
_FAILURES = 64
"""At most so many signs that open no JSON are tried."""
_TABLE = re.compile(r"(?m:^[ \t>]*\|[^\n]*\|?[ \t]*(?:\n|\Z)){2,}")
_RULE = re.compile(r"[\s|:]*(?:-{2,}[\s|:]*)+")
_NUMBER = re.compile(r"[0-9]+")


class Block(NamedTuple):
    """A value, and its place; of a table the rows, with the cells of its header if any."""

    start: int
    end: int
    value: Any
    table: bool = False
    header: Sequence[str] = ()


def normalize_typing(text: str) -> str:
    """Return a text with plain signs for wide ones, without comments and needless commas."""
    if not text.isascii() and _WIDE_SIGN.search(text):
        text = text.translate(_WIDE).translate(_QUOTES)
    if "#" in text or "//" in text or "<-" in text or "\u2190" in text:
        text = _COMMENT.sub("", text)
    return _TRAILING.sub("", text) if '"' in text or "'" in text else text


def json_values(text: str) -> Iterator[Block]:
    """Yield the JSON lists and objects of a text that `normalize_typing` returned, in order."""
    if not ("[" in text or "{" in text):
        return
    double = text if '"' in text or "'" not in text else text.replace("'", '"')
    end = failures = 0
    for opening in _OPENING.finditer(double):
        if opening.start() < end or failures == _FAILURES:
            continue
        try:
            value, end = _DECODER.raw_decode(double, opening.start())
        except (ValueError, RecursionError):
            failures += 1
        else:
            yield Block(opening.start(), end, value)


def tables(text: str) -> Iterator[Block]:
    """Yield the Markdown tables of a text."""
    for found in _TABLE.finditer(text) if "|" in text else ():
        lines = [line.strip(" \t>") for line in found[0].strip().split("\n")]
        rows = [
            [cell.strip(" \t*`") for cell in line.strip("|").split("|")]
            for line in lines
            if not _RULE.fullmatch(line)
        ]
        headed = len(lines) > 1 and bool(_RULE.fullmatch(lines[1]))
        yield Block(found.start(), found.end(), rows, True, rows[0] if headed and rows else ())


def rewritten(text: str, write: Callable[[Block], Sequence[str] | None]) -> str:
    """Return a text whose blocks are written as lines.

    Args:
        text: a reply, as `normalize_typing` returns it.
        write: returns the lines for a block; None for one that stays as it is.
    """
    if not ('"' in text or "'" in text or "|" in text):
        return text
    parts, end = [], 0
    for block in sorted([*json_values(text), *tables(text)], key=lambda block: block.start):
        lines = write(block) if block.start >= end else None
        if lines is not None:
            parts += [text[end : block.start], "\n".join(lines), "\n" * block.table]
            end = block.end
    return "".join([*parts, text[end:]])


def rows_of(value: Any) -> list[list[str]] | None:
    """Return the rows of an array: a list of lists, or an object with rows by name or number."""
    if isinstance(value, dict):
        lists = {name: one for name, one in value.items() if isinstance(one, list | dict)}
        if len(lists) == 1:
            return rows_of(next(iter(lists.values())))
        if not lists or len(lists) != len(value):
            return None
        value = [lists[name] for name in _in_order(list(lists))]
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return None
    if any(isinstance(cell, list | dict) for row in value for cell in row):
        return rows_of(value[0]) if len(value) == 1 else None
    return [[str(cell) for cell in row] for row in value]


def _in_order(names: Sequence[str]) -> list[str]:
    """Return the names of rows from the top, by their numbers; else as they stand."""
    numbers = [int(found[-1]) for name in names if (found := _NUMBER.findall(name))]
    if len(set(numbers)) != len(names):
        return list(names)
    return [name for _, name in sorted(zip(numbers, names, strict=True))]


@cache
def array_lines(size: int) -> Callable[[Block], Sequence[str] | None]:
    """Return what writes a block that is an array as one row a line.

    Args:
        size: cells in a row; a table may have one more column in front, with names of rows.
    """

    def write(block: Block) -> Sequence[str] | None:
        if block.table:
            rows = block.value[len(block.header) > 0 and len(block.value) > size :]
            rows = [row[len(row) == size + 1 :] for row in rows]
        else:
            rows = rows_of(block.value)
        if not rows or len(rows[0]) != size:
            return None
        return ["[" + ", ".join(row) + "]" for row in rows]

    return write


@cache
def record_lines(
    keys: tuple[str, ...], fields: tuple[str, ...] = ()
) -> Callable[[Block], Sequence[str] | None]:
    """Return what writes a block that has one entry for each of several keys, as "A: x, y".

    Args:
        keys: letters.
        fields: words in the names of an entry's parts, in the order of the line; () for an entry of
            any parts, in their order.
    """
    key = re.compile(rf"(?:[a-z]{{1,9}}[ _]?)?\(?({'|'.join(keys)})\)?", re.IGNORECASE)

    def key_of(said: Any) -> str:
        found = key.fullmatch(said) if isinstance(said, str) else None
        return found[1].upper() if found else ""

    def parts(value: Any) -> list[str] | None:
        if isinstance(value, dict):
            named = {str(name).lower(): one for name, one in value.items()}
            value = [
                next((one for name, one in named.items() if field in name), None)
                for field in fields or named
            ]
        many = value if isinstance(value, list) else [value]
        scalar = all(isinstance(one, str | int) for one in many)
        return [*map(str, many)] if scalar and len(many) >= len(fields) else None

    def entries(block: Block) -> Iterator[tuple[str, Any]]:
        value = block.value
        if block.table:
            value = [dict(zip_longest(block.header, row)) for row in value[1:] if block.header]
            if len(value) == 1 and all(map(key_of, block.header)):
                value = value[0]
        while isinstance(value, dict) and len(value) == 1:
            (value,) = value.values()
        if isinstance(value, dict):
            yield from ((key_of(name), one) for name, one in value.items())
        elif isinstance(value, list):
            for item in value:
                named = dict(item) if isinstance(item, dict) else {}
                name = next((name for name, one in named.items() if key_of(one)), None)
                yield (key_of(named.pop(name)) if name is not None else ""), named

    def write(block: Block) -> Sequence[str] | None:
        found = [(name, parts(value)) for name, value in entries(block)]
        if len(found) < 2 or not all(name and cells for name, cells in found):
            return None
        between = ", " if fields else " -> "
        return [f"{name}: {between.join(cells)}" for name, cells in found if cells]

    return write
