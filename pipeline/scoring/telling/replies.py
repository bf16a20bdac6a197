"""The replies table: what a model said, reply by reply, for whoever wants to read it.

Replies are written while they are judged, a block at a time, so that no more of them is held than
the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
