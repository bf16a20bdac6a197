"""Hash the rows of Arrow columns, 16 bytes each.

A row is hashed as its canonical JSON (BLAKE2b, with a name of its own). A compiled part writes and
hashes a row at a time from the buffers of its columns. Where it is missing, or refuses the buffers,
rows are hashed as Python values. Both give the same hashes.
"""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import pyarrow as pa

from facelet.generators.core.compiled_parts import load_compiled
from facelet.pipeline.dataset.content_hash import canonical_json

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
