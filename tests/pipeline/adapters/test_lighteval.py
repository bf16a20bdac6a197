"""lighteval: its tasks show the rows, its path and `facelet score` come to the same verdicts.

What lighteval is asked for stands in for it here, with the names and fields of its version 0.13:
the records of tasks, questions, answers and metrics.
"""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import Enum
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from facelet.pipeline.adapters import lighteval
from facelet.pipeline.cli import main

REPLIES = 500


@dataclass
class FakeDoc:
    query: str
    choices: list[str]
    gold_index: int
    images: list[Any] | None = None
    specific: dict[str, str] | None = None
    task_name: str = ""


@dataclass
class FakeConfig:
    name: str
    prompt_function: Callable[[dict[str, Any], str], FakeDoc]
    hf_repo: str
    hf_subset: str
    metrics: list[Any]
    hf_revision: str | None = None
    hf_avail_splits: list[str] = field(default_factory=list)
    evaluation_splits: list[str] = field(default_factory=list)
    generation_size: int | None = None
    stop_sequence: list[str] | None = None
    version: int = 0


@dataclass
class FakeGrouping:
    metric_name: list[str]
    higher_is_better: dict[str, bool]
    category: Enum
    sample_level_fn: Any
    corpus_level_fn: dict[str, Callable[[list[float]], float]]


@dataclass
class FakeResponse:
    text: list[str]


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, dict[str, object]] = {
        "lighteval": {},
        "lighteval.tasks.lighteval_task": {"LightevalTaskConfig": FakeConfig},
        "lighteval.tasks.requests": {
            "Doc": FakeDoc,
            "SamplingMethod": Enum("SamplingMethod", "GENERATIVE"),
        },
        "lighteval.metrics.metrics_sample": {"SampleLevelComputation": object},
        "lighteval.metrics.utils.metric_utils": {"SampleLevelMetricGrouping": FakeGrouping},
    }
    for name, values in held.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)


