"""A picture that many rows show is stored once a row group, and each row reads its own back."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import load_dataset

from facelet.generators.core.task import Column
from facelet.pipeline.build.emit_stage import parquet_options, shares_pictures
from facelet.pipeline.dataset.hub_features import with_features
from facelet.pipeline.dataset.row_columns import arrow_schema, row_hashes
from facelet.renderers.api import render_png, render_scene
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.records import CubeNet

ROWS, EACH = 32, 3


def table(pictures: list[list[bytes]]) -> pa.Table:
    kind = with_features(arrow_schema([Column("text", "string", "")]))
    row = {name: None for name in kind.names}
    images = [
        [{"bytes": data, "path": f"{n}#{k}.png"} for k, data in enumerate(some)]
        for n, some in enumerate(pictures)
    ]
    return pa.Table.from_pylist([row | {"images": some, "text": "x"} for some in images], kind)


def write_table(rows: pa.Table, path: Path, *, group: int = 100) -> bytes:
    options = parquet_options(rows.schema, shared=shares_pictures(rows))
    with pq.ParquetWriter(path, rows.schema, **options) as writer:
        writer.write_table(rows, row_group_size=group)
    return path.read_bytes()


def noise(count: int) -> list[bytes]:
    rng = np.random.default_rng(2)
    return [rng.bytes(200_000) for _ in range(count)]


def test_equal_pictures_are_stored_once_a_group(tmp_path: Path) -> None:
    """One megabyte of pictures and more: more than the usual dictionary holds."""
    first, second = noise(EACH), noise(2 * EACH)[EACH:]
    rows = table([first] * ROWS + [second] * ROWS)
    assert shares_pictures(rows)
    data = write_table(rows, tmp_path / "a.parquet")
    assert [data.count(picture) for picture in (*first, *second)] == [1] * 2 * EACH
    small = write_table(rows, tmp_path / "b.parquet", group=ROWS // 2)
    assert [small.count(picture) for picture in (*first, *second)] == [2] * 2 * EACH
    for file in (data, small):
        read = pq.read_table(io.BytesIO(file))
        assert list(row_hashes(read)) == list(row_hashes(rows))
    assert data == write_table(rows, tmp_path / "c.parquet")


def test_pictures_of_one_row_each_are_stored_as_before(tmp_path: Path) -> None:
    rows = table([[picture] for picture in noise(4)])
    assert not shares_pictures(rows) and not shares_pictures(table([[]]))
    assert parquet_options(rows.schema, shared=False) == parquet_options(rows.schema)


def test_datasets_reads_each_row_its_own(tmp_path: Path) -> None:
    nets = [CubeNet("URFDLB" * 9), CubeNet("BLDFRU" * 9)]
    drawn = [render_png(net)[0] for net in nets]
    write_table(table([drawn] * ROWS + [drawn[::-1]] * ROWS), tmp_path / "test.parquet")
    read = load_dataset("parquet", data_dir=str(tmp_path), cache_dir=str(tmp_path / "c"))["test"]
    hashes = [pixel_hash(render_scene(net)) for net in nets]
    for place, expected in ((0, hashes), (ROWS - 1, hashes), (ROWS, hashes[::-1])):
        assert [pixel_hash(image) for image in read[place]["images"]] == expected
