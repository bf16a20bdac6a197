"""Tables: CSV, TSV and XLSX files of predictions, one record a row, named by the first row.

An XLSX file is a zip file of XML (ECMA-376, part 1, 18.3 and 18.4): shared strings, and sheets of
which the first is read. It is read here with the standard library, within the limits of all other
files, because openpyxl has none. Cells are texts and numbers; formulas count as the value that was
saved with them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOWrapper
from typing import IO, Any
from xml.etree.ElementTree import ParseError, XMLPullParser

from facelet.pipeline.scoring.archives import Archive
from facelet.pipeline.scoring.documents import BOM, Located
from facelet.pipeline.scoring.limits import Limits
from facelet.pipeline.scoring.predictions import Unreadable

IDS = frozenset({"id", "index", "custom_id", "doc_id"})
REPLIES = frozenset(
    {"prediction", "response", "reply", "completion", "output", "messages", "error"}
)
"""Names of columns by which a table of predictions is told."""

_WHOLE = frozenset({"index", "doc_id", "sample_idx", "epoch", "sample"})
_WIDEST = 1000
"""Most columns of a table."""

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


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
            names = next(rows, [])[:_WIDEST]
            for number, row in enumerate(rows, 1):
                if row:
                    yield Located("row", number, record(names, row))
        except csv.Error as error:
            yield Located("row", number + 1, Unreadable(f"reading stops here: {error}"))


def _lines(text: TextIOWrapper, limits: Limits) -> Iterator[str]:
    while line := text.readline(limits.record + 1):
        if len(line) > limits.record:
            raise csv.Error(f"a line is longer than {limits.record_mb} MiB")
        yield line


def record(names: list[str], row: Iterable[Any]) -> dict[str, Any]:
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


def is_workbook(archive: Archive) -> bool:
    """Return whether a zip file is an XLSX workbook."""
    return "xl/workbook.xml" in archive.names


def workbook_rows(archive: Archive, limits: Limits) -> Iterator[Located]:
    """Yield the records of the first sheet of a workbook.

    Args:
        archive: the workbook.
        limits: what is allowed.
    """
    sheets = {int(m[1]): name for name in archive.names if (m := _SHEET.fullmatch(name))}
    number = 0
    try:
        if not sheets:
            raise ParseError("it has no sheet")
        shared = list(_shared(archive, limits))
        names: list[str] | None = None
        for cells in _rows(_member(archive, sheets[min(sheets)]), shared):
            width = min(max(cells, default=-1) + 1, _WIDEST)
            row = [cells.get(place, "") for place in range(width)]
            if names is None:
                names = [str(cell) for cell in row]
                continue
            number += 1
            yield Located("row", number, record(names, row + [""] * (len(names) - width)))
    except (ParseError, LookupError, ValueError) as error:
        yield Located("row", number + 1, Unreadable(f"reading stops here: {error}"))


def _member(archive: Archive, name: str) -> bytes:
    data = archive.read(name)
    if isinstance(data, Unreadable):
        raise ParseError(str(data))
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ParseError(f"{name} declares a document type, which no workbook does")
    return data


def _elements(data: bytes, tag: str) -> Iterator[Any]:
    """Yield the elements of a tag, each as it is complete; what came before it is forgotten."""
    parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
    parents: list[Any] = []
    for start in range(0, len(data), 65536):
        parser.feed(data[start : start + 65536])
        events: Iterator[Any] = parser.read_events()
        for event, element in events:
            if event == "start":
                parents.append(element)
                continue
            parents.pop()
            if element.tag == tag:
                yield element
                if parents:
                    parents[-1].remove(element)
    parser.close()


def _shared(archive: Archive, limits: Limits) -> Iterator[str]:
    if "xl/sharedStrings.xml" in archive.names:
        for count, item in enumerate(
            _elements(_member(archive, "xl/sharedStrings.xml"), f"{_MAIN}si")
        ):
            if count >= limits.values:
                raise ParseError(f"it has more than {limits.values:,} texts")
            yield _text(item)


def _text(item: Any) -> str:
    """Return the text of a string item: its runs, without phonetic ones, unescaped."""
    runs = [item, *item.iterfind(f"{_MAIN}r")]
    text = "".join(run.findtext(f"{_MAIN}t") or "" for run in runs)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _rows(data: bytes, shared: list[str]) -> Iterator[Mapping[int, Any]]:
    """Yield the rows of a sheet: cells by the number of their column, from 0."""
    for row in _elements(data, f"{_MAIN}row"):
        cells: dict[int, Any] = {}
        for place, cell in enumerate(row.iterfind(f"{_MAIN}c")):
            at = _column(cell.get("r") or "", place)
            if at < _WIDEST:
                cells[at] = _cell(cell, shared)
        yield cells


def _column(reference: str, place: int) -> int:
    """Return the number of a column, from 0: that of its letters, else its place in the row."""
    letters = reference.rstrip("0123456789")[:4]
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1 if letters else place


def _cell(cell: Any, shared: list[str]) -> Any:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_MAIN}v")
    if kind == "inlineStr":
        inline = cell.find(f"{_MAIN}is")
        return "" if inline is None else _text(inline)
    if value is None:
        return ""
    if kind == "s":
        return shared[int(value)]
    if kind == "n":
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return value
