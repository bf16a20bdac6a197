"""Read the records of a prediction file of any supported type, one at a time.

The type is detected by content, not by name: JSON Lines, one JSON document (a list of records, or
an inspect_ai log with its samples), CSV and TSV, each also packed with gzip or zstd; inspect_ai's
zipped `.eval`, XLSX workbooks, and Parquet. An unreadable record is yielded as an UnreadableRecord
in its place, and reading continues after it, within the limits of
`facelet.pipeline.scoring.ingest.ingest_limits`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import IO

from facelet.pipeline.dataset.input_files import open_input_file
from facelet.pipeline.scoring.ingest import archives, csv_reader, parquet_reader, xlsx_reader
from facelet.pipeline.scoring.ingest.ingest_limits import (
    MEBI,
    IngestLimits,
    LimitExceeded,
    ReadStopped,
    ReadWatch,
)
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord, parse_record, with_model
from facelet.pipeline.scoring.ingest.json_stream import text_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

_PLAIN = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
SUFFIXES = (
    *_PLAIN,
    *(f"{suffix}{packed}" for suffix in _PLAIN for packed in (".gz", ".zst")),
    *(".parquet", ".eval", ".xlsx"),
)
"""What a folder of predictions is searched for."""

_UNFINISHED = (
    "the zip file breaks off: it has no table of contents, as one that was not finished; what is "
    "whole in it was read"
)

_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How texts in UTF-16 begin."""


