"""A dataset, scores and floor studies of version 0.2.0 stay readable, provable and scorable.

`tests/data/dataset_0_2_0/make.sh` made them with that version. By design, a config whose task has a
new version can no longer be scored here: build it without that task then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader, floor_studies
from facelet.pipeline.dataset.manifest_file import read_manifest
from facelet.pipeline.family_modules import load_task
from facelet.pipeline.rollout.row_opener import read_row, rows
from facelet.pipeline.scoring.render.results_reader import read_results
from tests.shared import recorded_studies

FOLDER = Path(__file__).parents[1] / "data" / "dataset_0_2_0"
DATA, SCORES, PREDICTIONS = FOLDER / "data", FOLDER / "scores", FOLDER / "predictions.jsonl"
FAMILIES = {"arcade", "chamber", "cube", "jigsaw", "labyrinth", "shapes"}


def test_the_folder_is_small_and_has_every_family() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*")) <= 1_000_000
    manifest = read_manifest(DATA)
    assert {config.task.partition("/")[0] for config in manifest.configs.values()} == FAMILIES
    assert manifest.code_version.startswith("0.2.0+")


def test_rows_are_decoded_and_references_win() -> None:
    read = [read_row(raw) for raw in rows(DATA)]
    manifest = read_manifest(DATA)
    assert len(read) == sum(split.rows for _, _, split in manifest.iterate_splits())
    stored = map(json.loads, PREDICTIONS.read_text(encoding="utf-8").splitlines())
    said = {line["id"]: line["prediction"] for line in stored}
    assert {row.id: row.task.reference(row.instance) for row in read} == said
    assert {part.config for part in dataset_reader.list_splits(DATA)} == set(manifest.configs)


def test_it_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", f"dataset={DATA}", "all=true"]) == 0
    assert "result  no failure" in capsys.readouterr().out


def find_differences(then: Any, now: Any, where: str = "") -> list[str]:
    """Return where something of the old results is missing or has another value.

    Results may gain keys, and sentences for people may be reworded.
    """
    if isinstance(then, dict):
        missing = [f"{where}/{key} is missing" for key in then if key not in now]
        known = [key for key in then if key in now]
        return missing + [
            line
            for key in known
            for line in find_differences(then[key], now[key], f"{where}/{key}")
        ]
    if where.endswith("/reasons"):  # sentences
        return [] if bool(then) == bool(now) else [f"{where} is {now!r}, not {then!r}"]
    if isinstance(then, list):
        if len(then) != len(now):
            return [f"{where} has {len(now)} entries, not {len(then)}"]
        pairs = enumerate(zip(then, now, strict=True))
        return [line for n, (a, b) in pairs for line in find_differences(a, b, f"{where}/{n}")]
    is_sentence = isinstance(then, str) and " " in then
    return [] if then == now or is_sentence else [f"{where} is {now!r}, not {then!r}"]


def by_table(models: Any) -> list[dict[str, Any]]:
    """Return models with their papers' tables by name, since later versions may add tables."""
    return [
        model | {"papers": {f"{one['paper']} {one['table']}": one for one in model["papers"]}}
        for model in models
    ]


def test_it_is_scored_as_then(tmp_path: Path) -> None:
    words = [f"dataset={DATA}", f"predictions={PREDICTIONS}", f"out={tmp_path}", "resamples=100"]
    assert main(["score", *words]) == 0
    now, then = read_results(tmp_path), read_results(SCORES)
    (model,) = now["models"]
    for config in model["configs"].values():
        for split in config["splits"].values():
            assert split["counts"]["correct"] == split["items"] > 0
    assert find_differences(by_table(then["models"]), by_table(now["models"])) == []
    assert now["dataset"]["content_hash"] == then["dataset"]["content_hash"]


def test_its_results_are_reported(tmp_path: Path) -> None:
    assert main(["report", f"results={SCORES}", f"dataset={DATA}", f"out={tmp_path / 'site'}"]) == 0
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html")]
    assert all(any(config in page for page in pages) for config in read_manifest(DATA).configs)


def test_floor_studies_are_found() -> None:
    tasks = recorded_studies.list_studied_tasks()
    assert len(tasks) >= 20 and {name.partition("/")[0] for name in tasks} >= {"cube", "arcade"}
    for name, version in tasks.items():
        studies = recorded_studies.list_task_studies(name)
        assert studies and version <= load_task(name).version
        for one in studies:
            assert floor_studies.find_study(name, version, one.params) == one
            assert one.low <= one.to_studied_floor().value <= one.high
