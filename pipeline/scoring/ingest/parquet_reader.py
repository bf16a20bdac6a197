"""Read the records of a Parquet file a few at a time, however far they unfold.

A repeated text is stored once in a Parquet file, and a list of one value takes a few bits per
element. So texts stay dictionary-coded until a record is built, sizes are computed before anything
is unfolded, and a record larger than the limit (`record_mb`) is a line of the report.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.ingest.ingest_limits import (
    IngestLimits,
    ReadStopped,
    UnpackMeter,
)
from facelet.pipeline.scoring.ingest.json_documents import LocatedRecord
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

_BATCH = 4096
_VALUE = 32
"""Bytes that a value is counted with, besides those of its text."""

_PICTURES = frozenset({"images", "image"})
"""Columns that no prediction has: a dataset's, never loaded."""


def iterate_records(raw: IO[bytes], limits: IngestLimits) -> Iterator[LocatedRecord]:
    """Yield the records of a Parquet file."""
    number = 0
    try:
        coded, batch = _list_coded_columns(raw, limits)
        meter = UnpackMeter(raw.seek(0, 2))
        raw.seek(0)
        with pq.ParquetFile(raw, read_dictionary=coded) as file:
            wanted = [name for name in file.schema_arrow.names if name not in _PICTURES]
            for group in range(file.num_row_groups):
                # One by one: Arrow joins no codes of two groups in lists.
                how = {"batch_size": batch, "columns": wanted, "use_threads": False}
                for rows in file.iter_batches(row_groups=[group], **how):
                    for value in _iterate_rows(rows, limits, meter):
                        number += 1
                        yield LocatedRecord("record", number, value)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield LocatedRecord(
            "record", number + 1, ReadStopped(f"the file breaks off here: {reason[:200]}")
        )


def _list_coded_columns(raw: IO[bytes], limits: IngestLimits) -> tuple[list[str], int]:
    """Return the columns of text that must stay coded, and how many rows to read at once.

    Coded text is slow to read, so it is only asked for where a dictionary could unfold to much.

    Raises:
        LimitExceeded: the file unpacks to more than any may.
    """
    size = raw.seek(0, 2)
    raw.seek(0)
    with pq.ParquetFile(raw) as file:
        leaves = [file.schema.column(index) for index in range(len(file.schema))]
        groups = [file.metadata.row_group(index) for index in range(file.num_row_groups)]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    held, batch = 0, _BATCH
    chunks: list[dict[str, list[pq.ColumnChunkMetaData]]] = [
        {_top_column(leaf.path): [] for leaf in leaves if _top_column(leaf.path) not in _PICTURES}
        for _ in groups
    ]
    for group, found in zip(groups, chunks, strict=True):
        for index, leaf in enumerate(leaves):
            if (name := _top_column(leaf.path)) in found:
                chunk = group.column(index)
                found[name].append(chunk)
                held += max(chunk.total_uncompressed_size, 4 * chunk.num_values)
                # A text may begin as the one before it: each is written out when it is read.
                batch = 1 if "DELTA_BYTE_ARRAY" in chunk.encodings else batch
    UnpackMeter(size).count_bytes(held)
    raw.seek(0)
    coded: set[str] = set()
    with pq.ParquetFile(raw, read_dictionary=texts) as file:
        for group, found in enumerate(chunks):
            names = list(found)
            for rows in islice(file.iter_batches(1, [group], names, use_threads=False), 1):
                for name, column in zip(rows.schema.names, rows.columns, strict=True):
                    values = sum(chunk.num_values for chunk in found[name])
                    plain = sum(chunk.total_uncompressed_size for chunk in found[name])
                    if _longest_text(column) * values > max(8 * plain, 8 * limits.record_bytes):
                        coded.add(name)
    return [path for path in texts if _top_column(path) in coded], batch


def _top_column(path: str) -> str:
    """Return the column of a row that a leaf is in."""
    return path.partition(".")[0]


def _longest_text(array: pa.Array) -> int:
    """Return the length in bytes of the longest text in the dictionaries of an array."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return int(pc.max(pc.binary_length(array.dictionary)).as_py() or 0)
    if pa.types.is_struct(kind):
        return max(
            (_longest_text(array.field(index)) for index in range(kind.num_fields)), default=0
        )
    if pa.types.is_map(kind):
        return max(_longest_text(array.keys), _longest_text(array.items))
    if pa.types.is_nested(kind):
        return _longest_text(array.values)
    return 0


def _iterate_rows(
    rows: pa.RecordBatch, limits: IngestLimits, meter: UnpackMeter
) -> Iterator[object]:
    """Yield the rows as dicts, as many unfolded at once as one record may take.

    Raises:
        LimitExceeded: the file unpacks to more than any may.
    """
    sizes = sum(
        (_list_unfolded_sizes(column) for column in rows.columns), np.zeros(rows.num_rows, np.int64)
    )
    start = 0
    while start < len(sizes):
        if sizes[start] > limits.record_bytes:
            yield UnreadableRecord(
                f"longer than {limits.record_mb} MiB (record_mb={limits.record_mb})"
            )
            start += 1
            continue
        within = np.cumsum(sizes[start:]) <= limits.record_bytes
        count = len(within) if within.all() else int(within.argmin())
        meter.count_bytes(int(sizes[start : start + count].sum()))
        yield from rows.slice(start, count).to_pylist()
        start += count


def _list_unfolded_sizes(array: pa.Array) -> Ints:
    """Return the approximate unfolded size of each element, in bytes."""
    kind = array.type
    sizes = np.full(len(array), _VALUE, np.int64)
    if pa.types.is_dictionary(kind):
        of_code = np.append(_list_unfolded_sizes(array.dictionary), _VALUE)
        sizes = of_code[array.indices.fill_null(len(of_code) - 1).to_numpy(zero_copy_only=False)]
    elif pa.types.is_struct(kind):
        sizes = sum(
            (_list_unfolded_sizes(array.field(index)) for index in range(kind.num_fields)), sizes
        )
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        inner = (array.keys, array.items) if pa.types.is_map(kind) else (array.values,)
        offsets = array.offsets.to_numpy()
        for values in inner:
            if pa.types.is_primitive(values.type):
                sizes += _VALUE * np.diff(offsets)
                continue
            sums = np.concatenate([[0], np.cumsum(_list_unfolded_sizes(values))])
            sizes += sums[offsets[1:]] - sums[offsets[:-1]]
    elif pa.types.is_fixed_size_list(kind):
        first, last = array.offset * kind.list_size, (array.offset + len(array)) * kind.list_size
        sizes += (
            _list_unfolded_sizes(array.values[first:last])
            .reshape(len(array), kind.list_size)
            .sum(axis=1)
        )
    elif pa.types.is_large_string(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind):
        sizes += pc.binary_length(array).fill_null(0).to_numpy()
    return sizes
