"""Tables: CSV and TSV files of predictions, one record a row, named by the first row.

`facelet.pipeline.scoring.taking.workbooks` reads those of XLSX files.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import IO

from facelet.pipeline.scoring.taking.documents import BOM, Located
from facelet.pipeline.scoring.taking.limits import Limits, Stopped

IDS = frozenset({"id", "index", "custom_id", "doc_id"})
REPLIES = frozenset(
    {"prediction", "response", "reply", "completion", "output", "messages", "error"}
)
"""Names of columns by which a table of predictions is told."""

_WHOLE = frozenset({"index", "doc_id", "sample_idx", "epoch", "sample"})
WIDEST = 1000
"""Most columns of a table."""


def delimiter(head: bytes, fields: Iterable[str]) -> str | None:
    """Return what separates the cells of a table, or None if the text is no table.

    Args:
        head: the beginning of the text.
        fields: names of columns that the caller asks for.
    """
    lines = head.removeprefix(BOM).lstrip().split(b"\n", 2)[:2]
    if not lines[0] or (len(lines) > 1 and lines[1].lstrip().startswith(b"{")):
        return None
    first = lines[0].decode("utf-8", "replace").strip("\r")
    asked = frozenset(fields)
    for sign in "\t,;":
        try:
            names = frozenset(next(csv.reader([first], delimiter=sign), ()))
        except csv.Error:
            return None
        if len(names) > 1 and ((names & IDS and names & REPLIES) or (asked and asked <= names)):
            return sign
    return None


def text_rows(stream: IO[bytes], sign: str, limits: Limits) -> Iterator[Located]:
    """Yield the records of a CSV or TSV text.

    Args:
        stream: the text from its beginning.
        sign: what separates cells.
        limits: what is allowed.
    """
    csv.field_size_limit(limits.record)
    number = 0
    with TextIOWrapper(stream, "utf-8-sig", "replace", newline="") as text:
        rows = csv.reader(_lines(text, limits), delimiter=sign)
        try:
            names = next(rows, [])[:WIDEST]
            for number, row in enumerate(rows, 1):
                if row:
                    yield Located("row", number, record(names, row))
        except csv.Error as error:
            yield Located("row", number + 1, Stopped(f"reading stops here: {error}"))


def _lines(text: TextIOWrapper, limits: Limits) -> Iterator[str]:
    while line := text.readline(limits.record + 1):
        if len(line) > limits.record:
            raise csv.Error(f"a line is longer than {limits.record_mb} MiB")
        yield line


def record(names: list[str], row: Iterable[object]) -> dict[str, object]:
    """Return a row of a table as a record.

    Args:
        names: names of the columns.
        row: its cells; those behind the last name are left out.
    """
    found = dict(zip(names, row, strict=False))
    for name in _WHOLE & found.keys():
        value = found[name]
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
            found[name] = int(value)
        elif isinstance(value, float) and value.is_integer():
            found[name] = int(value)
    return found
