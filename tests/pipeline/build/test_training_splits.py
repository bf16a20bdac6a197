"""Training rows say that they are: no canary, no word to keep them out; and no split is silent."""

from __future__ import annotations

import pytest

from facelet.pipeline.build.build_summary import summarize_build
from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import CANARY, canary_value, is_training
from facelet.pipeline.dataset_info import format_info


@pytest.mark.parametrize(
    ("name", "training"),
    [("train", True), ("train_easy", True), ("test", False), ("trainer", False), ("dev", False)],
)
def test_a_split_is_training_data_by_its_name(name, training):
    assert is_training(name) is training
    assert canary_value(name) == (None if training else CANARY)


def test_rows_and_card_of_a_training_split(toy, tmp_path):
    out = tmp_path / "out"
    splits = (("train", 3), ("test", 1))
    manifest = toy.run(toy.settings(out, ranges=toy.depths(1), splits=splits))
    said = {
        part.name: {row["canary"] for row in part.iterate_rows(["canary"])}
        for part in dataset_reader.list_splits(out)
    }
    assert said == {"train": {None}, "test": {CANARY}}
    text = dataset_card.render_readme(out, manifest)
    assert "`train` may be trained on" in text and "All other splits are evaluation data" in text
    alone = tmp_path / "alone"
    manifest = toy.run(toy.settings(alone, ranges=toy.depths(1), splits=(("train", 1),)))
    text = dataset_card.render_readme(alone, manifest)
    assert CANARY not in text and "evaluation data" not in text and "canary:" not in text
    only = tmp_path / "only"
    manifest = toy.run(toy.settings(only, ranges=toy.depths(1)))
    text = dataset_card.render_readme(only, manifest)
    assert "This is evaluation data. Every row carries" in text and "trained on" not in text


def test_a_split_that_gets_no_item_is_named(toy, tmp_path, monkeypatch):
    out = tmp_path / "out"
    settings = toy.settings(out, ranges=toy.depths(1), splits=(("train", 999), ("test", 1)))
    manifest = toy.run(settings)
    (line,) = manifest.left_out
    assert line.startswith("toys.count: split test gets none of so few items")
    for text in (
        summarize_build(out, manifest, {}),
        format_info(manifest),
        dataset_card.render_readme(out, manifest),
    ):
        assert line in text


def test_a_cell_whose_pool_is_empty_is_named(toy, tmp_path, monkeypatch):
    import toy_family

    monkeypatch.setitem(toy_family.CAPACITY, 2, 0)
    out = tmp_path / "out"
    manifest = toy.run(toy.settings(out, ranges=toy.depths(1, 2)))
    assert manifest.left_out == ("toys.count: split test has no items at d02 (only 0 numbers)",)
