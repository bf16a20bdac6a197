"""Read the first sheet of an XLSX workbook, one record per row, named by the first row.

An XLSX file is a zip file of XML (ECMA-376, part 1, 18.3 and 18.4): shared strings, and sheets. It
is read with the standard library's expat, one row at a time, within the limits of all other files:
content between rows is dropped, and the number and depth of elements and the length of a tag are
bounded. Cells are texts and numbers. A formula counts as its saved value or, without one, as the
text that a tool mistook for a formula. Every cell that is no text is marked as changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

from facelet.pipeline.scoring.ingest.archives import ZipArchive
from facelet.pipeline.scoring.ingest.csv_reader import WIDEST, find_located_row
from facelet.pipeline.scoring.ingest.ingest_limits import MEBI, IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_ITEMS = ("si", "is")
"""String items: of the shared texts, and inside a cell."""

_SHARED = "xl/sharedStrings.xml"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CHUNK = 65536
_DEEPEST = 100
"""Most nested elements; a workbook has eight."""


def workbook_rows(archive: ZipArchive, limits: IngestLimits) -> Iterator[LocatedRecord]:
    """Yield the records of the first sheet of a workbook.

    Args:
        archive: the workbook.
        limits: the limits.
    """
    sheets = {int(m[1]): name for name in archive.names if (m := _SHEET.fullmatch(name))}
    number = 0
    try:
        if not sheets:
            raise ValueError("it has no sheet")
        shared: list[str] = []
        if _SHARED in archive.names:
            for text in _WorkbookParser(limits, "si").read(archive, _SHARED):
                shared.append(text)
                if len(shared) > limits.value_limit:
                    raise ValueError(f"it has more than {limits.value_limit:,} texts")
        names: list[str] | None = None
        for cells, changed in _WorkbookParser(limits, "row", shared).read(
            archive, sheets[min(sheets)]
        ):
            width = max(cells, default=-1) + 1
            row = [cells.get(place, "") for place in range(width)]
            if names is None:
                names = [str(cell) for cell in row]
                continue
            number += 1
            yield find_located_row(number, names, row + [""] * (len(names) - width), changed)
    except (ExpatError, LookupError, ValueError) as error:
        yield LocatedRecord("row", number + 1, ReadStopped(f"reading stops here: {error}"))


Cell = str | int | float


class _WorkbookParser:
    """Parses a member of a workbook: the texts of shared strings, or the rows of a sheet.

    A row is a pair: its cells by their column, from 0, and how some are known to have been changed.

    Args:
        limits: the limits.
        item: the element to yield: "si", a shared text, or "row".
        shared: the texts that cells share.
    """

    def __init__(self, limits: IngestLimits, item: str, shared: Sequence[str] = ()) -> None:
        self._most, self._item, self._shared = limits.record_bytes // 16, item, shared
        self._elements = 0
        self._path = ["", "", ""]  # names of the open elements, below three unnamed ones
        self._found: list[Any] = []
        self._text: list[str] | None = None  # receives the characters of the open element
        self._runs: list[str] = []
        self._parts: dict[str, list[str]] = {}
        self._cells: dict[int, Cell] = {}
        self._changed: dict[int, str] = {}
        self._place = self._column = -1
        self._kind = ""

    def read(self, archive: ZipArchive, name: str) -> Iterator[Any]:
        """Yield the items of a member as they end.

        Raises:
            ValueError: it cannot be read, or exceeds a limit.
            ExpatError: it is no XML.
        """
        data = archive.read(name)
        if isinstance(data, UnreadableRecord):
            raise data
        parser = ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._begin_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._add_text
        parser.StartDoctypeDeclHandler = _refuse_doctype
        for begin in range(0, len(data), _CHUNK):
            parser.Parse(data[begin : begin + _CHUNK], False)
            # Each chunk scans an open tag anew, so a long one would take quadratic time.
            if begin - parser.CurrentByteIndex > MEBI:
                raise ValueError(f"{name} has a tag of more than 1 MiB")
            yield from self._found
            self._found.clear()
        parser.Parse(b"", True)

    def _begin_element(self, name: str, given: Mapping[str, str]) -> None:
        self._elements += 1
        if self._elements > self._most:
            raise ValueError(f"it has more than {self._most:,} elements")
        if len(self._path) > _DEEPEST:
            raise ValueError("its elements are nested too deeply")
        tag = name.removeprefix(_MAIN) if name.startswith(_MAIN) else ""
        around, parent = self._path[-2:]
        self._path.append(tag)
        if tag in _ITEMS:
            self._runs = []
        elif tag == "t" and (parent in _ITEMS or (parent == "r" and around in _ITEMS)):
            self._text = self._runs  # phonetic runs have another parent
        elif tag == "row":
            self._cells, self._changed, self._place = {}, {}, -1
        elif tag == "c" and parent == "row":
            self._place += 1
            self._column = _column_number(given.get("r", ""), self._place)
            self._kind, self._parts, self._runs = given.get("t", "n"), {}, []
        elif tag in ("v", "f") and parent == "c":
            self._text = self._parts[tag] = []

    def _end_element(self, _: str) -> None:
        if (tag := self._path.pop()) in ("t", "v", "f"):
            self._text = None
        elif tag == self._item:
            row = self._cells, self._changed
            self._found.append(row if tag == "row" else _join_runs(self._runs))
        elif tag == "c" and self._path[-1] == "row" and self._column < WIDEST:
            self._cells[self._column] = self._read_cell()

    def _add_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _read_cell(self) -> Cell:
        if self._kind == "inlineStr":
            return _join_runs(self._runs)
        value = "".join(self._parts.get("v", ()))
        if "f" in self._parts:
            if (formula := "".join(self._parts["f"])) and (not value or self._kind == "e"):
                self._changed[self._column] = "a formula without a value: a text that begins with ="
                return f"={formula}"
            self._changed[self._column] = "the value of a formula"
        if not value:
            return ""
        if self._kind == "s":
            return self._shared[int(value)]
        if self._kind == "n":
            self._changed.setdefault(self._column, "a number, whose spelling may be lost")
            number = float(value)
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        return {"0": "FALSE", "1": "TRUE"}.get(value, value) if self._kind == "b" else value


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it declares a document type, which no workbook does")


def _join_runs(runs: Iterable[str]) -> str:
    """Return the text of a string item, unescaped."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), "".join(runs))


def _column_number(reference: str, place: int) -> int:
    """Return the number of a column, from 0: that of its letters, else its place in the row."""
    letters = reference.rstrip("0123456789")[:4]
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1 if letters else place
