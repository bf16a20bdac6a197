"""The replies table: what a model said, reply by reply, for whoever wants to read it.

Replies are written while they are judged, a block at a time, so that no more of them is held than
the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.files import whole
from facelet.pipeline.scoring.judging.blocks import REPLIES
from facelet.pipeline.scoring.judging.ledger import Keep


@contextmanager
def replies_file(path: Path) -> Iterator[Keep]:
    """Yield what writes the replies of a block to a Parquet file, which is whole or not there.

    Args:
        path: where the file goes.
    """
    with whole(path) as file, pq.ParquetWriter(file, REPLIES, compression="zstd") as writer:
        yield writer.write_table


def rename_models(path: Path, names: Mapping[str, str]) -> None:
    """Give models of a replies file other names.

    Args:
        path: the file.
        names: the new names by the old ones.
    """
    place = REPLIES.get_field_index("model")
    with pq.ParquetFile(path) as file, replies_file(path) as keep:
        for batch in file.iter_batches():
            old = batch.column(place).to_pylist()
            new = pa.array([names.get(name, name) for name in old], pa.string())
            keep(pa.Table.from_batches([batch]).set_column(place, REPLIES.field(place), new))
