from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import datasets
import pytest
import yaml
from describing import read_manifest
from huggingface_hub import DatasetCard

from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.card import card_pictures, dataset_card
from facelet.pipeline.dataset import dataset_reader, manifest_file
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.publish import hub_repository
from facelet.pipeline.scoring.scored_dataset import open_dataset


@pytest.fixture(scope="module")
def carded(
    toys: SimpleNamespace, toy_dataset: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The toy dataset with its audit in the manifest, and its card."""
    out = shutil.copytree(toy_dataset, tmp_path_factory.mktemp("card") / "toys")
    manifest = add_audit(toys, out)
    for name, text in dataset_card.render_texts(out, manifest, toys.lookup).items():
        (out / name).write_text(text)
    card_pictures.write_pictures(out)
    return out


def add_audit(toys: SimpleNamespace, out: Path) -> Manifest:
    manifest = read_manifest(out)
    found = dataset_audit.audit_dataset(out, toys.lookup)
    manifest["tables"] = {"htm-small": "ab" * 16}
    manifest["audit"] = {name: value for name, value in found.items() if name != "configs"}
    for name, config in manifest["configs"].items():
        config["audit"] = found["configs"][name]
    choice = manifest["configs"]["toys.choice"]["splits"]
    for split in choice.values():
        split["chance"] = {"value": 0.25, "of": "answers", "kind": "exact"}
    cell = choice["test"]["cells"][1]
    cell |= {"asked": 500, "note": "only 64 | puzzles exist"}
    return manifest_file.manifest_from_json(manifest)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def test_every_config_loads_with_datasets(carded: Path, offline: None, tmp_path: Path) -> None:
    assert datasets.get_dataset_config_names(str(carded)) == [
        "toys.choice",
        "toys.yesno",
        "toys.effect",
        "toys.reading",
    ]
    for split in dataset_reader.list_splits(carded):
        loaded = datasets.load_dataset(
            str(carded), split.config, split=split.name, cache_dir=str(tmp_path / "cache")
        )
        assert len(loaded) == split.count_rows()
        row = loaded[0]
        stored = next(split.iterate_rows())
        assert row["id"] == stored["id"] and row["messages"] == stored["messages"]
        assert row["images"][0].size[0] > 100
        pictures = [p for m in row["messages"] for p in m["content"] if p["type"] == "image"]
        assert [part["image"] for part in pictures] == [0]
    assert datasets.load_dataset_builder(str(carded)).config.name == "toys.choice"


def test_a_wrong_row_count_in_the_card_is_noticed(
    carded: Path, offline: None, tmp_path: Path
) -> None:
    """The counts in the YAML are checked by `datasets`, so they must be the real ones."""
    copy = shutil.copytree(carded, tmp_path / "copy")
    text = (copy / "README.md").read_text()
    (copy / "README.md").write_text(text.replace("num_examples: 256", "num_examples: 255"))
    with pytest.raises(datasets.exceptions.NonMatchingSplitsSizesError):
        datasets.load_dataset(str(copy), "toys.choice", cache_dir=str(tmp_path / "cache"))


def test_metadata_for_the_hub(carded: Path) -> None:
    loaded = DatasetCard.load(carded / "README.md")
    data = loaded.data
    assert data.license == "cc-by-4.0" and data.language == ["en"]
    assert data.task_categories == ["image-text-to-text"]
    assert data.size_categories == ["n<1K"]
    assert {"benchmark", "toys"} <= set(data.tags)
    assert data.to_dict()["canary"] == dataset_reader.read_manifest(carded).canary
    first = data.to_dict()["configs"][0]
    assert first["default"] and first["data_files"][0] == {
        "split": "test",
        "path": "toys.choice/test-*.parquet",
    }
    info = data.to_dict()["dataset_info"][0]
    features = datasets.Features._from_yaml_list(info["features"])
    assert features["images"] == datasets.List(datasets.Image())
    written = datasets.Features.from_arrow_schema(
        dataset_reader.list_splits(carded)[0].arrow_schema()
    )
    assert features == written
    assert info["splits"][0]["num_examples"] == 256


def test_the_text_says_what_is_there(carded: Path) -> None:
    text = (carded / "README.md").read_text()
    body = text.split("\n---\n", 1)[1]
    for expected in (
        "| `toys.choice` |",
        "25.0% of answers",
        "(size=small) | test, train |",
        "| `options` | `list<string>` | words to choose from |",
        "### `toys.yesno`",
        "attack_longest",
        "| d02 | `toys.choice` | 64 | 500 | only 64 \\| puzzles exist |",
        'load_dataset("path/to/this/dataset", "toys.choice", split="test")',
        "facelet score dataset=",
        "facelet verify dataset=",
        dataset_reader.read_manifest(carded).content_hash,
        dataset_reader.read_manifest(carded).canary,
        "CC BY 4.0",
    ):
        assert expected in body, expected
    assert "optimal depth" not in body and "abab" not in body
    assert "## Play" not in body, "one reply ends each of these"
    assert "<div" not in body and "None" not in body and "object at" not in body
    assert "| level 1, 2 | 32, 64 | 25.0% of answers |" in body
    assert "| level 1, 2 | 32, 64 | not stated |" in body
    for line in body.splitlines():
        if line.startswith("|"):
            assert line.endswith("|"), line


def test_the_batch_id_of_the_card_names_its_row(carded: Path) -> None:
    """The line of code is run as it stands, over every id of the dataset."""
    text = (carded / "README.md").read_text()
    (code,) = [line for line in text.splitlines() if line.startswith("custom_id = ")]
    index = open_dataset(carded).row_index
    made = set()
    number = 0
    for split in dataset_reader.list_splits(carded):
        for row in split.iterate_rows(["id"]):
            values: dict[str, Any] = {"row": row, "re": re}
            exec(code, values)
            custom_id = values["custom_id"]
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", custom_id)
            assert index.find_row(custom_id) is None
            found = index.get_spelled(custom_id)
            assert found is not None and found == index.find_row(row["id"])
            made.add(custom_id)
            number += 1
    assert len(made) == number > 100
    assert code.partition("# ")[2] == "toys-choice-d01-000000"
    assert "`toys.choice/d01/000000`" in text


def test_a_picture_of_each_config_stands_beside_the_card(carded: Path) -> None:
    text = (carded / "README.md").read_text()
    shown = re.findall(r"!\[([^]]+)\]\((pictures/[^)]+)\)", text)
    assert [name for name, _ in shown] == list(dataset_reader.read_manifest(carded).configs)
    for name, path in shown:
        part = next(split for split in dataset_reader.list_splits(carded) if split.config == name)
        assert (carded / path).read_bytes() == next(part.iterate_rows(["images"]))["images"][0][
            "bytes"
        ]
    assert {path for _, path in shown} == {
        path.relative_to(carded).as_posix() for path in carded.rglob("*.png")
    }


def test_tables_are_whole(carded: Path) -> None:
    """Every line of a Markdown table has as many cells as its head."""
    width = 0
    for line in (carded / "README.md").read_text().split("\n---\n", 1)[1].splitlines():
        cells = line.replace("\\|", "").count("|")
        if not line.startswith("|"):
            width = 0
        elif width:
            assert cells == width, line
        else:
            width = cells


def test_changelog(carded: Path) -> None:
    manifest = dataset_reader.read_manifest(carded)
    log = (carded / "CHANGELOG.md").read_text()
    assert f"## {manifest.content_hash}" in log
    assert log.count("| `toys.") == 8


def test_no_file_registers_a_benchmark_with_a_framework_that_the_hub_refuses(carded: Path) -> None:
    text = hub_repository.render_eval_yaml(dataset_reader.read_manifest(carded), "1.0.0")
    assert "evaluation_framework" not in yaml.safe_load(text)
    assert "It names no `evaluation_framework`" in (carded / "README.md").read_text()


def test_the_card_is_a_pure_function(toys: SimpleNamespace, carded: Path, tmp_path: Path) -> None:
    manifest = add_audit(toys, carded)
    assert (
        dataset_card.render_readme(carded, manifest, toys.lookup)
        == (carded / "README.md").read_text()
    )


def test_suites_cite_their_papers(toys: SimpleNamespace, carded: Path) -> None:
    assert len(paper_registry.load_papers()) == 5
    manifest = read_manifest(carded)
    suites = ("cube_bench", "cube_bench_variants", "marble", "toys")
    for config, suite in zip(manifest["configs"].values(), suites, strict=True):
        config["suite"] = suite
        config["audit"] = {}
    text = dataset_card.render_readme(
        carded, manifest_file.manifest_from_json(manifest), toys.lookup
    )
    # Once in the words, and once in the entry.
    assert text.count("Cube Bench: A Benchmark for Spatial Visual Reasoning in MLLMs") == 2
    assert text.count("MARBLE: A Hard Benchmark") == 2 and "EvolArena" not in text
    assert "author = {Dhruv Anand and Ehsan Shareghi}" in text
    assert "note = {Under review}" in text
    assert "Not audited." in text
