"""A paper's reply rule belongs to the tasks of that paper: no other has its columns and figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.generators.core.text_game import Game
from facelet.pipeline.dataset.row_columns import arrow_schema
from facelet.pipeline.papers.paper_registry import find_reply_rule, find_task_paper
from facelet.pipeline.scoring.paper_rule_metrics import as_published
from facelet.pipeline.scoring.scorer import ScoreSettings, score

RULED = [
    name
    for name in task_registry.tasks()
    if (paper := find_task_paper(name)) is not None and paper.reply_rules
]
GAMES = [name for name, task in task_registry.tasks().items() if isinstance(task, Game)]
OTHERS = [name for name in GAMES if not name.startswith("arcade/")]


def test_there_are_games_of_both_kinds() -> None:
    assert "chamber/act" in OTHERS and len(GAMES) - len(OTHERS) >= 40


@pytest.mark.parametrize("name", GAMES)
def test_only_the_arcades_games_have_evolarenas_rule(
    name: str, make_case: Callable[..., Any]
) -> None:
    task: Any = task_registry.load_task(name)
    instance = make_case(name, task.params()).instances[0]
    replies = task.reference(instance)
    found = as_published(task, instance, replies, replay(task.open(instance), replies))
    assert bool(found) == name.startswith("arcade/")
    reading = find_reply_rule(task, instance)
    assert ("EvolArena" in reading.words) if found else reading is None


@pytest.mark.parametrize("name", RULED)
def test_who_says_nothing_is_never_right(name: str, make_case: Callable[..., Any]) -> None:
    """So where a rule reads nothing, nothing has to be played."""
    task: Any = task_registry.load_task(name)
    for instance in make_case(name, task.params()).instances[:4]:
        assert replay(task.open(instance), [""] * 300).status is not Status.CORRECT


@pytest.mark.parametrize("name", OTHERS)
def test_scores_of_other_games_name_no_paper(
    name: str, make_case: Callable[..., Any], tmp_path: Path
) -> None:
    """Neither the results nor any file that the scorer writes has a figure under its rule."""
    task: Any = task_registry.load_task(name)
    (instance, *_) = make_case(name, task.params()).instances
    place = task.params().difficulty()
    config = f"mine.{name.rpartition('/')[2]}"
    row = {
        **{"id": f"{config}/{place.label}/000000", "suite": "mine", "task": name},
        **{"task_version": task.version, "split": "test", "difficulty_axis": place.axis},
        **{"difficulty": place.value, "group": "g", "gold": task.gold_answer(instance)},
        **{"messages": [], "images": [], "image_hashes": [], **task.encode(instance)},
    }
    path = tmp_path / "data" / config / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([row], schema=arrow_schema(task.columns)), path)
    describe_folder(tmp_path / "data")
    said = [{"role": "assistant", "content": reply} for reply in task.reference(instance)]
    (tmp_path / "said.jsonl").write_text(json.dumps({"id": row["id"], "messages": said}))
    made = score(tmp_path / "data", [tmp_path / "said.jsonl"], ScoreSettings(resamples=100))
    (model,) = made.results["models"]
    cell, *_ = model["configs"][config]["splits"]["test"]["cells"]
    assert cell["figures"]["accuracy"]["value"] == 1.0
    assert "paper_" not in json.dumps(made.results) and "EvolArena" not in json.dumps(made.results)
