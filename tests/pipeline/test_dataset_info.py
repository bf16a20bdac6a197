"""`facelet info`: what the rows say of themselves stands below the table of the manifest."""

from __future__ import annotations

from statistics import mean

from small_datasets import publish

from facelet.pipeline import dataset_info
from facelet.pipeline.dataset import dataset_reader

__all__ = ["publish"]


def test_games_say_by_what_right_they_are_won_and_in_how_many_turns(publish):
    folder = publish("arcade/bit_query", items=3).folder
    turns = [row["reference_turns"] for row in publish("arcade/bit_query", items=3).rows]
    head, line = dataset_info.summarize_columns(folder, dataset_reader.read_manifest(folder))
    assert head.split() == ["config", "split", "guarantee", "reference_turns", "turns"]
    assert "adversarial 3" in line
    assert f"{mean(turns):.4g} ({min(turns)} to {max(turns)})" in line


def test_tasks_that_name_no_column_and_folders_without_shards_say_nothing(publish, tmp_path):
    folder = publish("jigsaw/assemble_easy").folder
    manifest = dataset_reader.read_manifest(folder)
    assert dataset_info.summarize_columns(folder, manifest) == []
    assert dataset_info.summarize_columns(tmp_path, manifest) == []
