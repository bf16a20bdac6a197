"""Lance: a table with random access, whose columns are those of the Parquet shards.

Needs the package `pylance` (the extra `lance`).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pyarrow as pa

from facelet.pipeline.dataset.reading import Split

_BATCH = 256


def write(split: Split, folder: Path, bound: int) -> int:
    """Write a split as a Lance dataset and return the number of its samples.

    Args:
        split: the split.
        folder: a new folder.
        bound: bytes of a file after which the next begins.

    Raises:
        ValueError: the package is not installed; the message says what to type.
    """
    try:
        lance = import_module("lance")
    except ModuleNotFoundError:
        raise ValueError(
            "form=lance needs the package 'pylance'; install it with `pip install 'facelet[lance]'`"
        ) from None
    batches = split.batches(images=True, size=_BATCH)
    reader = pa.RecordBatchReader.from_batches(split.schema(), batches)
    made = lance.write_dataset(
        reader, str(folder / f"{split.name}.lance"), max_bytes_per_file=bound
    )
    return int(made.count_rows())
