"""What the writing options do to the bytes, seen from the bytes."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.generators.core.task import Column
from facelet.pipeline.build.emit_stage import BYTES, parquet_options
from facelet.pipeline.dataset.row_columns import arrow_schema


def write_bytes(table, **changes):
    sink = io.BytesIO()
    options = {**parquet_options(table.schema), **changes}
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.fixture(scope="module")
def texts():
    data = np.random.default_rng(5).bytes(150 * 20_000).hex()
    return [data[i : i + 300] for i in range(0, len(data), 300)]


def shared_share(left, right):
    """Share of short samples of one file that the other has somewhere as well."""
    samples = [left[i : i + 32] for i in range(1000, len(left) - 20_000, 5000)]
    return sum(sample in right for sample in samples) / len(samples)


def test_an_inserted_row_leaves_most_of_the_bytes_alone(texts):
    whole = pa.table({"text": texts})
    grown = pa.table({"text": ["x" * 300, *texts]})
    assert shared_share(write_bytes(whole), write_bytes(grown)) > 0.7
    plain = {"use_content_defined_chunking": False}
    assert shared_share(write_bytes(whole, **plain), write_bytes(grown, **plain)) < 0.2


def test_pictures_are_stored_as_they_are():
    picture = np.random.default_rng(1).bytes(5000)
    kind = arrow_schema([Column("text", "string", "")])
    row = {name: None for name in kind.names}
    row |= {"images": [{"bytes": picture, "path": "p"}], "text": "words " * 2000}
    data = write_bytes(pa.Table.from_pylist([row], schema=kind))
    assert data.count(picture) == 1
    assert b"words words" not in data
    metadata = pq.read_metadata(io.BytesIO(data)).row_group(0)
    columns = {
        metadata.column(i).path_in_schema: metadata.column(i) for i in range(metadata.num_columns)
    }
    assert not columns[BYTES].is_stats_set
    assert columns["text"].is_stats_set
    assert all(column.has_offset_index for column in columns.values())
