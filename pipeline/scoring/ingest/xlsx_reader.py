"""Read the first sheet of an XLSX workbook, one record per row, named by the first row.

An XLSX file is a zip file of XML (ECMA-376, part 1, 18.3 and 18.4): shared strings, and sheets. It
is read with the standard library's expat, one row at a time, within the limits of all other files:
content between rows is dropped, and the number and depth of elements and the length of a tag are
bounded. Cells are texts and numbers. A formula counts as its saved value or, without one, as the
text that a tool mistook for a formula. Every cell that is no text is marked as changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar
from xml.parsers.expat import ExpatError, ParserCreate

from facelet.pipeline.scoring.ingest.archives import ZipArchive
from facelet.pipeline.scoring.ingest.csv_reader import WIDEST, find_located_row
from facelet.pipeline.scoring.ingest.ingest_limits import MEBI, IngestLimits, ReadStopped
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_SHARED = "xl/sharedStrings.xml"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CHUNK = 65536
_DEEPEST = 100
"""Most elements inside each other; a workbook has eight."""


def is_workbook(archive: ZipArchive) -> bool:
    """Return whether a zip file is an XLSX workbook."""
    return "xl/workbook.xml" in archive.names


def workbook_rows(archive: ZipArchive, limits: IngestLimits) -> Iterator[LocatedRecord]:
    """Yield the records of the first sheet of a workbook.

    Args:
        archive: the workbook.
        limits: what is allowed.
    """
    sheets = {int(m[1]): name for name in archive.names if (m := _SHEET.fullmatch(name))}
    number = 0
    try:
        if not sheets:
            raise ValueError("it has no sheet")
        shared: list[str] = []
        if _SHARED in archive.names:
            for text in _SharedTexts(limits).read(archive, _SHARED):
                shared.append(text)
                if len(shared) > limits.value_limit:
                    raise ValueError(f"it has more than {limits.value_limit:,} texts")
        names: list[str] | None = None
        for cells, changed in _SheetRows(limits, shared).read(archive, sheets[min(sheets)]):
            width = max(cells, default=-1) + 1
            row = [cells.get(place, "") for place in range(width)]
            if names is None:
                names = [str(cell) for cell in row]
                continue
            number += 1
            yield find_located_row(number, names, row + [""] * (len(names) - width), changed)
    except (ExpatError, LookupError, ValueError) as error:
        yield LocatedRecord("row", number + 1, ReadStopped(f"reading stops here: {error}"))


T = TypeVar("T")
Cell = str | int | float
Row = tuple[dict[int, Cell], dict[int, str]]
"""The cells of a row by their column, and how some are known to have been changed."""


class _XmlReader(Generic[T]):
    """Reads a member of a workbook and hands over what its elements make, as they end."""

    def __init__(self, limits: IngestLimits) -> None:
        self._most = limits.record_bytes // 16
        self._elements = 0
        self._path = ["", "", ""]  # names of the elements around a place, as if in three more
        self._found: list[T] = []
        self._held: list[str] | None = None

    def read(self, archive: ZipArchive, name: str) -> Iterator[T]:
        """Yield what a member holds.

        Raises:
            ValueError: it cannot be had, or goes beyond a limit.
            ExpatError: it is no XML.
        """
        data = archive.read(name)
        if isinstance(data, UnreadableRecord):
            raise data
        parser = ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_data
        parser.StartDoctypeDeclHandler = self._on_doctype
        for begin in range(0, len(data), _CHUNK):
            parser.Parse(data[begin : begin + _CHUNK], False)
            # A tag is scanned anew with each piece of it, so that a long one would take for ever.
            if begin - parser.CurrentByteIndex > MEBI:
                raise ValueError(f"{name} has a tag of more than 1 MiB")
            yield from self._found
            self._found.clear()
        parser.Parse(b"", True)

    def _on_start(self, name: str, given: Mapping[str, str]) -> None:
        self._elements += 1
        if self._elements > self._most:
            raise ValueError(f"it has more than {self._most:,} elements")
        if len(self._path) > _DEEPEST:
            raise ValueError("its elements are nested too deeply")
        self._path.append(name.removeprefix(_MAIN) if name.startswith(_MAIN) else "")
        self.begin_element(self._path[-1], given)

    def _on_end(self, _: str) -> None:
        self.end_element(self._path[-1])
        self._path.pop()

    def _on_data(self, text: str) -> None:
        if self._held is not None:
            self._held.append(text)

    def _on_doctype(self, *_: object) -> None:
        raise ValueError("it declares a document type, which no workbook does")

    def begin_element(self, name: str, given: Mapping[str, str]) -> None:
        """Note that an element of the main namespace ("" for another) begins."""
        raise NotImplementedError

    def end_element(self, name: str) -> None:
        """Note that it ends."""
        raise NotImplementedError


class _StringItems(_XmlReader[T]):
    """Reads the string items of a kind, each a text: its runs, without phonetic ones, unescaped."""

    ITEM = "si"

    def __init__(self, limits: IngestLimits) -> None:
        super().__init__(limits)
        self._runs: list[str] = []

    def begin_element(self, name: str, given: Mapping[str, str]) -> None:
        """Begin an item, or a text of one."""
        if name == self.ITEM:
            self._runs = []
        elif name == "t":
            third, second = self._path[-3:-1]
            if second == self.ITEM or (second == "r" and third == self.ITEM):
                self._held = self._runs

    def end_element(self, name: str) -> None:
        """End an item, or a text of one."""
        if name == "t":
            self._held = None
        elif name == self.ITEM:
            self.take_item(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), "".join(self._runs)))

    def take_item(self, text: str) -> None:
        """Take an item."""
        raise NotImplementedError


class _SharedTexts(_StringItems[str]):
    """Reads the texts that cells share."""

    def take_item(self, text: str) -> None:
        """Take a text."""
        self._found.append(text)


class _SheetRows(_StringItems[Row]):
    """Reads the rows of a sheet: cells by the number of their column, from 0."""

    ITEM = "is"

    def __init__(self, limits: IngestLimits, shared: list[str]) -> None:
        super().__init__(limits)
        self._shared = shared
        self._cells: dict[int, Cell] = {}
        self._changed: dict[int, str] = {}
        self._formula: list[str] | None = None
        self._place = self._at = -1
        self._kind = ""
        self._value: list[str] | None = None
        self._inline = ""

    def begin_element(self, name: str, given: Mapping[str, str]) -> None:
        """Begin a row, a cell, or what it holds."""
        if name == "row":
            self._cells, self._changed, self._place = {}, {}, -1
        elif name == "c" and self._path[-2] == "row":
            self._place += 1
            self._at = _column_number(given.get("r", ""), self._place)
            self._kind, self._value, self._inline = given.get("t", "n"), None, ""
            self._formula = None
        elif name == "v" and self._path[-2] == "c":
            self._held = self._value = []
        elif name == "f" and self._path[-2] == "c":
            self._held = self._formula = []
        else:
            super().begin_element(name, given)

    def end_element(self, name: str) -> None:
        """End a row, a cell, or what it holds."""
        if name == "row":
            self._found.append((self._cells, self._changed))
        elif name == "c" and self._path[-2] == "row":
            if self._at < WIDEST:
                self._cells[self._at] = self._read_cell()
        elif name in ("v", "f"):
            self._held = None
        else:
            super().end_element(name)

    def take_item(self, text: str) -> None:
        """Take the text that stands in a cell itself."""
        self._inline = text

    def _read_cell(self) -> Cell:
        if self._kind == "inlineStr":
            return self._inline
        value = "".join(self._value or ())
        if self._formula is not None:
            formula = "".join(self._formula)
            if formula and (not value or self._kind == "e"):
                self._changed[self._at] = "a formula without a value: a text that begins with ="
                return f"={formula}"
            self._changed[self._at] = "the value of a formula"
        if not value:
            return ""
        if self._kind == "s":
            return self._shared[int(value)]
        if self._kind == "n":
            self._changed.setdefault(self._at, "a number, whose spelling may be lost")
            number = float(value)
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        return {"0": "FALSE", "1": "TRUE"}.get(value, value) if self._kind == "b" else value


def _column_number(reference: str, place: int) -> int:
    """Return the number of a column, from 0: that of its letters, else its place in the row."""
    letters = reference.rstrip("0123456789")[:4]
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1 if letters else place
