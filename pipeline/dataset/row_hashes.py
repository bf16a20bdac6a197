"""Hash values, files and rows.

A hash is a lower-case hexadecimal string. Values are hashed as canonical JSON, which has sorted
keys, no spaces and only ASCII, so equal values have equal bytes on every machine and under every
PYTHONHASHSEED. Files are hashed by SHA-256.

A row is hashed as its canonical JSON (BLAKE2b, personalized). A compiled part writes and hashes a
row at a time from the buffers of its columns. Where it is missing, or refuses the buffers, rows are
hashed as Python values. Both give the same hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.generators.core.compiled_parts import load_compiled
from facelet.pipeline.dataset.input_files import open_input_file

LIBRARIES = ("datasets", "huggingface_hub", "numpy", "pillow", "pyarrow")
"""Libraries whose version can show in the bytes of a dataset."""

RECORD_HASH = "record_hash"
"""The key of a sealed record under which the hash of the rest stands."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
"""`json.dumps` would make one a value, which for a row is a tenth of its hash."""


def canonical_json(value: object) -> str:
    """Return the one spelling of a value made of dicts, sequences, strings, numbers and None.

    Raises:
        ValueError: a number is not finite.
        TypeError: the value holds something that JSON has no form for.
    """
    return _CANONICAL.encode(value)


def hash_value(value: object, *, size: int = 16) -> str:
    """Return the BLAKE2b hash of the canonical JSON of a value, of `size` bytes."""
    return hashlib.blake2b(canonical_json(value).encode(), digest_size=size).hexdigest()


def seal_record(content: Mapping[str, object]) -> dict[str, object]:
    """Return a record with the hash of its content, so that a changed one is noticed."""
    return {**content, RECORD_HASH: hash_value(content)}


def open_record(content: object) -> dict[str, Any]:
    """Return the content of a sealed record, as JSON gives it.

    Raises:
        ValueError: it is not one, or was changed.
    """
    if isinstance(content, dict):
        inside = {name: value for name, value in content.items() if name != RECORD_HASH}
        if content.get(RECORD_HASH) == hash_value(inside):
            return inside
    raise ValueError("the record was changed, or is none")


def hash_sequence(hashes: Iterable[str], *, size: int = 16) -> str:
    """Return the BLAKE2b hash over hashes in their order; no hash at all has one too."""
    state = hashlib.blake2b(digest_size=size)
    for item in hashes:
        state.update(bytes.fromhex(item))
    return state.hexdigest()


def hash_digests(digests: bytes, *, size: int = 16) -> str:
    """Return what `hash_sequence` does, of hashes as bytes, one after the other."""
    return hashlib.blake2b(digests, digest_size=size).hexdigest()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as `sha256sum` prints it."""
    with open_input_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def library_versions() -> dict[str, str]:
    """Return the versions of the libraries whose version can show in a dataset's bytes."""
    found: dict[str, str] = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


SIZE = 16
"""Bytes of a hash."""

_PERSON = b"facelet-row-v1"
_STATE = hashlib.blake2b(digest_size=SIZE, person=_PERSON)
_WIDE = True
"""Whether some rows are hashed at once, where the processor can."""
_DEEPEST = 8
"""Lists and structs inside each other that the compiled part is handed, at most."""
_KINDS = {
    pa.bool_(): "?",
    pa.string(): "t",
    pa.float64(): "d",
    **dict(zip((pa.int8(), pa.int16(), pa.int32(), pa.int64()), "bhiq", strict=True)),
    **dict(zip((pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()), "BHIQ", strict=True)),
}
"""What the compiled part calls the types that it spells, beside lists and structs."""

_part = load_compiled("facelet.pipeline.dataset._digests")

ColumnBuffers = tuple[str, int, int, Any, Any, Any, tuple[Any, ...], tuple[bytes, ...]]
"""A column as the compiled part takes it: kind, offset and length in values; the buffers of what is
valid, of offsets and of data, or None; the columns inside, and what stands before each of them."""


def hash_row(data: bytes | memoryview) -> bytes:
    """Return the hash of a row from its canonical JSON."""
    state = _STATE.copy()
    state.update(data)
    return state.digest()


def hash_rows(columns: dict[str, pa.Array]) -> bytes:
    """Return the hashes of rows, one after the other.

    Args:
        columns: their columns by name, at least one, all of one length.

    Raises:
        ValueError, TypeError: a value has no form in JSON, or a text is not UTF-8.
    """
    if _part is not None and all(_is_known(column.type) for column in columns.values()):
        described = _describe_rows(
            {name: _describe_column(column) for name, column in columns.items()}
        )
        made: bytes | None = _part.digests(described, _PERSON.ljust(16, b"\0"), _WIDE)
        if made is not None:
            return made
    rows = pa.RecordBatch.from_arrays([*columns.values()], [*columns]).to_pylist()
    return b"".join(hash_row(canonical_json(row).encode()) for row in rows)


def _is_known(kind: pa.DataType, depth: int = 0) -> bool:
    """Whether the compiled part spells values of a type."""
    if pa.types.is_list(kind):
        return depth < _DEEPEST and _is_known(kind.value_type, depth + 1)
    if pa.types.is_struct(kind):
        names = {field.name for field in kind}
        return (
            depth < _DEEPEST
            and 0 < len(names) == kind.num_fields
            and all(_is_known(field.type, depth + 1) for field in kind)
        )
    return kind in _KINDS


def _describe_column(column: pa.Array) -> ColumnBuffers:
    kind, (valid, *others) = column.type, column.buffers()
    if pa.types.is_list(kind):
        return (
            "l",
            column.offset,
            len(column),
            valid,
            others[0],
            None,
            (_describe_column(column.values),),
            (),
        )
    if pa.types.is_struct(kind):
        # Of these the first value is that of the first row, whatever the offset.
        inside = {
            field.name: _describe_column(column.field(place)) for place, field in enumerate(kind)
        }
        return _describe_rows(inside, column.offset, len(column), valid)
    places = others[0] if kind == pa.string() else None
    return _KINDS[kind], column.offset, len(column), valid, places, others[-1], (), ()


def _describe_rows(
    inside: dict[str, ColumnBuffers], offset: int = 0, count: int = -1, valid: Any = None
) -> ColumnBuffers:
    names = sorted(inside)
    heads = tuple(f"{'{,'[place > 0]}{quoted(name)}:".encode() for place, name in enumerate(names))
    columns = tuple(inside[name] for name in names)
    return "s", offset, columns[0][2] if count < 0 else count, valid, None, None, columns, heads