def load_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as `load_dataset` gives it to lighteval."""
    images = [Image.open(BytesIO(image["bytes"])) for image in row["images"]]
    return {**row, "images": images, "__index": 0, "__few_shots": False}


def make_table(data: Any, out: Path) -> list[Any]:
    words = ["harness", "tool=lighteval", f"dataset={data.folder}", f"out={out}"]
    assert main(words) == 0
    tasks: list[Any] = runpy.run_path(str(out / "facelet_tasks.py"))["TASKS_TABLE"]
    return tasks


def list_replies(data: Any) -> list[tuple[str, str]]:
    """Return as many replies as are compared, of every manner, to the rows in turn."""
    rights = [data.references[row["id"]][0] for row in data.rows]
    said = []
    for number in range(REPLIES // 2):
        place = number % len(data.rows)
        right, other = rights[place], rights[(place + 1) % len(rights)]
        manners = (
            *(right, other, "", "I do not know.", f"Surely:\n\n{right}\n", right.lower()),
            *(f"**{right}**", f"{other}\nNo, wait.\n{right}", f"<think>{other}</think>{right}"),
            *(right[: len(right) // 2], f"It is not {right}", f"{right} " * 3, "A", "`" + right),
        )
        text = manners[number // len(data.rows) % len(manners)]
        said.append((data.rows[place]["id"], text + " " * (number % 3)))
    return said


@pytest.mark.usefixtures("harness")
@pytest.mark.parametrize("task", ["jigsaw/assemble_easy", "cube/face_recognition"])
def test_verdicts_are_those_of_the_scorer(task: str, publish: Any, tmp_path: Path) -> None:
    data = publish(task)
    (config,) = make_table(data, tmp_path / "tasks")
    (metric,) = config.metrics
    rows = {row["id"]: row for row in data.rows}
    docs = {name: config.prompt_function(load_row(row), config.name) for name, row in rows.items()}
    said = list_replies(data)
    theirs = [
        metric.sample_level_fn.compute(doc=docs[name], model_response=FakeResponse([text]))
        for name, text in said
    ]
    file = tmp_path / "replies.jsonl"
    lines = (
        {"id": name, "prediction": text, "sample_idx": number}
        for number, (name, text) in enumerate(said)
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    scores = tmp_path / "scores"
    words = [f"dataset={data.folder}", f"predictions={file}", f"out={scores}", "verify=false"]
    assert main(["score", *words]) == 0
    items = pq.read_table(scores / "items.parquet").to_pylist()
    ours = {one["sample_idx"]: one for one in items if one["status"] != "missing"}
    assert len(ours) == REPLIES // 2
    differ = [
        (text, one)
        for number, ((_, text), one) in enumerate(zip(said, theirs, strict=True))
        if one["acc"] != (ours[number]["status"] == "correct")
        or one["strict_acc"] != (ours[number]["status"] == "correct" and ours[number]["strict"])
    ]
    assert differ == []
    assert {one["acc"] for one in theirs} == {one["strict_acc"] for one in theirs} == {0.0, 1.0}
    assert metric.corpus_level_fn["acc"]([0.0, 1.0]) == 0.5


@pytest.mark.usefixtures("harness")
def test_details_of_a_run_are_scored_as_the_replies_are(publish: Any, tmp_path: Path) -> None:
    data = publish("jigsaw/assemble_easy")
    (config,) = make_table(data, tmp_path / "tasks")
    (metric,) = config.metrics
    details, theirs = [], []
    for row in data.rows:
        doc = config.prompt_function(load_row(row), config.name)
        right = data.references[row["id"]][0]
        for text in (right, "I do not know."):
            judged = metric.sample_level_fn.compute(doc=doc, model_response=FakeResponse([text]))
            theirs.append(judged["acc"])
        texts = [right, "I do not know."]
        response = {"input": doc.query, "text": texts, "text_post_processed": None}
        details.append({"doc": asdict(doc), "metric": judged, "model_response": response})
    file = tmp_path / f"details_{config.name}|0_2026.parquet"
    pq.write_table(pa.Table.from_pylist(details), file)
    scores = tmp_path / "scores"
    words = [f"dataset={data.folder}", f"predictions={file}", f"out={scores}"]
    assert main(["score", *words]) == 0
    items = pq.read_table(scores / "items.parquet").to_pylist()
    order = {row["id"]: number for number, row in enumerate(data.rows)}
    items.sort(key=lambda one: (order[one["id"]], one["sample_idx"]))
    assert [float(one["status"] == "correct") for one in items] == theirs == [1, 0] * len(order)


@pytest.mark.usefixtures("harness")
def test_a_question_shows_the_row_and_its_pictures(publish: Any, tmp_path: Path) -> None:
    data = publish("cube/face_recognition")
    (config,) = make_table(data, tmp_path / "tasks")
    row = data.rows[0]
    doc = config.prompt_function(load_row(row), config.name)
    texts = [p["text"] for m in row["messages"] for p in m["content"] if p["type"] == "text"]
    assert doc.query.split("\n\n") == "\n\n".join(texts).split("\n\n")
    assert [image.mode for image in doc.images] == ["RGB"] * len(row["images"])
    assert doc.choices == [row["gold"]] and doc.specific["id"] == row["id"]
    assert config.evaluation_splits == ["test"] and config.hf_subset == row["id"].split("/")[0]
    assert config.stop_sequence == []  # else it cuts at a blank line


@pytest.mark.usefixtures("harness")
def test_tasks_with_pictures_stand_in_a_list_of_their_own(script: Any, tmp_path: Path) -> None:
    out = tmp_path / "tasks"
    words = [f"dataset={script.folder}", f"out={out}", "hub=me/data", "revision=v1"]
    assert main(["harness", "tool=lighteval", *words]) == 0
    lists = {path.stem: path.read_text().split() for path in out.glob("*.txt")}
    assert lists == {
        "facelet_suite": ["facelet_suite_assemble_easy|0"],
        "facelet_suite_pictures": ["facelet_suite_face_recognition|0"],
    }
    tasks = runpy.run_path(str(out / "facelet_tasks.py"))["TASKS_TABLE"]
    assert {(one.hf_repo, one.hf_revision) for one in tasks} == {("me/data", "v1")}


def test_it_loads_no_hydra() -> None:
    """Of one package lighteval and Hydra need versions that do not go together."""
    code = (
        "import sys, facelet.pipeline.adapters.lighteval\n"
        "print([name for name in ('hydra', 'omegaconf', 'antlr4') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_it_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lighteval", None)
    with pytest.raises(ImportError, match="pip install lighteval"):
        lighteval.tasks("data", "", [])
