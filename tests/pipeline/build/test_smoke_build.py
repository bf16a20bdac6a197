"""The real thing, small: `facelet build` with the cube's tasks, solver and renderer."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.pipeline.build.emit_stage import BYTES
from facelet.pipeline.cli import main
from facelet.pipeline.cube.states import from_table, to_table
from facelet.pipeline.dataset import dataset_reader

ROOT = Path(__file__).parents[3]
WORDS = ["profile=smoke", "depths=1-3,5", "count=6", "progress=false"]
STATIC = [
    "face_recognition",
    "verification",
    "move_prediction",
    "reflection",
    "reflection_unredacted",
    "move_effect",
]
LOOPS = {
    "step_by_step": [1, 2, 3, 5],
    "step_by_step_tree": [1, 2, 3, 5],
    "learning_curve": [3],
    "recovery": [3],
}
DEPTHS = {f"cube_bench.{name}": [1, 2, 3, 5] for name in STATIC} | {
    f"cube_bench.{name}": depths for name, depths in LOOPS.items()
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def out(tmp_path_factory, cache):
    folder = tmp_path_factory.mktemp("smoke") / "out"
    assert main(["build", *WORDS, f"out={folder}", f"cache={cache}", "workers=1"]) == 0
    return folder


def list_shards(out):
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in dataset_reader.shard_paths(out)
    }


def test_another_process_with_more_workers_makes_the_same_bytes(out, cache, tmp_path):
    words = [*WORDS, f"out={tmp_path / 'other'}", f"cache={cache}", "workers=2"]
    command = [sys.executable, "-m", "facelet", "build", *words]
    env = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert list_shards(tmp_path / "other") == list_shards(out)
    told = [line for line in done.stdout.splitlines() if line.startswith("content hash ")]
    assert told == [f"content hash {dataset_reader.read_manifest(out).content_hash}"]
    assert done.stderr == ""


def test_reference_replies_score_every_row(out):
    seen = 0
    for split in dataset_reader.list_splits(out):
        for row in split.iterate_rows():
            task = task_registry.load_task(row["task"])
            instance = task.decode(row)
            outcome = replay(task.open(instance), task.reference(instance))
            assert outcome.status in (Status.CORRECT, Status.UNGRADED), row["id"]
            assert task.find_faults(instance) == []
            seen += 1
    manifest = dataset_reader.read_manifest(out)
    assert seen == sum(c.splits["test"].rows for c in manifest.configs.values())


def test_items_of_all_tasks_share_their_states(out):
    """Up to symmetry: verification holds some of them another way."""
    states = {
        split.config: {
            (row["difficulty"], row["canonical"])
            for row in split.iterate_rows(["difficulty", "canonical"])
        }
        for split in dataset_reader.list_splits(out)
    }
    assert set(states) == set(DEPTHS)
    everything = states["cube_bench.face_recognition"]
    assert 16 < len(everything) <= 4 * 6
    for config, found in states.items():
        assert found == {state for state in everything if state[0] in DEPTHS[config]}, config


def test_datasets_loads_every_config_with_pictures(out, tmp_path):
    for config in dataset_reader.read_manifest(out).configs:
        loaded = datasets.load_dataset(str(out), config, split="test", cache_dir=str(tmp_path))
        row = loaded[0]
        assert row["id"].startswith(f"{config}/d{DEPTHS[config][0]:02d}/")
        assert loaded.features["images"] == datasets.List(datasets.Image())
        parts = [part for message in row["messages"] for part in message["content"]]
        used = {part["image"] for part in parts if part["type"] == "image"}
        assert used == set(range(len(row["images"])))
        assert all(np.asarray(image).std() > 0 for image in row["images"])


def test_parquet_is_laid_out_for_the_hub(out):
    for path in dataset_reader.shard_paths(out):
        file = pq.ParquetFile(path)
        metadata = file.metadata
        assert b"huggingface" in metadata.metadata
        for group in range(metadata.num_row_groups):
            part = metadata.row_group(group)
            assert 1 <= part.num_rows <= 128
            for leaf in range(part.num_columns):
                column = part.column(leaf)
                assert column.has_offset_index
                pictures = column.path_in_schema == BYTES
                assert column.compression == ("UNCOMPRESSED" if pictures else "ZSTD")


def test_manifest_and_card_agree_with_the_files(out):
    manifest = dataset_reader.read_manifest(out)
    assert list(manifest.configs) == list(DEPTHS)
    text = (out / "README.md").read_text()
    assert manifest.content_hash in text
    assert str(ROOT) not in (out / "manifest.json").read_text() + text
    # The trees of step_by_step_tree are rows of one reply each; the other loops are episodes, and a
    # reflection follows an answer.
    loops = [name for name in LOOPS if name != "step_by_step_tree"]
    names = sorted([*loops, "reflection", "reflection_unredacted"])
    episodes = [f"`cube_bench.{name}`" for name in names]
    assert f"These go on after the first reply: {', '.join(episodes)}. " in text
    for name, config in manifest.configs.items():
        several = len(DEPTHS[name]) > 1
        assert config.swept == (("depth",) if several else ())
        assert config.params["depth"] == (DEPTHS[name] if several else DEPTHS[name][0])
        for shard in config.splits["test"].shards:
            assert (out / shard.path).stat().st_size == shard.bytes


def test_stopped_build_says_how_to_go_on(out, cache, capsys):
    changed = [word for word in WORDS if not word.startswith("count")]
    assert main(["build", *changed, "count=5", f"out={out}", f"cache={cache}"]) == 2
    told = capsys.readouterr().err
    assert "belongs to another configuration" in told
    assert "replace=true" in told


def test_show_builds_nothing(tmp_path, capsys):
    assert main(["build", *WORDS, f"out={tmp_path / 'no'}", "--show"]) == 0
    page = capsys.readouterr().out
    assert "# cube_bench.move_prediction: 4 cells, d01 to d05, at most 24 items in 72 rows" in page
    assert not (tmp_path / "no").exists()


def test_info_shows_every_config(out, capsys):
    assert main(["info", str(out), "cells=true"]) == 0
    page = capsys.readouterr().out
    manifest = dataset_reader.read_manifest(out)
    for name, config in manifest.configs.items():
        content = config.splits["test"]
        line = next(line for line in page.splitlines() if line.startswith(f"{name} "))
        assert content.content_hash[:12] in line
        assert f"{content.rows:,}" in line.split()
    assert manifest.plan_hash in page
    assert "cube_bench.move_effect/d05" in page


def test_splits_share_no_class_of_states(cache, tmp_path):
    words = ["tasks=[move_prediction]", "depths=4", "count=40", "splits=train:3,test:1"]
    words += ["profile=smoke", "progress=false", f"out={tmp_path / 'o'}", f"cache={cache}"]
    assert main(["build", *words, "workers=1"]) == 0
    classes = {
        split.name: {row["canonical"] for row in split.iterate_rows(["canonical"])}
        for split in dataset_reader.list_splits(tmp_path / "o")
    }
    assert {name: len(found) for name, found in classes.items()} == {"train": 30, "test": 10}
    assert not classes["train"] & classes["test"]
    ids = [
        row["id"]
        for split in dataset_reader.list_splits(tmp_path / "o")
        for row in split.iterate_rows(["id"])
    ]
    assert sum("/train-d04/" in name for name in ids) == 90
    assert sum("/d04/" in name for name in ids) == 30


@pytest.mark.parametrize(
    ("metric", "depth", "greatest"), [("htm", 20, 16), ("qtm", 24, 20), ("qtm", 21, 20)]
)
def test_deep_states_that_are_not_stored_are_refused_at_once(
    metric, depth, greatest, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("facelet.pipeline.cube.store.load_rows", lambda *_: ())
    words = [f"metric={metric}", f"depths={depth}", "tasks=[move_prediction]"]
    assert main(["build", *words, f"out={tmp_path / 'o'}"]) == 2
    error = capsys.readouterr().err
    assert f"depth {depth} ({metric}) is too deep to be proven in a build" in error
    assert f"ask for depths=1-{greatest}, or" in error
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("neighbours", [False, True])
def test_pools_survive_their_tables(pools, neighbours):
    pool = pools("htm", 3, 12, neighbours)
    again = from_table(to_table(pool), "htm", 3)
    assert again.states == pool.states
    if neighbours:
        assert again.neighbours.dtype == np.int8
        assert np.array_equal(again.neighbours, pool.neighbours)
    else:
        assert again.neighbours is None


def test_published_depths_are_the_distances(out):
    shells = shells_to("htm", 3)
    for split in dataset_reader.list_splits(out):
        for row in split.iterate_rows(["difficulty", "facelets", "solution"]):
            if row["difficulty"] <= 3:
                assert row["facelets"] in shells[row["difficulty"]]
            solved = moves.apply_maneuver(row["facelets"], row["solution"])
            assert solved == notation.SOLVED
