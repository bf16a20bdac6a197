"""Write rows as WebDataset: tar files in which all files of a sample share a name.

A row is `<id>.json`, its columns, and `<id>.0.png`, `<id>.1.png` and so on, its pictures. Readers
take what stands before the first point of the last part of a path as the key, so the key of a
sample is the id of its row. Nothing in a tar tells when or where it was written.

Source of the form: the documentation of the package `webdataset`, which `datasets` reads as well.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.formats.format_writer import RowSample, iterate_row_samples, to_compact_json

_BLOCK = 512
"""Bytes that a header takes, and by which contents are rounded up."""


def write(split: SplitFiles, folder: Path, bound: int) -> int:
    """Write a split as tars and return the number of its samples.

    Args:
        split: the split.
        folder: a new folder.
        bound: bytes of a tar that no second sample goes beyond.
    """
    shard: tarfile.TarFile | None = None
    number = written = size = 0
    try:
        for sample in iterate_row_samples(split):
            files = _list_sample_files(sample)
            need = sum(_BLOCK + -(-len(data) // _BLOCK) * _BLOCK for _, data in files)
            if shard is None or (size and size + need > bound):
                if shard is not None:
                    shard.close()
                path = folder / f"{split.name}-{number:05d}.tar"
                shard = tarfile.open(path, "w", format=tarfile.GNU_FORMAT)
                number, size = number + 1, 0
            for name, data in files:
                about = tarfile.TarInfo(name)
                about.size, about.mode = len(data), 0o644
                shard.addfile(about, io.BytesIO(data))
            size += need
            written += 1
    finally:
        if shard is not None:
            shard.close()
    return written


def _list_sample_files(sample: RowSample) -> list[tuple[str, bytes]]:
    """Return the names and contents of a sample's files."""
    key = str(sample.values["id"])
    return [
        (f"{key}.json", to_compact_json(sample.values).encode()),
        *((f"{key}.{place}.png", data) for place, data in enumerate(sample.pictures)),
    ]
