"""Workers: however many processes judge, the same bytes are written."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.row_columns import arrow_schema
from facelet.pipeline.scoring import scorer, worker_pool
from facelet.pipeline.scoring.grade import outcome_store
from facelet.pipeline.scoring.ingest import file_spans, prediction_reader
from facelet.pipeline.scoring.scored_dataset import open_dataset
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.pipeline.scoring.worker_pool import WorkerPool, open_pool


@pytest.fixture
def dataset(tmp_path):
    """Rows of two real tasks, which a process of a crew finds too."""
    for name in ("shapes/forward_writing", "arcade/guess_max"):
        task = task_registry.load_task(name)
        params = task.params()
        rows = []
        while len(rows) < 40:
            for instance in task.generate(params, Draw(("workers", name), len(rows)), None):
                common = {
                    "id": f"suite.{task.name.partition('/')[2]}/d01/{len(rows):06d}",
                    "suite": "suite",
                    "task": name,
                    "task_version": task.version,
                    "split": "test",
                    "difficulty_axis": "depth",
                    "difficulty": 1,
                    "group": task.group_key(instance),
                    "messages": [],
                    "images": [],
                    "image_hashes": [],
                    "gold": task.gold_answer(instance),
                }
                rows.append({**common, **task.encode(instance)})
        path = tmp_path / f"data/suite.{name.partition('/')[2]}/test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        table = pa.Table.from_pylist(rows, schema=arrow_schema(task.columns))
        pq.write_table(table, path, row_group_size=16)
    describe_folder(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def asked(dataset, tmp_path):
    """A file of three samples for each row, with lines that are none."""
    lines = []
    for split in dataset_reader.list_splits(dataset):
        for number, row in enumerate(split.iterate_rows(["id", "gold"])):
            for sample in range(3):
                reply = row["gold"] if (number + sample) % 3 else f"not sure about {number}"
                said = {"id": row["id"], "prediction": reply, "model": f"m{sample % 2}"}
                said |= {"sample_idx": sample, "finish_reason": f"r{number % 7}"}
                lines.append(json.dumps(said)[: 20 if number % 11 == 5 else None])
                if number % 13 == 7:
                    lines.append(json.dumps({"id": "no/such/000001", "prediction": "A"}))
    path = tmp_path / "predictions.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("handing", ["judge_share", "judge_block"])
@pytest.mark.parametrize("many", [3, pytest.param(2, marks=pytest.mark.slow)])
def test_the_number_of_workers_changes_no_byte(
    many, handing, dataset, asked, tmp_path, monkeypatch
):
    """Whether workers read what they judge, or are handed what was read."""
    if handing == "judge_block":
        monkeypatch.setattr(prediction_reader, "begins_lines", lambda *_: False)
    monkeypatch.setattr(outcome_store, "BLOCK", 40)
    monkeypatch.setattr(worker_pool, "PIECE", 1)
    monkeypatch.setattr(file_integrity, "BATCH_ROWS", 16)
    monkeypatch.setattr(file_spans, "SPAN", 2000)
    handed = []

    class CountingCrew(WorkerPool):
        def submit_job(self, make, *job):
            handed.extend([make] if self.count > 1 else ())
            return super().submit_job(make, *job)

    made = {}
    for workers in (1, many):
        monkeypatch.setattr(scorer, "open_pool", lambda count, *_: CountingCrew(count))
        handed.clear()
        replies, items = tmp_path / f"replies{workers}", tmp_path / f"items{workers}"
        settings = ScoreSettings(resamples=100, workers=workers)
        scores = score(dataset, [asked], settings, replies, items)
        text = json.dumps(scores.results)
        made[workers] = text, replies.read_bytes(), items.read_bytes()
        told = Counter(make.__name__ for make in handed)
        for kind in ("_hash_shard_part", handing):
            assert (told[kind] > 3) == (workers > 1)
    assert made[1] == made[many]
    assert json.loads(made[1][0])["inputs"][0]["broken_examples"][0]["line"] == 16


def test_a_crew_is_no_larger_than_the_files_are_worth(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(100))
    assert open_pool(8, [path]).count == 1
    os.truncate(path, 2 * worker_pool.PIECE)
    assert open_pool(8, [path]).count == 3
    assert open_pool(2, [path]).count == 2


def test_a_killed_worker_is_told():
    with WorkerPool(2) as two, pytest.raises(ValueError, match="score again with workers=1"):
        list(two.map_jobs(os._exit, [(1,), (1,)]))


def test_scoring_loads_no_builder_and_hides_no_package(dataset, asked, tmp_path):
    code = (
        "import sys; finders = list(sys.meta_path)\n"
        "from facelet.pipeline.cli import main; import pyarrow as pa\n"
        "print(main(), *{'datasets', 'hydra', 'altair'} & set(sys.modules))\n"
        "print(len(pa.table({'a': [1, 2]}).to_pandas()), sys.meta_path == finders)"
    )
    words = [f"dataset={dataset}", f"predictions={asked}", f"out={tmp_path}/out", "resamples=100"]
    command = [sys.executable, "-c", code, "score", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["0", "2 True"]


def test_workers_are_given_the_index_of_rows(dataset):
    found = open_dataset(dataset)
    assert pickle.loads(pickle.dumps(found.for_worker())).__dict__["row_index"] == found.row_index
