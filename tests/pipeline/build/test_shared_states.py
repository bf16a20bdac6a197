"""Rows are alike by what they show: trees of decisions in two splits, rationed, and scored."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cluster_counts import count_effective
from typed import run_verb

from facelet.generators.core import task_registry
from facelet.generators.core.shown_keys import DIGITS, list_sorted_classes
from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset import dataset_reader, duplicates, row_columns
from facelet.pipeline.dataset_info import format_info
from facelet.pipeline.scoring.scorer import ScoreSettings, score

CONFIG = "cube_bench.step_by_step_tree"
WORDS = [
    *("profile=smoke", "tasks=[step_by_step_tree]", "count=40", "depths=2-4", "workers=1"),
    *("splits=train:1,test:1", "progress=false", "quiet=true"),
]
TREES = task_registry.load_task("cube/step_tree")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees") / "out"
    assert run_verb("build", [*WORDS, f"out={folder}"]) == 0
    return folder


def rows_by_split(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {split.name: list(split.iterate_rows()) for split in dataset_reader.list_splits(folder)}


def figures(folder: Path) -> dict[str, Any]:
    return dict(dataset_reader.read_manifest(folder).configs[CONFIG].audit["test"]["figures"])  # type: ignore


def test_no_split_shows_what_another_shows(out: Path) -> None:
    found = rows_by_split(out)
    shown = {name: {one for row in mine for one in row["shown"]} for name, mine in found.items()}
    assert shown["train"] and shown["test"] and not shown["train"] & shown["test"]
    assert all(len(row["shown"]) == 1 for mine in found.values() for row in mine)
    assert {row["state_distance"] for row in found["test"]} >= {1, 2}
    for name in ("first_shown_in_train", "shown_in_train"):
        assert figures(out)[name]["value"] == 0 and figures(out)[name]["at_most"] == 0
    manifest = dataset_reader.read_manifest(out)
    assert manifest.audit is not None
    text = dataset_card.render_readme(out, manifest)
    assert "What rows of evaluation splits show at any turn, no training row shows." in text


def test_without_the_guard_the_audit_refuses(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(type(TREES), "split_key", lambda self, instance: "")
    assert run_verb("build", [*WORDS, f"out={tmp_path / 'open'}"]) == 1
    assert "shown_in_two_splits" in capsys.readouterr().err
    assert run_verb("build", [*WORDS, f"out={tmp_path / 'open'}", "unfair=write"]) == 0
    found = rows_by_split(tmp_path / "open")
    train = {one for row in found["train"] for one in row["shown"]}
    share = sum(row["shown"][0] in train for row in found["test"]) / len(found["test"])
    assert share > 0.3
    assert figures(tmp_path / "open")["shown_in_train"]["value"] == pytest.approx(share, abs=1e-5)
    # Rows that stay are the same, with the guard and without it.
    closed = {row["id"]: row["messages"] for row in rows_by_split(out)["test"]}
    opened = {row["id"]: row["messages"] for row in found["test"]}
    assert closed.items() < opened.items()


def test_the_start_of_an_item_stands_and_the_rest_is_rationed(tmp_path: Path) -> None:
    words = [word for word in WORDS if not word.startswith("splits")]
    few, all_ = tmp_path / "few", tmp_path / "all"
    for folder, most in ((few, 3), (all_, 1000)):
        assert (
            run_verb("build", [*words, f"out={folder}", f"{CONFIG}.params.rows_per_state={most}"])
            == 0
        )
    kept, everything = rows_by_split(few)["test"], rows_by_split(all_)["test"]
    assert max(Counter(row["state"] for row in everything).values()) > 3
    held = Counter(row["state"] for row in kept)
    assert max(held.values()) == 3 and len(kept) < len(everything)
    # No row is missing that there was room for.
    ids = {row["id"] for row in kept}
    missing = [row for row in everything if row["id"] not in ids]
    assert missing and all(held[row["state"]] == 3 for row in missing)
    starts = [row["id"] for row in everything if row["node"] == 0]
    assert set(starts) <= ids
    # What an item has is the same, however many follow it.
    fewer = tmp_path / "fewer"
    shorter = [*words[:2], "count=15", *words[3:]]
    assert run_verb("build", [*shorter, f"out={fewer}", f"{CONFIG}.params.rows_per_state=3"]) == 0
    assert {row["id"] for row in rows_by_split(fewer)["test"]} <= ids
    for folder, mine in ((few, kept), (all_, everything)):
        worth = count_effective(row["shown"][0] for row in mine)
        assert figures(folder)["effective_rows"]["value"] == pytest.approx(worth, abs=0.05)
        manifest = dataset_reader.read_manifest(folder)
        assert duplicates.read_effective_count(
            manifest.configs[CONFIG].audit, "test"
        ) == pytest.approx(worth, abs=0.1)
        assert f" {worth:,.0f} " in next(
            x for x in format_info(manifest).splitlines() if CONFIG in x
        )
    assert count_effective(r["state"] for r in kept) > count_effective(
        r["state"] for r in everything
    )


def test_intervals_go_by_what_rows_show(out: Path, tmp_path: Path) -> None:
    mine = rows_by_split(out)["test"]
    file = tmp_path / "said.jsonl"
    said = [{"id": row["id"], "prediction": TREES.reference(TREES.decode(row))[0]} for row in mine]
    file.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    scores = score(out, [file], ScoreSettings(resamples=20))
    (model,) = scores.results["models"]
    found = model["configs"][CONFIG]["splits"]["test"]
    worth = count_effective(row["shown"][0] for row in mine)
    assert found["items_effective"] == pytest.approx(worth, abs=0.05)
    assert worth < count_effective(row["group"] for row in mine) / 2
    whole = next(cell for cell in found["cells"] if cell["difficulty"] is None)
    accuracy = whole["figures"]["accuracy"]
    assert accuracy["value"] == 1.0
    # All right in so many clusters: the lower end of Wilson's interval.
    clusters = len({row["shown"][0] for row in mine})
    assert accuracy["low"] == pytest.approx(clusters / (clusters + 1.959964**2), abs=1e-3)


def test_the_column_is_no_part_of_the_content_hash(out: Path, tmp_path: Path) -> None:
    row = rows_by_split(out)["test"][0]
    row = {**row, "images": [{"bytes": None, "path": "p"}]}
    other = {**row, "shown": ["0" * DIGITS]}
    without = {name: value for name, value in row.items() if name != "shown"}
    assert (
        row_columns.content_hash(row)
        == row_columns.content_hash(other)
        == row_columns.content_hash(without)
    )
    assert row["shown"] == list_sorted_classes(TREES.name, TREES.list_shown_keys(TREES.decode(row)))
    assert all(len(one) == DIGITS and int(one, 16) >= 0 for one in row["shown"])


def test_a_wrong_class_is_found_and_an_older_dataset_reads(out: Path, tmp_path: Path) -> None:

    old, wrong = tmp_path / "old", tmp_path / "wrong"
    for folder in (old, wrong):
        shutil.copytree(out, folder)
    for path in dataset_reader.shard_paths(old):
        table = pq.read_table(path)
        pq.write_table(table.drop_columns(["shown"]), path)
    for path in dataset_reader.shard_paths(wrong):
        table = pq.read_table(path)
        place = table.schema.get_field_index("shown")
        turned = table.column("shown").combine_chunks()[::-1]
        pq.write_table(table.set_column(place, table.schema.field(place), turned), path)
    assert run_verb("audit", [f"dataset={old}"]) == 0
    assert run_verb("audit", [f"dataset={wrong}"]) == 1
    mine = rows_by_split(old)["test"]
    file = tmp_path / "said.jsonl"
    file.write_text(json.dumps({"id": mine[0]["id"], "prediction": "<ANSWER>A</ANSWER>"}) + "\n")
    scores = score(old, [file], ScoreSettings(resamples=20, verify="no"))
    found = scores.results["models"][0]["configs"][CONFIG]["splits"]["test"]
    worth = count_effective(row["group"] for row in mine)
    assert found["items_effective"] == pytest.approx(worth, abs=0.05)
