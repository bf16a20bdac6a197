"""Convert Arrow columns to Python values and to canonical JSON, a column at a time.

The values are those of pyarrow's `to_pylist`, and the spelling that of `hashing.canonical_json`,
value by value. A column at a time values take a third of the time; canonical JSON is put together
by Arrow and takes a tenth.
"""

from __future__ import annotations

from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.pipeline.dataset.content_hash import canonical_json

_NULL = "null"
_PLAIN = bytes(code for code in range(0x20, 0x7F) if chr(code) not in '"\\')
"""The signs that JSON writes as they are."""


def to_python(column: pa.Array) -> list[Any]:
    """Return the values of a column as plain Python values."""
    kind = column.type
    if pa.types.is_string(kind) or (_is_number(kind) and not column.null_count):
        found: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return found
    if pa.types.is_list(kind):
        inner = iter(to_python(column.flatten()))
        lengths = to_python(column.value_lengths())
        return [None if size is None else list(islice(inner, size)) for size in lengths]
    found = column.to_pylist()
    return found


def to_json(column: pa.Array) -> pa.Array:
    """Return the canonical JSON of each value of a column, as texts of Arrow.

    Raises:
        ValueError: a number is not finite.
        TypeError: a value has no form in JSON.
    """
    kind = column.type
    if pa.types.is_string(kind):
        return _texts_to_json(column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.string()).fill_null(_NULL)
    if pa.types.is_list(kind):
        return _lists_to_json(column)
    if pa.types.is_float64(kind) and pc.all(pc.is_finite(column)).as_py() is not False:
        texts = ("null" if value is None else float.__repr__(value) for value in to_python(column))
        return pa.array(texts, pa.string())
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        if names and len(set(names)) == len(names):
            rows = rows_to_json(dict(zip(names, column.flatten(), strict=True)))
            return pc.if_else(column.is_valid(), rows, _NULL) if column.null_count else rows
    return pa.array(map(canonical_json, column.to_pylist()), pa.string())


def rows_to_json(columns: dict[str, pa.Array]) -> pa.Array:
    """Return the canonical JSON of rows as objects, as texts of Arrow.

    Args:
        columns: the columns by name, at least one.

    Raises:
        ValueError, TypeError: a value has no form in JSON; see `to_json`.
    """
    parts: list[pa.Array | pa.Scalar] = []
    before = "{"
    for name in sorted(columns):
        before += f"{quoted(name)}:"
        bare = _is_bare(columns[name])
        texts = columns[name] if bare else to_json(columns[name])
        sign = '"' if bare else ""
        # What all rows share is joined once.
        if len(texts) and texts[0].equals(texts[-1]) and pc.all(pc.equal(texts, texts[0])).as_py():
            before += f"{sign}{texts[0]}{sign},"
        else:
            parts += [pa.scalar(before + sign), texts]
            before = f"{sign},"
    end = pa.scalar(before[:-1] + "}")
    count = len(next(iter(columns.values())))
    return _concatenate(*parts, end) if parts else pa.repeat(end, count)


def _concatenate(*parts: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def _texts_to_json(column: pa.Array) -> pa.Array:
    """Return the canonical JSON of texts, each distinct one spelled once if it comes often."""
    if not _is_plain(column):
        encoded = column.dictionary_encode("encode")
        decoded = pa.array(map(_text_to_json, to_python(encoded.dictionary)), pa.string())
        return decoded.take(encoded.indices)
    return _concatenate('"', column, '"').fill_null(_NULL)


def _is_bare(column: pa.Array) -> bool:
    """Whether a column is texts that JSON writes as they are, between quotes."""
    return pa.types.is_string(column.type) and not column.null_count and _is_plain(column)


def _is_plain(column: pa.Array) -> bool:
    """Whether texts hold no sign that JSON writes otherwise."""
    _, places, data = column.buffers()
    if data is None or not len(column):
        return True
    first = np.frombuffer(places, np.int32)[column.offset]
    last = np.frombuffer(places, np.int32)[column.offset + len(column)]
    return not bytes(memoryview(data)[first:last]).translate(None, _PLAIN)


def _lists_to_json(column: pa.Array) -> pa.Array:
    """Return the canonical JSON of lists."""
    inner = to_json(column.flatten())  # Without what stands behind null lists.
    ends = np.cumsum(column.value_lengths().fill_null(0).to_numpy())
    offsets = pa.array(np.concatenate(([0], ends)), pa.int32())
    texts = _concatenate("[", pc.binary_join(pa.ListArray.from_arrays(offsets, inner), ","), "]")
    return pc.if_else(column.is_valid(), texts, _NULL) if column.null_count else texts


def _text_to_json(value: str | None) -> str:
    return _NULL if value is None else quoted(value)


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    )
