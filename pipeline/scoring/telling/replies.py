"""The replies table: what a model said, reply by reply, for whoever wants to read it.

Replies are written while they are judged, a block at a time, so that no more of them is held than
the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.files import whole
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
def replies_file(path: Path) -> Iterator[Keep]:
    """Yield what writes the replies of a block to a Parquet file, which is whole or not there.

    Args:
        path: where the file goes.
    """
    with whole(path) as file, pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:

        def keep(entries: Sequence[Kept]) -> None:
            if entries:
                writer.write_table(
                    pa.table(list(zip(*entries, strict=True)), schema=SCHEMA)  # a column a field
                )

        yield keep
