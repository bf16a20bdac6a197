from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from facelet.pipeline.dataset import dataset_reader


def test_splits_in_order(toy_dataset: Path) -> None:
    found = dataset_reader.list_splits(toy_dataset)
    assert [(s.config, s.name) for s in found] == [
        (f"toys.{name}", split)
        for name in ("choice", "effect", "reading", "yesno")
        for split in ("test", "train")
    ]
    choice = found[0]
    assert len(choice.paths) > 1
    assert choice.count_rows() == 256
    ids = [row["id"] for row in choice.iterate_rows(["id"])]
    assert ids == sorted(ids) and len(ids) == 256


def test_image_bytes_are_read_only_when_asked_for(toy_dataset: Path) -> None:
    split = dataset_reader.list_splits(toy_dataset)[0]
    assert "images" not in next(split.iterate_rows())
    row = next(split.iterate_rows(images=True))
    assert row["images"][0]["bytes"].startswith(b"\x89PNG")
    assert list(next(split.iterate_rows(["gold", "id"]))) == ["gold", "id"]


def test_unknown_column_is_named(toy_dataset: Path) -> None:
    with pytest.raises(ValueError, match=r"no columns \['golden'\]; it has .*gold"):
        next(dataset_reader.list_splits(toy_dataset)[0].iterate_rows(["golden"]))


def test_missing_things_are_named(toy_dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no dataset folder"):
        dataset_reader.list_splits(tmp_path / "none")
    with pytest.raises(ValueError, match=r"contains no <config>"):
        dataset_reader.list_splits(tmp_path)
    with pytest.raises(ValueError, match=r"no manifest\.json"):
        dataset_reader.read_manifest(tmp_path)
    copy = shutil.copytree(toy_dataset, tmp_path / "copy")
    dataset_reader.list_splits(copy)[0].paths[1].unlink()
    with pytest.raises(ValueError, match=r"toys\.choice/test has the shards"):
        dataset_reader.list_splits(copy)


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "\x00"])
def test_damaged_manifest_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.json"):
        dataset_reader.read_manifest(tmp_path)


def test_work_folder_and_strange_files_are_no_data(toy_dataset: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(toy_dataset, tmp_path / "copy")
    known = dataset_reader.list_splits(copy)
    (copy / ".facelet").mkdir()
    shutil.copy(known[0].paths[0], copy / ".facelet" / "test-00000-of-00001.parquet")
    shutil.copy(known[0].paths[0], copy / "toys.choice" / "notes.parquet")
    assert dataset_reader.list_splits(copy) == known
    held = json.loads((copy / "manifest.json").read_text())
    assert dataset_reader.read_manifest(copy).content_hash == held["content_hash"]
