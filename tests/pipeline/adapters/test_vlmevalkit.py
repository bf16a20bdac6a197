"""VLMEvalKit: its tables hold the rows, its path and `facelet score` come to the same verdicts.

VLMEvalKit is in no package index, so what it is asked for stands in for it here: the base class,
the list of classes, and how it reads and writes tables.
"""

from __future__ import annotations

import csv
import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from facelet.pipeline.adapters import vlmevalkit
from facelet.pipeline.cli import main


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    known, base, smp = map(
        ModuleType, ("vlmeval.dataset", "vlmeval.dataset.image_base", "vlmeval.smp")
    )
    base.ImageBaseDataset = type("ImageBaseDataset", (), {})  # type: ignore[attr-defined]
    known.DATASET_CLASSES, known.SUPPORTED_DATASETS = [], []  # type: ignore[attr-defined]
    smp.LMUDataRoot = lambda: str(tmp_path / "lmu")  # type: ignore[attr-defined]
    smp.load = lambda path: pd.read_csv(path, sep="\t", keep_default_na=False)  # type: ignore[attr-defined]
    smp.dump = lambda table, path: table.to_csv(path)  # type: ignore[attr-defined]
    for module in (ModuleType("vlmeval"), known, base, smp):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return known


@pytest.mark.parametrize("task", ["jigsaw/assemble_easy", "cube/face_recognition"])
def test_verdicts_are_those_of_the_scorer(
    task: str, harness: ModuleType, publish: Any, tmp_path: Path, capsys: Any
) -> None:
    data = publish(task)
    out = tmp_path / "tables"
    words = ["harness", "tool=vlmevalkit", f"dataset={data.folder}", f"out={out}"]
    assert main(words) == 0
    capsys.readouterr()
    monkey = out / "facelet_rows.py"
    runpy.run_path(str(monkey), run_name="rows")
    (cls,) = harness.DATASET_CLASSES  # type: ignore[attr-defined]
    (name,) = harness.SUPPORTED_DATASETS  # type: ignore[attr-defined]
    assert cls.supported_datasets() == [name]
    dataset = cls(dataset=name)
    assert list(dataset.data["id"]) == [row["id"] for row in data.rows]
    replies = []
    for number, row in enumerate(data.rows):
        chat = dataset.build_prompt(number)
        assert [p["value"] for p in chat if p["type"] == "text"] == [
            part["text"]
            for message in row["messages"]
            for part in message["content"]
            if part["type"] == "text"
        ]
        shown = [Path(p["value"]).read_bytes() for p in chat if p["type"] == "image"]
        assert shown == [image["bytes"] for image in row["images"]]
        (right,) = data.references[row["id"]]
        replies.append((right, "I do not know.", f"Surely: {right}\n")[number % 3])
    told = dataset.data.drop(columns=["image", "image_path"], errors="ignore")
    file = tmp_path / f"toy_{name}.tsv"
    told.assign(prediction=replies).to_csv(file, sep="\t", index=False, quoting=csv.QUOTE_ALL)
    means = dataset.evaluate(str(file))
    assert file.with_name(file.stem + "_acc.csv").is_file()

    scores = tmp_path / "scores"
    words = [f"dataset={data.folder}", f"predictions={file}", f"out={scores}", "verify=false"]
    assert main(["score", *words]) == 0
    items = {line["id"]: line for line in pq.read_table(scores / "items.parquet").to_pylist()}
    ours = [items[row["id"]] for row in data.rows]
    lines = [
        {"id": row["id"], "prediction": said} for row, said in zip(data.rows, replies, strict=True)
    ]
    theirs = vlmevalkit.score_lines(lines, str(data.folder))
    right = [float(line["status"] == "correct") for line in ours]
    assert [one["acc"] for one in theirs] == right
    assert {0.0, 1.0} == set(right)
    assert [one["strict_acc"] for one in theirs] == [
        float(line["status"] == "correct" and line["strict"]) for line in ours
    ]
    overall = means[means["category"] == "Overall"]["acc"].item()
    assert overall == pytest.approx(sum(right) / len(right))


def test_the_columns_are_those_it_knows(publish: Any, tmp_path: Path) -> None:
    data = publish("cube/face_recognition")
    assert main(["harness", "tool=vlmevalkit", f"dataset={data.folder}", f"out={tmp_path}/t"]) == 0
    (sheet,) = (tmp_path / "t").glob("*.tsv")
    csv.field_size_limit(2**31 - 1)
    with sheet.open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file, delimiter="\t"))
    assert {"index", "image", "question", "answer", "category", "split"} <= set(first)
    assert first["answer"] == data.rows[0]["gold"] and first["category"] in first["id"]
    assert [part["type"] for part in json.loads(first["chat"])].count("image") == 1


def test_without_it_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="VLMEvalKit is not installed"):
        vlmevalkit.register(tmp_path, "data")
