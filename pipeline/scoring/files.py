"""Files: from a path to records, one at a time, whatever holds them.

Told by content, not by name: JSON Lines, one JSON document (a list of records, or an inspect_ai
log with its samples), either of them gzipped, inspect_ai's zipped `.eval`, and Parquet. What
cannot be read is yielded as an Unreadable in its place, and reading goes on behind it.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.scoring.predictions import Unreadable

MAX_LINE = 16 << 20
"""Longest line in bytes; a longer one is skipped without being held."""

MAX_DOCUMENT = 512 << 20
"""Largest file in bytes that is read as one JSON document."""

SUFFIXES = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".json.gz", ".parquet", ".eval")
"""What a folder of predictions is searched for."""

_HEAD = 1 << 20
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


class Located(NamedTuple):
    """A record, or what is wrong with it, and where it stands in its file."""

    unit: Literal["line", "record"]
    number: int
    value: Any


def find(spec: str, without: Path | None = None) -> list[Path]:
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
            what = f"holds no file that ends in {', '.join(SUFFIXES)}"
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


def read(path: Path) -> Iterator[Located]:
    """Yield the records of a file in order, and an Unreadable in the place of each broken one.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic == b"PK\x03\x04":
            yield from _zipped(raw)
        elif magic == b"PAR1":
            yield from _parquet(raw)
        elif magic[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=raw) as unzipped, io.BufferedReader(unzipped) as stream:
                yield from _text(stream)
        else:
            yield from _text(raw)


def parse(data: bytes) -> Any:
    """Return the JSON value of some bytes, or an Unreadable that says why there is none."""
    try:
        text = data.decode("utf-8")
        return json.loads(text) if (value := _parse(text)) is _BROKEN else value
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8: byte {data[error.start]:#04x} at offset {error.start}")
    except RecursionError:
        return Unreadable("JSON is nested too deeply")
    except ValueError as error:
        return Unreadable(f"not valid JSON: {str(error)[:200]}")


_BROKEN = object()
_DECODER = json.JSONDecoder()


def _parse(text: str) -> Any:
    """Return the JSON value of a text; of a broken one _BROKEN, for `json.loads` to say why.

    It is `json.loads` without what that does beside parsing, which for a short line is half of it.
    """
    bare = text.strip(" \t\n\r")
    try:
        value, end = _DECODER.raw_decode(bare)
    except json.JSONDecodeError:
        return _BROKEN
    return value if end == len(bare) else _BROKEN


def _text(stream: io.BufferedReader[Any]) -> Iterator[Located]:
    number = 0
    try:
        if _is_document(_head(stream)):
            stream.seek(0)
            data = stream.read(MAX_DOCUMENT + 1)
            whole = len(data) <= MAX_DOCUMENT
            document = parse(data.removeprefix(b"\xef\xbb\xbf")) if whole else None
            del data
            if isinstance(document, list | dict):
                yield from _document(document)
                return
        stream.seek(0)
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                while line and not line.endswith(b"\n"):
                    line = stream.readline(MAX_LINE)
                yield Located("line", number, Unreadable(f"longer than {MAX_LINE:,} bytes"))
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.isspace() or not line:
                continue
            value = parse(line)
            if _is_log(value):
                yield from _document(value)
            else:
                yield Located("line", number, value)
    except (EOFError, OSError, zlib.error) as error:
        yield Located("line", number + 1, Unreadable(f"the file breaks off here: {error}"))


def _head(stream: io.BufferedReader[Any]) -> bytes:
    head = b""
    try:
        while len(head) < _HEAD and (more := stream.read1(_HEAD - len(head))):
            head += more
    except (EOFError, OSError, zlib.error):
        # A damaged file: what can be read of it is read, and the damage met, line by line.
        return head
    return head


def _is_document(head: bytes) -> bool:
    # A JSON Lines file has a whole object in its first line; a document opens a bracket there.
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first, newline, _ = start.partition(b"\n")
    return start.startswith(b"[") or (
        start.startswith(b"{") and (first.strip() == b"{" or (not newline and len(head) == _HEAD))
    )


def _is_log(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def _document(document: list[Any] | dict[str, Any]) -> Iterator[Located]:
    if isinstance(document, list):
        for number, record in enumerate(document, 1):
            yield Located("record", number, record)
    elif not _is_log(document):
        yield Located("record", 1, document)
    elif not isinstance(samples := document.get("samples"), list):
        yield Located("record", 1, Unreadable("an inspect_ai log without samples"))
    else:
        for number, sample in enumerate(samples, 1):
            yield Located("record", number, _with_model(sample, document["eval"]))


def _with_model(sample: Any, spec: Mapping[str, Any]) -> Any:
    if isinstance(sample, dict) and isinstance(spec.get("model"), str):
        return {**sample, "model": spec["model"]}
    return sample


def _zipped(raw: IO[bytes]) -> Iterator[Located]:
    number = 0
    try:
        with zipfile.ZipFile(raw) as archive:
            spec: Any = {}
            for header in ("header.json", "_journal/start.json"):
                if header in archive.namelist():
                    value = _member(archive, header)
                    spec = value.get("eval") if isinstance(value, dict) else None
                    break
            for name in archive.namelist():
                if name.startswith("samples/") and name.endswith(".json"):
                    number += 1
                    sample = _member(archive, name)
                    spec = spec if isinstance(spec, dict) else {}
                    yield Located("record", number, _with_model(sample, spec))
            if not number:
                yield Located("record", 1, Unreadable("a zip file without inspect_ai samples"))
    except _ZIP_ERRORS as error:
        yield Located("record", number + 1, Unreadable(f"the zip file breaks off here: {error}"))


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        with archive.open(name) as file:
            data = file.read(MAX_DOCUMENT + 1)
    except NotImplementedError:
        return Unreadable(
            f"{name} is compressed in a way that this Python cannot read; "
            "convert the log with `inspect log convert --to json`"
        )
    except _ZIP_ERRORS as error:
        return Unreadable(f"{name}: {error}")
    return parse(data) if len(data) <= MAX_DOCUMENT else Unreadable(f"{name} is too large")


def _parquet(raw: IO[bytes]) -> Iterator[Located]:
    number = 0
    try:
        with pq.ParquetFile(raw) as file:
            # Only the columns that a prediction has; a dataset's images are never loaded.
            wanted = [name for name in file.schema_arrow.names if name not in ("images", "image")]
            for batch in file.iter_batches(batch_size=4096, columns=wanted, use_threads=False):
                for record in batch.to_pylist():
                    number += 1
                    yield Located("record", number, record)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield Located("record", number + 1, Unreadable(f"the file breaks off here: {reason[:200]}"))
