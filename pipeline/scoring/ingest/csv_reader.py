"""Read CSV and TSV files of predictions, one record per row, named by the first row.

Spreadsheets change texts: they cut them at a size limit, take them for formulas, numbers, truth
values or dates, and save them in legacy encodings. A cell that is certainly lost is refused; a cell
that looks changed is marked, and its reply is graded as it is.

`facelet.pipeline.scoring.ingest.xlsx_reader` reads the rows of XLSX files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import IO

from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import BOM, LocatedRecord
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

IDS = frozenset({"id", "index", "custom_id", "doc_id"})
TEXTS = frozenset({"prediction", "response", "reply", "completion", "output", "messages"})
REPLIES = TEXTS | {"error"}
"""Names of columns of replies, and of those by which a table of predictions is detected."""

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


_CELL = 32_767
"""Most characters of a cell of a workbook; one beyond U+FFFF counts twice."""

_SIZES = frozenset({_CELL, 50_000, 65_535})
"""Most characters of a cell in Excel, Google Sheets and older LibreOffice."""

_ERRORS = frozenset(
    {
        *("#NAME?", "#VALUE!", "#REF!", "#DIV/0!", "#N/A", "#NULL!", "#NUM!", "#SPILL!", "#CALC!"),
        *("#FIELD!", "#BLOCKED!", "#GETTING_DATA", "#CONNECT!", "#BUSY!", "#UNKNOWN!", "#ERROR!"),
    }
)
"""What a workbook shows in place of a formula that has no value."""

_STRANGE = re.compile("[\udc80-\udcff]")
_CHANGED = (
    (re.compile(r"[+-]?[0-9.,]+(?:[eE][+-]?[0-9]+)?"), "a number, whose spelling may be lost"),
    (re.compile("TRUE|FALSE"), "a truth value, whose spelling may be lost"),
    (
        re.compile(r"[0-9]{1,4}([-/.])(?:[0-9]{1,2}|[A-Z][a-z]{2})(?:\1[0-9]{2,4})?(?: [0-9:]+)?"),
        "a date, which may have been something else",
    ),
)


def damage_of(text: str) -> str:
    """Return how a table may have damaged the text of a cell; "" where nothing suggests that."""
    if not text:
        return "the cell is empty"
    # What is beyond U+FFFF counts twice, and none is halved.
    if len(text) in _SIZES or (
        len(text) >= _CELL // 2 and len(text.encode("utf-16-le", "replace")) // 2 - _CELL in (-1, 0)
    ):
        return f"{len(text):,} characters are the most of a cell: what followed may be cut"
    if not text.isascii() and "\ufffd" in text:
        return "a replacement character marks a lost sign"
    if not text.isascii() and _is_recoded(text):
        return "UTF-8 that was read as Windows-1252 or Latin-1"
    bare = text.strip() if len(text) < 40 else ""
    return next((why for pattern, why in _CHANGED if pattern.fullmatch(bare)), "")


def _is_recoded(text: str) -> bool:
    """Return whether a text is UTF-8 that was read in an encoding of one byte a sign."""
    for encoding in ("cp1252", "latin-1"):
        with suppress(UnicodeError):
            return bool(text.encode(encoding).decode())
    return False


def lost_in(text: object) -> UnreadableRecord | None:
    """Return why the text of a cell is lost, if it is."""
    if isinstance(text, str) and text.strip() in _ERRORS:
        return UnreadableRecord(f"the cell contains the error {text.strip()} in place of a reply")
    return None


def text_rows(stream: IO[bytes], sign: str, limits: IngestLimits) -> Iterator[LocatedRecord]:
    """Yield the records of a CSV or TSV text.

    Args:
        stream: the text from its beginning.
        sign: what separates cells.
        limits: the limits.
    """
    csv.field_size_limit(limits.record_bytes)
    number = 0
    with TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
        rows = csv.reader(_lines(text, limits), delimiter=sign)
        try:
            names = next(rows, [])[:WIDEST]
            for number, row in enumerate(rows, 1):
                if strange := next(filter(None, map(_STRANGE.search, row)), None):
                    yield LocatedRecord("row", number, not_utf8(ord(strange[0]) - 0xDC00))
                elif row:
                    yield find_located_row(number, names, row)
        except csv.Error as error:
            yield LocatedRecord("row", number + 1, ReadStopped(f"reading stops here: {error}"))


def not_utf8(byte: int) -> UnreadableRecord:
    """Return the reason why a row in another encoding is refused."""
    return UnreadableRecord(
        f"not UTF-8: byte {byte:#04x}; UTF-8 was tried, with and without a byte order mark. Save "
        "the table as UTF-8: what another encoding makes of it is a guess"
    )


def find_located_row(
    number: int, names: list[str], row: Sequence[object], changed: Mapping[int, str] | None = None
) -> LocatedRecord:
    """Return a row of a table as a record, with what may have been damaged.

    Args:
        number: its place, from 1.
        names: names of the columns.
        row: its cells; those after the last name are left out.
        changed: how cells are known to have been changed, by their column.
    """
    damage = dict(changed or {})
    for place, cell in enumerate(row):
        if place not in damage and isinstance(cell, str) and (why := damage_of(cell)):
            damage[place] = why
    damage_by_name = {names[place]: why for place, why in damage.items() if place < len(names)}
    found = dict(zip(names, row, strict=False))
    for name in _WHOLE & found.keys():
        value = found[name]
        if (isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16) or (
            isinstance(value, float) and value.is_integer()
        ):
            found[name] = int(value)
    return LocatedRecord("row", number, found, damage_by_name)


def _lines(text: TextIOWrapper, limits: IngestLimits) -> Iterator[str]:
    while line := text.readline(limits.record_bytes + 1):
        if len(line) > limits.record_bytes:
            raise csv.Error(f"a line is longer than {limits.record_mb} MiB")
        yield line
