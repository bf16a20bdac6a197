"""Write rows as MDS, the shards of MosaicML's Streaming with their `index.json`.

A shard is the number of its samples, where each begins, a header of JSON that says its columns,
and the samples. A sample is the lengths of its columns without a fixed length, then all columns in
the order of their names. Text is `str`, whole numbers are `int`, other numbers `float64`, pictures
`bytes` in the columns `picture_0`, `picture_1` and so on (empty where a row has fewer), and all
else is `json`; so is a column in which a value is missing.

The package `mosaicml-streaming` has a writer, but it cannot be installed beside today's numpy, and
brings PyTorch and the clients of four clouds; the tests read what is written here with the package.

Source of the form: the documentation of `mosaicml-streaming`, "Dataset format".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from facelet.pipeline.dataset.dataset_reader import IMAGES, SplitFiles
from facelet.pipeline.formats.format_writer import RowSample, iterate_row_samples, to_compact_json

_SIZES: Mapping[str, int | None] = {
    "bytes": None,
    "float64": 8,
    "int": 8,
    "json": None,
    "str": None,
}
"""The encodings, and how many bytes each takes; None where the value tells."""


def write(split: SplitFiles, folder: Path, bound: int) -> int:
    """Write a split as shards with their index and return the number of its samples.

    Args:
        split: the split.
        folder: a new folder.
        bound: bytes of a shard that no second sample goes beyond.
    """
    columns = _column_encodings(split)
    config = {
        "column_encodings": list(columns.values()),
        "column_names": list(columns),
        "column_sizes": [_SIZES[one] for one in columns.values()],
        "compression": None,
        "format": "mds",
        "hashes": [],
        "size_limit": bound,
        "version": 2,
    }
    header = to_compact_json(dict(sorted(config.items()))).encode()
    shards: list[dict[str, object]] = []
    samples: list[bytes] = []
    size = written = 0

    def close_shard() -> None:
        name = f"shard.{len(shards):05d}.mds"
        count = np.uint32(len(samples)).tobytes()
        first = len(count) + 4 * (len(samples) + 1) + len(header)
        begins = np.cumsum([first, *map(len, samples)]).astype("<u4").tobytes()
        (folder / name).write_bytes(b"".join((count, begins, header, *samples)))
        whole = {"basename": name, "bytes": (folder / name).stat().st_size, "hashes": {}}
        shards.append({**config, "raw_data": whole, "samples": len(samples), "zip_data": None})
        samples.clear()

    fixed = 4 + 4 + len(header)
    for sample in iterate_row_samples(split):
        data = _encode_sample(sample, columns)
        if samples and fixed + size + len(data) + 4 > bound:
            close_shard()
            size = 0
        samples.append(data)
        size += len(data) + 4
        written += 1
    if samples:
        close_shard()
    (folder / "index.json").write_text(to_compact_json({"shards": shards, "version": 2}))
    return written


def _column_encodings(split: SplitFiles) -> dict[str, str]:
    """Return the encoding of each column, in the order of their names."""
    missing: set[str] = set()
    pictures = 0
    for batch in split.iterate_batches():
        missing |= {name for name in batch.schema.names if batch.column(name).null_count}
    for batch in split.iterate_batches([IMAGES, "id"], size=64):
        most = pc.max(pc.list_value_length(batch.column(IMAGES))).as_py()
        pictures = max(pictures, most or 0)
    found = {f"picture_{place}": "bytes" for place in range(pictures)}
    for field in split.arrow_schema():
        if field.name != IMAGES:
            found[field.name] = "json" if field.name in missing else _choose_encoding(field.type)
    return dict(sorted(found.items()))


def _choose_encoding(kind: pa.DataType) -> str:
    if pa.types.is_string(kind):
        return "str"
    if pa.types.is_integer(kind):
        return "int"
    return "float64" if pa.types.is_floating(kind) else "json"


_ENCODERS: Mapping[str, Callable[..., bytes]] = {
    "bytes": bytes,
    "float64": lambda value: np.float64(value).tobytes(),
    "int": lambda value: np.int64(value).tobytes(),
    "json": lambda value: to_compact_json(value).encode(),
    "str": str.encode,
}


def _encode_sample(sample: RowSample, columns: Mapping[str, str]) -> bytes:
    """Return a sample as bytes."""
    values: dict[str, object] = {
        f"picture_{place}": data for place, data in enumerate(sample.pictures)
    }
    values |= sample.values
    lengths, body = [], []
    for name, encoding in columns.items():
        data = _ENCODERS[encoding](values.get(name, b""))
        if _SIZES[encoding] is None:
            lengths.append(len(data))
        body.append(data)
    return b"".join((np.array(lengths, "<u4").tobytes(), *body))
