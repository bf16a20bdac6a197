"""Check that the PNG bytes of rows decode to the pixels that the rows name.

The contract for pictures is the hash of their decoded pixels; any encoder may have made the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.file_integrity import IntegrityFailure
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.dataset.row_decoder import DECODE_ERRORS
from facelet.pipeline.dataset.store_address import UnreachableError, arrow_source
from facelet.renderers.pixel_hash import pixel_hash_png

_BATCH = 64


def find_picture_faults(row: AnyRow) -> Iterator[str]:
    """Yield what is wrong with the pictures of a row.

    Args:
        row: its columns id, images (with bytes) and image_hashes.
    """
    if len(row["images"]) != len(row["image_hashes"]):
        yield f"has {len(row['images'])} images and {len(row['image_hashes'])} image hashes"
        return
    for number, (image, pixels) in enumerate(zip(row["images"], row["image_hashes"], strict=True)):
        if image["path"] != f"{row['id']}#{number}.png":
            yield f"image {number} is called {image['path']!r}"
        try:
            found = pixel_hash_png(image["bytes"] or b"")
        except ValueError as error:
            yield f"image {number} cannot be decoded: {error}"
            continue
        if found != pixels:
            yield f"image {number} has the pixels {found}, not {pixels}"


def check_shard_pictures(path: Path) -> Iterator[IntegrityFailure]:
    """Yield what is wrong with the pictures of a shard, by row."""
    try:
        with pq.ParquetFile(arrow_source(path)) as file:
            columns = ["id", "images", "image_hashes"]
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns, use_threads=False):
                yield from (
                    IntegrityFailure(row["id"], text)
                    for row in batch.to_pylist()
                    for text in find_picture_faults(row)
                )
    except UnreachableError:
        raise
    # A file that somebody changed may hold nulls or columns where none are allowed.
    except (pa.ArrowException, OSError, *DECODE_ERRORS) as error:
        yield IntegrityFailure(path.name, f"cannot be read: {str(error).splitlines()[0]}")