def find_files(spec: str, without: Path | None = None) -> list[Path]:
    """Return the files that a text names: paths, folders and patterns, separated by commas.

    Args:
        spec: such as "a.jsonl,b.jsonl", "runs/*.jsonl" or a folder, which is searched in depth.
        without: a folder whose files are left out of folders and patterns, such as the output's.

    Raises:
        ValueError: a part names no file.
    """
    found: dict[Path, None] = {}
    for part in [spec] if Path(spec).exists() else spec.split(","):
        name = part.strip()
        path = Path(name).expanduser()
        if not name:
            raise ValueError(f"predictions={spec}: an empty part names no file")
        if path.is_file():
            found[path] = None
            continue
        if path.is_dir():
            files = (file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
            what = f"contains no file that ends in {', '.join(SUFFIXES)}"
        else:
            files = (Path(match) for match in glob(str(path), recursive=True))
            what = "names no file"
        inside = without.resolve() if without else None
        matches = sorted(
            file
            for file in files
            if file.is_file() and (inside is None or inside not in file.resolve().parents)
        )
        if not matches:
            raise ValueError(f"predictions={spec}: {name!r} {what}; give a file, folder or pattern")
        found.update(dict.fromkeys(matches))
    return list(found)


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A place in a text file of lines, where one that begins an object begins.

    Attributes:
        start: number of bytes before it.
        line: number of lines before it.
        scarred: whether a value was broken there.
        taken: processor seconds of reading everything before it.
    """

    start: int
    line: int
    scarred: bool = False
    taken: float = 0.0


def read_records(
    path: Path,
    limits: IngestLimits | None = None,
    fields: Iterable[str] = (),
    place: LinePlace | None = None,
) -> Iterator[LocatedRecord]:
    """Yield the records of a file in order, and an Unreadable in the place of each broken one.

    Args:
        path: the file.
        limits: the limits.
        fields: names of fields that the caller will ask for; a table that has them is one.
        place: where to begin, in a file that `begins_lines`; at its beginning by default.

    Raises:
        OSError: the file cannot be opened.
    """
    limits = limits or IngestLimits()
    with open_input_file(path) as raw:
        last = LocatedRecord("record", 0, None)
        try:
            size = os.fstat(raw.fileno()).st_size
            if place is None:
                watch, found = ReadWatch(limits, size), _iterate_records(raw, limits, fields)
            else:
                raw.seek(place.start)
                watch = ReadWatch(limits, size, place.taken)
                found = text_records(raw, limits, place.line, scarred=place.scarred)
            for last in watch.watch_records(found):
                yield last
        except LimitExceeded as error:
            yield LocatedRecord(
                last.unit, last.number + 1, ReadStopped(f"reading stops here: {error}")
            )


def begins_lines(path: Path, fields: Iterable[str] = ()) -> bool:
    """Return whether a file is unpacked text whose first line begins an object.

    Args:
        path: the file.
        fields: names of fields that the caller will ask for.

    Raises:
        OSError: it cannot be opened.
    """
    with open_input_file(path) as raw:
        if raw.read(1) != b"{":
            return False
        raw.seek(0)
        return csv_reader.delimiter(_read_head(raw), fields) is None


def _iterate_records(
    raw: IO[bytes], limits: IngestLimits, fields: Iterable[str]
) -> Iterator[LocatedRecord]:
    """Yield the records of a file by its content."""
    magic = raw.read(4)
    raw.seek(0)
    if magic == archives.ZIP:
        return _iterate_zipped(raw, limits)
    if magic == b"PAR1":
        return parquet_reader.iterate_records(raw, limits)
    return _iterate_text_records(raw, limits, fields)


def _iterate_text_records(
    raw: IO[bytes], limits: IngestLimits, fields: Iterable[str]
) -> Iterator[LocatedRecord]:
    """Yield the records of a text, which may be packed."""
    last = LocatedRecord("line", 0, None)
    try:
        head = _read_head(archives.unpack_stream(raw))
        if head.startswith(_WIDE) and 4 * head.count(0) > len(head):
            yield LocatedRecord("line", 1, ReadStopped("the text is UTF-16; save it as UTF-8"))
            return
        sign = csv_reader.delimiter(head, fields)
        raw.seek(0)
        stream = archives.unpack_stream(raw)
        found = (
            text_records(stream, limits)
            if sign is None
            else csv_reader.text_rows(stream, sign, limits)
        )
        for last in found:
            yield last
    except archives.ERRORS as error:
        reason = ReadStopped(f"the file breaks off here: {error}")
        yield LocatedRecord(last.unit, last.number + 1, reason)


def _read_head(stream: IO[bytes]) -> bytes:
    """Return the beginning of a text, as far as it can be read."""
    head = b""
    try:
        while len(head) < MEBI and (more := stream.read(65536)):
            head += more
    except archives.ERRORS:
        return head
    return head


def _iterate_zipped(raw: IO[bytes], limits: IngestLimits) -> Iterator[LocatedRecord]:
    number = 0
    try:
        archive = archives.ZipArchive(raw, limits)
        if "xl/workbook.xml" in archive.names:
            for located in xlsx_reader.workbook_rows(archive, limits):
                number = located.number
                yield located
            if not archive.whole:
                yield LocatedRecord("row", number + 1, ReadStopped(_UNFINISHED))
            return
        spec: object = {}
        for header in ("header.json", "_journal/start.json"):
            if header in archive.names:
                value = _read_member(archive, header, limits)
                spec = value.get("eval") if isinstance(value, dict) else None
                break
        for name in archive.names:
            if name.startswith("samples/") and name.endswith(".json"):
                number += 1
                sample = _read_member(archive, name, limits)
                spec = spec if isinstance(spec, dict) else {}
                yield LocatedRecord("record", number, with_model(sample, spec))
        if not archive.whole:
            yield LocatedRecord("record", number + 1, ReadStopped(_UNFINISHED))
        elif not number:
            yield LocatedRecord("record", 1, ReadStopped("a zip file without inspect_ai samples"))
    except archives.ERRORS as error:
        yield LocatedRecord(
            "record", number + 1, ReadStopped(f"the zip file breaks off here: {error}")
        )


def _read_member(archive: archives.ZipArchive, name: str, limits: IngestLimits) -> object:
    data = archive.read(name)
    return data if isinstance(data, UnreadableRecord) else parse_record(data, limits)
