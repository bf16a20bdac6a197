"""What integrity finds wrong with shards and with a whole dataset, on files of a few rows."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.dataset import file_integrity, row_columns
from facelet.pipeline.dataset.file_integrity import IntegrityFailure, ListedShard, ShardReading
from facelet.pipeline.dataset.manifest_file import Manifest, ShardEntry, manifest_from_json
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence

TEST, MORE, TRAIN = (
    ("test", "toys.a/test-00000-of-00002.parquet", ("a", "b", "c")),
    ("test", "toys.a/test-00001-of-00002.parquet", ("d",)),
    ("train", "toys.a/train-00000-of-00001.parquet", ("e", "f")),
)


def make_table(ids: tuple[str, ...]) -> pa.Table:
    """Return rows with one picture each, of the common columns alone."""
    filled: dict[str, list[Any]] = {
        **dict.fromkeys(("suite", "task", "split", "difficulty_axis", "group"), ["a"] * len(ids)),
        **dict.fromkeys(("task_version", "difficulty"), [1] * len(ids)),
        "id": list(ids),
        "gold": [f"gold of {name}" for name in ids],
        "messages": [[]] * len(ids),
        "images": [[{"bytes": b"picture" * 100, "path": "a.png"}]] * len(ids),
        "image_hashes": [["ab" * 16]] * len(ids),
    }
    form = row_columns.arrow_schema(())
    empty = [None] * len(ids)
    return pa.table([pa.array(filled.get(f.name, empty), f.type) for f in form], form)


def write_shard(out: Path, split: str, path: str, ids: tuple[str, ...]) -> ListedShard:
    """Write a shard and return what an honest manifest says of it."""
    (out / path).parent.mkdir(exist_ok=True)
    table = make_table(ids)
    pq.write_table(table, out / path)
    content = hash_sequence(row_columns.row_hashes(table))
    size = (out / path).stat().st_size
    return ListedShard(path, len(ids), size, hash_file(out / path), content, "toys.a", split)


def describe_shards(*shards: ListedShard) -> dict[str, Any]:
    """Return the manifest of shards, by the meaning of its fields."""
    splits: dict[str, Any] = {}
    for one in shards:
        part = splits.setdefault(one.split, {"rows": 0, "shards": []})
        part["rows"] += one.rows
        part["shards"].append({f.name: getattr(one, f.name) for f in fields(ShardEntry)})
    ids = {TEST[1]: TEST[2], MORE[1]: MORE[2], TRAIN[1]: TRAIN[2]}
    for part in splits.values():
        names = [name for one in part["shards"] for name in ids[one["path"]]]
        part["content_hash"] = hash_sequence(row_columns.row_hashes(make_table(tuple(names))))
    content = row_columns.dataset_hash(
        {("toys.a", n): p["content_hash"] for n, p in splits.items()}
    )
    return {"configs": {"toys.a": {"splits": splits}}, "content_hash": content}


def read_manifest(content: dict[str, Any]) -> Manifest:
    """Return a manifest, with what these tests say nothing of filled in."""
    blank = {"items": 0, "bytes": 0, "cells": [], "shards": []}
    configs = {
        name: {"suite": "toys", "task": "toy/a", "task_version": 1, "params": {}}
        | {"splits": {split: blank | part for split, part in config["splits"].items()}}
        for name, config in content["configs"].items()
    }
    words = dict.fromkeys(("name", "profile", "code_version", "canary"), "toys")
    whole = {"plan_hash": "0" * 32, "seed": 0, "splits": {}, "tables": {}, "left_out": []}
    return manifest_from_json({**words, **whole, **content, "configs": configs})


@pytest.fixture
def made(tmp_path) -> list[ListedShard]:
    return [write_shard(tmp_path, *one) for one in (TEST, MORE, TRAIN)]


def find_failures(out: Path, manifest: dict[str, Any]) -> list[IntegrityFailure]:
    parts = [
        file_integrity.read_shard(out, one)
        for one in file_integrity.list_shards(read_manifest(manifest))
    ]
    return list(file_integrity.check_dataset(out, read_manifest(manifest), parts))


def test_shards_are_those_of_the_manifest_in_its_order(made):
    assert file_integrity.list_shards(read_manifest(describe_shards(*made))) == made


def test_an_honest_dataset_has_nothing_wrong(made, tmp_path):
    parts = [file_integrity.read_shard(tmp_path, one) for one in made]
    assert [part.row_ids for part in parts] == [TEST[2], MORE[2], TRAIN[2]]
    assert [part.digests for part in parts] == [
        b"".join(row_columns.row_digests(make_table(part.row_ids))) for part in parts
    ]
    assert [part.failures for part in parts] == [(), (), ()]
    assert (
        list(file_integrity.check_dataset(tmp_path, read_manifest(describe_shards(*made)), parts))
        == []
    )


def test_numbers_are_compared_by_value(tmp_path):
    """Small numbers are one object each in CPython; those from 257 on are not."""
    ids = tuple(f"row {number}" for number in range(300))
    shard = write_shard(tmp_path, "test", "toys.a/test-00000-of-00001.parquet", ids)
    part = file_integrity.read_shard(tmp_path, replace(shard, rows=int("300")))
    assert part.failures == () and part.row_ids == ids
    split = {"rows": int("300"), "content_hash": shard.content_hash}
    content = row_columns.dataset_hash({("toys.a", "test"): shard.content_hash})
    manifest = {"configs": {"toys.a": {"splits": {"test": split}}}, "content_hash": content}
    assert list(file_integrity.check_dataset(tmp_path, read_manifest(manifest), [part])) == []


def test_the_first_line_of_an_error_is_enough(made, tmp_path, monkeypatch):
    def fail_read(path, group):
        raise pa.ArrowInvalid("it is cut\nin a way\nthat takes three lines")

    monkeypatch.setattr(file_integrity, "hash_row_groups", fail_read)
    found = file_integrity.read_shard(tmp_path, made[0])
    assert found.failures == (IntegrityFailure(TEST[1], "cannot be read: it is cut"),)


def test_pictures_are_not_loaded(made, tmp_path, monkeypatch):
    seen = []

    def hash_table(table):
        seen.extend(table.column("images").to_pylist())
        return row_columns.batch_row_digests(table)

    monkeypatch.setattr(file_integrity, "batch_row_digests", hash_table)
    file_integrity.hash_row_groups(tmp_path / TEST[1], (0,))
    assert seen == [[{"path": "a.png"}]] * 3


@pytest.mark.parametrize("way", ["gone", "a folder"])
def test_a_missing_shard_is_one_failure(made, tmp_path, way):
    path = tmp_path / TEST[1]
    path.unlink()
    if way == "a folder":
        path.mkdir()
    found = file_integrity.read_shard(tmp_path, made[0])
    assert found == ShardReading(made[0], (), b"", (IntegrityFailure(TEST[1], "is missing"),))


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("rows", "has 3 rows, the manifest lists {}"),
        ("bytes", "has {0.bytes} bytes, the manifest lists {1}"),
        ("sha256", "has SHA-256 {0.sha256}, the manifest lists {1}"),
        ("content_hash", "has content hash {0.content_hash}, the manifest lists {1}"),
    ],
)
@pytest.mark.parametrize("more", [True, False])
def test_each_figure_of_a_shard_is_compared(made, tmp_path, field, text, more):
    value = getattr(made[0], field)
    if isinstance(value, int):
        said: Any = value + 1 if more else value - 1
    else:
        said = ("f" if more else "0") * len(value)
    found = file_integrity.read_shard(tmp_path, replace(made[0], **{field: said}))
    expected = text.format(said) if field == "rows" else text.format(made[0], said)
    assert found.failures == (IntegrityFailure(TEST[1], expected),)
    assert found.row_ids == TEST[2] and len(found.digests) == 3 * 16


@pytest.mark.parametrize("data", [b"", b"PAR1", b"no Parquet file at all"])
def test_a_file_that_cannot_be_read_has_no_rows(made, tmp_path, data):
    (tmp_path / TEST[1]).write_bytes(data)
    found = file_integrity.read_shard(tmp_path, made[0])
    size, sha256, reading = (failure.what for failure in found.failures)
    assert (found.row_ids, found.digests) == ((), b"")
    assert size == f"has {len(data)} bytes, the manifest lists {made[0].bytes}"
    assert sha256.startswith("has SHA-256 ") and sha256.endswith(made[0].sha256)
    assert reading.startswith("cannot be read: ") and "\n" not in reading
    assert len(reading) > len("cannot be read: ")


@pytest.mark.parametrize(
    "other",
    [
        make_table(("a",)).drop_columns(["id"]),
        make_table(("a",)).drop_columns(["images"]),
        make_table(("a",)).drop_columns(["group"]),
        make_table(("a",)).set_column(0, "id", pa.array([None], pa.string())),
        make_table(("a",)).set_column(0, "id", pa.array([7])),
        pa.table({"id": ["a"]}),
        make_table(("a",)).set_column(9, "images", pa.array([7])),
    ],
    ids=[
        *("no id", "no images", "no group", "an id is null", "ids are numbers"),
        *("one column", "images are a number"),
    ],
)
def test_a_table_of_another_shape_cannot_be_read(made, tmp_path, other):
    pq.write_table(other, tmp_path / TEST[1])
    found = file_integrity.read_shard(tmp_path, made[0])
    assert (found.row_ids, found.digests) == ((), b"")
    assert found.failures[-1].what.startswith("cannot be read: ")


def test_a_shard_that_the_manifest_does_not_name(made, tmp_path):
    manifest = describe_shards(*made)
    write_shard(tmp_path, "test", "toys.b/test-00000-of-00001.parquet", ("z",))
    assert find_failures(tmp_path, manifest) == [
        IntegrityFailure("toys.b/test-00000-of-00001.parquet", "is not in the manifest")
    ]


def test_hashes_and_rows_of_a_split_are_those_of_its_rows_in_order(made, tmp_path):
    manifest = describe_shards(*made)
    split = manifest["configs"]["toys.a"]["splits"]["test"]
    right = split["content_hash"]
    split["shards"].reverse()
    names = ("d", "a", "b", "c")
    swapped = hash_sequence(row_columns.row_hashes(make_table(names)))
    whole = row_columns.dataset_hash(
        {("toys.a", "test"): swapped, ("toys.a", "train"): made[2].content_hash}
    )
    assert find_failures(tmp_path, manifest) == [
        IntegrityFailure("toys.a/test", f"has content hash {swapped}, not {right}"),
        IntegrityFailure(
            "manifest.json", f"says content hash {manifest['content_hash']}, the rows {whole}"
        ),
    ]


@pytest.mark.parametrize("said", [3, 5])
def test_a_split_with_another_number_of_rows(made, tmp_path, said):
    manifest = describe_shards(*made)
    manifest["configs"]["toys.a"]["splits"]["test"]["rows"] = said
    assert find_failures(tmp_path, manifest) == [
        IntegrityFailure("toys.a/test", f"has 4 rows, not {said}")
    ]


@pytest.mark.parametrize("said", ["0" * 32, "f" * 32])
@pytest.mark.parametrize("place", ["split", "whole"])
def test_a_hash_that_is_not_that_of_the_rows(made, tmp_path, said, place):
    manifest = describe_shards(*made)
    right = manifest["content_hash"]
    if place == "whole":
        manifest["content_hash"] = said
        expected = IntegrityFailure("manifest.json", f"says content hash {said}, the rows {right}")
    else:
        manifest["configs"]["toys.a"]["splits"]["train"]["content_hash"] = said
        expected = IntegrityFailure(
            "toys.a/train", f"has content hash {made[2].content_hash}, not {said}"
        )
    assert find_failures(tmp_path, manifest) == [expected]


def test_an_id_that_two_rows_have_is_named_once_a_copy(made, tmp_path):
    manifest = describe_shards(*made)
    parts = [file_integrity.read_shard(tmp_path, one) for one in made]
    parts[1] = replace(parts[1], names=(pa.array(["b"]),))
    parts[2] = replace(parts[2], names=(pa.array(["b", "f"]),))
    found = list(file_integrity.check_dataset(tmp_path, read_manifest(manifest), parts))
    assert found == [IntegrityFailure("b", "is the id of two rows")] * 2


def test_what_was_found_cannot_be_changed_afterwards(made, tmp_path):
    found = file_integrity.read_shard(tmp_path, made[0])
    for record, name in (
        (found, "failures"),
        (made[0], "rows"),
        (IntegrityFailure("a", "b"), "what"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, ())
        assert not hasattr(record, "__dict__")
