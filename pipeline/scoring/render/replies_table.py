"""Write the replies table: what a model replied to each row.

Replies are written while they are graded, block by block, so that the writer holds no more of them
than the scorer holds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.atomic_files import write_atomically
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.grade.outcome_store import Keep
from facelet.pipeline.scoring.grade.prediction_blocks import REPLIES


@contextmanager
def replies_file(path: Path) -> Iterator[Keep]:
    """Yield what writes the replies of a block to a Parquet file, which is whole or not there.

    Args:
        path: where the file goes.
    """
    with (
        write_atomically(path) as file,
        pq.ParquetWriter(file, REPLIES, compression="zstd") as writer,
    ):
        yield writer.write_table


def relabel_replies(path: Path, names: Sequence[str], models: Ints, samples: Ints) -> None:
    """Give the replies of a file other models and samples.

    Args:
        path: the file.
        names: names of the models by code.
        models: the code of the model of each reply.
        samples: its sample index.
    """
    known, start = pa.array(names, pa.string()), 0
    with pq.ParquetFile(path) as file, replies_file(path) as keep:
        for batch in file.iter_batches():
            end = start + len(batch)
            model, sample = known.take(pa.array(models[start:end])), pa.array(samples[start:end])
            keep(pa.table([batch.column(0), model, sample, batch.column(3)], schema=REPLIES))
            start = end
