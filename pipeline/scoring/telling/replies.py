"""The replies table: what a model said, reply by reply, for whoever wants to read it.

Replies are written while they are judged, a block at a time, so that no more of them is held than
the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.files import whole
from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.judging.ledger import Keep, Kept

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("model", pa.string()),
        ("sample_idx", pa.int32()),
        ("replies", pa.list_(pa.string())),
    ]
)
"""Columns of the table: the row, the model, which of its samples, and the replies that count."""


@contextmanager
def replies_file(path: Path, dataset: Dataset, models: Mapping[str, int]) -> Iterator[Keep]:
    """Yield what writes the replies of a block to a Parquet file, which is whole or not there.

    Args:
        path: where the file goes.
        dataset: the dataset whose rows are answered.
        models: codes of the models by name; it may grow meanwhile.
    """
    with whole(path) as file, pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:

        def keep(entries: Sequence[Kept]) -> None:
            if entries:
                writer.write_table(_table(entries, dataset, list(models)))

        yield keep


def _table(entries: Sequence[Kept], dataset: Dataset, names: Sequence[str]) -> pa.Table:
    """Return the entries of a block as rows of the table."""
    rows = np.array([one.row for one in entries], dtype=np.int64)
    ids = np.empty(len(rows), dtype=object)
    for part in dataset.parts:
        inside = np.flatnonzero((rows >= part.start) & (rows < part.start + part.count))
        if len(inside):
            places = pa.array(rows[inside] - part.start)
            ids[inside] = part.column("id").take(places).to_pylist()
    return pa.table(
        {
            "id": pa.array(ids.tolist(), pa.string()),
            "model": pa.array([names[one.model] for one in entries], pa.string()),
            "sample_idx": pa.array([one.sample for one in entries], pa.int32()),
            "replies": pa.array([one.replies for one in entries], pa.list_(pa.string())),
        },
        schema=SCHEMA,
    )
