"""Write rows as Lance tables with random access, in the columns of the Parquet shards.

Needs the package `pylance` (the extra `lance`).
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.optional_packages import import_optional

lance = import_optional("lance", "lance", "form=lance")

_BATCH = 256


def write(split: SplitFiles, folder: Path, bound: int) -> int:
    """Write a split as a Lance dataset and return the number of its samples.

    Args:
        split: the split.
        folder: a new folder.
        bound: bytes of a file after which the next begins.
    """
    batches = split.iterate_batches(images=True, size=_BATCH)
    reader = pa.RecordBatchReader.from_batches(split.arrow_schema(), batches)
    made = lance.write_dataset(
        reader, str(folder / f"{split.name}.lance"), max_bytes_per_file=bound
    )
    return int(made.count_rows())
