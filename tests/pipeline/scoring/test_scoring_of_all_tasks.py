"""Scoring over the whole registry: rows as published, reference replies, and replies that are none.

A task that is added is covered without a line here.
"""

from __future__ import annotations

import json
import string
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe

from facelet.generators.core import registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.dataset.rows import schema
from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.places import plain
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.pipeline.scoring.telling import markdown
from facelet.pipeline.scoring.telling.items import write_items

ITEMS = 4
QUICK = ScoreSettings(resamples=100, everything=True)


def drawn(task: Any, params: Any, index: int, resource: Any) -> Any:
    """Return the rows of an item, as the first attempt that is no bad luck gives them."""
    for attempt in range(200):
        try:
            return task.generate(params, Draw(("scoring", task.name), index, attempt), resource)
        except Reject:
            continue
    raise AssertionError(f"{task.name} rejected 200 attempts")


@pytest.fixture(scope="module", params=list(registry.tasks()))
def published(request, tmp_path_factory, resource):
    """A small dataset of one task, and the reference replies of its rows by id."""
    task = registry.task(request.param)
    params = task.params()
    place = params.difficulty()
    rows, replies = [], {}
    for index in range(ITEMS):
        for instance in drawn(task, params, index, resource(task.needs(params))):
            key = f"suite.task/{place.label}/{len(rows):06d}"
            common = {
                "id": key,
                "suite": "suite",
                "task": task.name,
                "task_version": task.version,
                "split": "test",
                "difficulty_axis": place.axis,
                "difficulty": place.value,
                "group": task.group(instance),
                "messages": [],
                "images": [],
                "image_hashes": [],
                "gold": task.gold(instance),
            }
            rows.append({**common, **task.encode(instance)})
            replies[key] = task.reference(instance)
    root = tmp_path_factory.mktemp("data")
    path = root / "suite.task" / "test-00000-of-00001.parquet"
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema(task.columns)), path)
    describe(root)
    return root, replies


def run(published, tmp_path, reply):
    """Return the report of a player whose replies are made from the reference replies."""
    root, replies = published
    path = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"id": key, "prediction": reply(said)}) for key, said in replies.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    scores = score(root, [path], QUICK)
    write_items(scores.populations, tmp_path / "items.parquet")
    assert pq.read_metadata(tmp_path / "items.parquet").num_rows == len(replies)
    json.dumps(scores.results, allow_nan=False)
    assert markdown.document(scores.results).startswith("# Scores on")
    return scores.results["models"][0]["configs"]["suite.task"]["splits"]["test"]


def figures_of_papers(task: str) -> set[str]:
    """Return the figures of a task's report that papers' tables take."""
    layouts = [layout for paper in rooms.papers().values() for layout in paper.layouts]
    parts = {part.name for layout in layouts for part in layout.parts if part.task == task}
    cells = (cell for layout in layouts for line in layout.lines for cell in line.places)
    return {place.figure for place in plain(cells) if place.part in parts}


@pytest.mark.some(3)
def test_reference_replies_are_all_right(published, tmp_path):
    report = run(published, tmp_path, lambda said: said)
    figures = report["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 1.0
    assert figures["strict_accuracy"]["value"] == 1.0
    assert report["counts"]["correct"] + report["counts"]["ungraded"] == report["items"]
    reported = {name for cell in report["cells"] for name in cell["figures"]}
    assert figures_of_papers(report["task"]) <= reported


@pytest.mark.some(4)
@pytest.mark.parametrize(
    "said",
    [
        "I cannot tell.",
        string.printable,
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("<think>" * 50, marks=pytest.mark.slow),
    ],
)
@pytest.mark.some(3)
def test_replies_that_are_none_earn_nothing(published, tmp_path, said):
    report = run(published, tmp_path, lambda replies: [said] * len(replies))
    figures = report["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 0.0
    assert report["counts"]["correct"] == 0


@pytest.mark.some(3)
def test_thoughts_before_a_right_reply_change_nothing_but_strictness_may(published, tmp_path):
    report = run(
        published, tmp_path, lambda said: [f"<think>{reply}</think>\n{reply}" for reply in said]
    )
    assert report["cells"][0]["figures"]["accuracy"]["value"] == 1.0
