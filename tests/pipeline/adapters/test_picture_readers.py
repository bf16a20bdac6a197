"""Published pictures are RGB in each reader that people load datasets with, and none is small."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from PIL import Image
from scripted import gather_datasets
from small_datasets import PublishedTask

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.renderers.scenes.records import LEAST_EDGE

CONF = Path(__file__).parents[3] / "conf" / "suite"
FEW = (
    ("cube/navigate", 1, {"depth": 1, "observation": "face"}),
    ("shapes/forward_deformation", 1, {"space": "2d"}),
    ("chamber/plan", 1, {"setting": "rooms"}),
)
"""Tasks whose default pictures are smallest."""

Reader = Callable[[Path, str], Iterator[Any]]


def by_datasets(form: str | None) -> Reader:
    """Read with `datasets`, as Pillow's pictures or in the form of an array."""

    def read(folder: Path, config: str) -> Iterator[Any]:
        cache = str(folder.parent / "cache")
        rows = datasets.load_dataset(str(folder), config, split="test", cache_dir=cache)
        for row in rows.with_format(form) if form else rows:
            yield from row["images"]

    return read


def from_bytes(load: Callable[[list[str]], Iterator[bytes]]) -> Reader:
    """Read the bytes of pictures from Parquet, and decode them with Pillow."""

    def read(folder: Path, config: str) -> Iterator[Any]:
        for data in load([str(one) for one in (folder / config).rglob("*.parquet")]):
            yield Image.open(io.BytesIO(data))

    return read


def arrow_bytes(paths: list[str]) -> Iterator[bytes]:
    from pyarrow import parquet

    for path in paths:
        for row in parquet.read_table(path, columns=["images"]).to_pylist():
            yield from (image["bytes"] for image in row["images"] or ())


def pandas_bytes(paths: list[str]) -> Iterator[bytes]:
    import pandas

    for path in paths:
        for images in pandas.read_parquet(path, columns=["images"])["images"]:
            yield from (image["bytes"] for image in (() if images is None else images))


def polars_bytes(paths: list[str]) -> Iterator[bytes]:
    import polars

    for images in polars.read_parquet(paths, columns=["images"])["images"].to_list():
        yield from (image["bytes"] for image in images or ())


def duckdb_bytes(paths: list[str]) -> Iterator[bytes]:
    import duckdb

    for (images,) in duckdb.sql(f"select images from read_parquet({paths})").fetchall():
        yield from (image["bytes"] for image in images or ())


def by_trl(folder: Path, config: str) -> Iterator[Any]:
    from facelet.pipeline.adapters import trl

    for row in trl.prompts(str(folder), [config], split="test"):
        yield from row["images"]


READERS: dict[str, Reader] = {
    "datasets": by_datasets(None),
    "numpy": by_datasets("numpy"),
    "torch": by_datasets("torch"),
    "pyarrow": from_bytes(arrow_bytes),
    "pandas": from_bytes(pandas_bytes),
    "polars": from_bytes(polars_bytes),
    "duckdb": from_bytes(duckdb_bytes),
    "trl": by_trl,
}
TOOLS = ("torch", "trl")
"""Readers of the venv of tools."""


def faults(folder: Path, reader: Reader) -> dict[str, str]:
    """Return what is wrong with pictures, by config."""
    found = {}
    pictured = 0
    for split in dataset_reader.list_splits(folder):
        if not any(row["image_hashes"] for row in split.iterate_rows(["image_hashes"])):
            continue
        pictured += 1
        for picture in reader(folder, split.config):
            mode = picture.mode if isinstance(picture, Image.Image) else "RGB"
            array = np.asarray(picture)
            if array.shape[0] == 3:  # torch puts channels first
                array = array.transpose(1, 2, 0)
            seen = (mode, str(array.dtype), array.ndim, array.shape[2:])
            if seen != ("RGB", "uint8", 3, (3,)) or min(array.shape[:2]) < LEAST_EDGE:
                found[split.config] = f"{mode}, {array.dtype} of shape {array.shape}"
    assert pictured
    return found


@pytest.fixture(scope="module")
def few(publish: Callable[..., PublishedTask], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    gather_datasets(publish, folder, FEW)
    return folder


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("every")
    suites = ",".join(sorted(path.stem for path in CONF.iterdir()))
    sizes = ["count=1", "levels=1-2", "depths=1,3,5", "workers=2", "quiet=true"]
    words = ["profile=smoke", f"suites=[{suites}]", *sizes, f"out={home / 'out'}"]
    assert main(["build", *words, f"cache={home / 'tables'}"]) == 0
    return home / "out"


def installed(mark: pytest.MarkDecorator | None = None) -> list[Any]:
    """Return the readers that are installed; those of the venv of tools are tried there."""
    tool = pytest.mark.adapters
    marks = {name: [tool] if name in TOOLS else [mark] if mark else [] for name in READERS}
    names = [name for name in READERS if name in TOOLS or find_spec(name)]
    return [pytest.param(name, marks=marks[name]) for name in names]


@pytest.mark.parametrize("name", installed())
def test_pictures_are_rgb_in_each_reader(name: str, few: Path) -> None:
    assert faults(few, READERS[name]) == {}


@pytest.mark.parametrize("name", installed(pytest.mark.slow))
def test_pictures_of_every_config_are_rgb_in_each_reader(name: str, every: Path) -> None:
    assert faults(every, READERS[name]) == {}
