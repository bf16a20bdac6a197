"""Repacked rows are those of the Parquet shards, the same bytes whatever happened on the way.

The forms' own packages read the files in `make test-extras`; here stand readers of the standard
library, of `datasets`, and one written from the description of MDS.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import atomic_files
from facelet.pipeline.dataset.dataset_reader import list_splits
from facelet.pipeline.formats import mds, repack_writer, webdataset

Row = tuple[dict[str, Any], list[bytes]]


@pytest.fixture(scope="module")
def several(small_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dataset, some of whose rows have no picture or three."""
    out = tmp_path_factory.mktemp("several") / "dataset"
    shutil.copytree(small_dataset, out)
    for split in list_splits(out):
        table = pq.read_table(split.paths[0])
        images = [row * (place % 4) for place, row in enumerate(table["images"].to_pylist())]
        field = table.schema.field("images")
        at = table.schema.get_field_index("images")
        pq.write_table(table.set_column(at, field, pa.array(images, field.type)), split.paths[0])
    return out


def rows_by_split(dataset: Path) -> dict[str, list[Row]]:
    """Return the rows of each split, by its folder."""
    found = {}
    for split in list_splits(dataset):
        rows = list(split.iterate_rows(images=True))
        found[f"{split.config}/{split.name}"] = [
            (row, [one["bytes"] for one in row.pop("images")]) for row in rows
        ]
    return found


def read_tars(folder: Path) -> Iterator[Row]:
    for path in sorted(folder.glob("*.tar")):
        with tarfile.open(path) as shard:
            row: dict[str, Any] = {}
            pictures: list[bytes] = []
            for member in shard:
                file = shard.extractfile(member)
                assert file is not None and member.mtime == 0
                if member.name.endswith(".json"):
                    if row:
                        yield row, pictures
                    row, pictures = json.load(file), []
                else:
                    assert member.name == f"{row['id']}.{len(pictures)}.png"
                    pictures.append(file.read())
            yield row, pictures


def read_mds(folder: Path) -> Iterator[Row]:
    """A reader of MDS from its description alone."""
    for shard in json.loads((folder / "index.json").read_text())["shards"]:
        data = (folder / shard["raw_data"]["basename"]).read_bytes()
        assert len(data) == shard["raw_data"]["bytes"]
        (count,) = np.frombuffer(data[:4], "<u4")
        assert count == shard["samples"]
        begins = np.frombuffer(data[4 : 4 + 4 * (count + 1)], "<u4")
        assert begins[-1] == len(data)
        for begin, end in pairwise(begins):
            yield read_mds_sample(data[begin:end], shard)


def read_mds_sample(data: bytes, shard: dict[str, Any]) -> Row:
    open_ended = [size for size in shard["column_sizes"] if size is None]
    lengths = iter(np.frombuffer(data[: 4 * len(open_ended)], "<u4"))
    at = 4 * len(open_ended)
    row: dict[str, Any] = {}
    pictures: list[bytes] = []
    columns = (shard["column_names"], shard["column_encodings"], shard["column_sizes"])
    for name, encoding, size in zip(*columns, strict=True):
        length = next(lengths) if size is None else size
        value = data[at : at + length]
        at += length
        if name.startswith("picture_"):
            pictures += [value] if value else []
        elif encoding in ("int", "float64"):
            row[name] = np.frombuffer(value, "<i8" if encoding == "int" else "<f8")[0].item()
        else:
            row[name] = json.loads(value) if encoding == "json" else value.decode()
    assert at == len(data)
    return row, pictures


READERS = {"webdataset": read_tars, "mds": read_mds}


@pytest.mark.parametrize("form", READERS)
def test_rows_are_those_of_parquet(several: Path, tmp_path: Path, form: str) -> None:
    assert main(["repack", f"dataset={several}", f"form={form}", f"out={tmp_path / 'out'}"]) == 0
    right = rows_by_split(several)
    assert {0, 1, 3} <= {len(pictures) for rows in right.values() for _, pictures in rows}
    for place, rows in right.items():
        assert list(READERS[form](tmp_path / "out" / place)) == rows


@pytest.mark.parametrize("form", READERS)
def test_files_are_bounded(several: Path, tmp_path: Path, form: str) -> None:
    write = {"webdataset": webdataset, "mds": mds}[form].write
    split = max(list_splits(several), key=lambda one: one.paths[0].stat().st_size)
    write(split, tmp_path, 20_000)
    files = [path for path in tmp_path.iterdir() if path.suffix in (".tar", ".mds")]
    assert len(files) > 1
    assert sum(path.stat().st_size > 40_000 for path in files) == 0
    assert list(READERS[form](tmp_path)) == rows_by_split(several)[f"{split.config}/{split.name}"]


def test_datasets_reads_the_tars(small_dataset: Path, tmp_path: Path) -> None:
    repack_writer.repack_dataset(small_dataset, tmp_path / "out", "webdataset", 1_000_000)
    place, right = next(item for item in rows_by_split(small_dataset).items() if item[1][0][1])
    files = str(tmp_path / "out" / place / "*.tar")
    cache = str(tmp_path / "cache")
    read = load_dataset("webdataset", data_files={"test": files}, split="test", cache_dir=cache)
    assert [row["__key__"] for row in read] == [row["id"] for row, _ in right]
    assert read[0]["0.png"].size[0] > 0


@pytest.mark.parametrize("form", READERS)
def test_a_run_that_was_stopped_ends_in_the_same_bytes(
    several: Path, tmp_path: Path, form: repack_writer.RepackForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_contents(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    whole = tmp_path / "whole"
    repack_writer.repack_dataset(several, whole, form, 1_000_000)
    out = tmp_path / "out"
    left = len(list(list_splits(several)))
    for stop in range(left):
        done = 0

        def stop_publishing(part: Path, place: Path) -> None:
            nonlocal done
            if done == 1:
                raise KeyboardInterrupt
            done += 1
            part.rename(place)

        with monkeypatch.context() as patched:
            patched.setattr(atomic_files, "publish_file", stop_publishing)
            if stop < left - 1:
                with pytest.raises(KeyboardInterrupt):
                    repack_writer.repack_dataset(several, out, form, 1_000_000)
    repack_writer.repack_dataset(several, out, form, 1_000_000)
    assert read_contents(out) == read_contents(whole)


@pytest.mark.skipif(find_spec("lance") is not None, reason="pylance is installed")
def test_a_package_that_lacks_is_named_before_any_work(
    small_dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["repack", f"dataset={small_dataset}", f"out={out}", "form=lance"]) == 2
    assert "pip install --upgrade 'pylance>=" in capsys.readouterr().err
    assert not out.exists()


def test_a_folder_of_something_else_is_refused(
    several: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["repack", f"dataset={several}", f"out={out}"]) == 0
    assert main(["repack", f"dataset={several}", f"out={out}"]) == 0, "the same again is no error"
    assert main(["repack", f"dataset={several}", f"out={out}", "form=mds"]) == 2
    assert "name a new folder" in capsys.readouterr().err
    assert main(["repack", f"dataset={several}", f"out={several}"]) == 2
