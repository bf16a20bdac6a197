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
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.dataset.row_columns import arrow_schema
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import iterate_plain_figures
from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score

ITEMS = 4
QUICK = ScoreSettings(resamples=100, everything=True)


def draw_item(task: Any, params: Any, index: int, resource: Any) -> Any:
    """Return the rows of an item, as the first attempt that is no bad luck gives them."""
    for attempt in range(200):
        try:
            return task.generate(params, Draw(("scoring", task.name), index, attempt), resource)
        except Reject:
            continue
    raise AssertionError(f"{task.name} rejected 200 attempts")


@pytest.fixture(scope="module", params=list(task_registry.tasks()))
def published(request, tmp_path_factory, resource):
    """A small dataset of one task, and the reference replies of its rows by id."""
    task = task_registry.load_task(request.param)
    params = task.params()
    place = params.difficulty()
    rows, replies = [], {}
    for index in range(ITEMS):
        for instance in draw_item(task, params, index, resource(task.needs(params))):
            key = f"suite.task/{place.label}/{len(rows):06d}"
            common = {
                "id": key,
                "suite": "suite",
                "task": task.name,
                "task_version": task.version,
                "split": "test",
                "difficulty_axis": place.axis,
                "difficulty": place.value,
                "group": task.group_key(instance),
                "messages": [],
                "images": [],
                "image_hashes": [],
                "gold": task.gold_answer(instance),
            }
            rows.append({**common, **task.encode(instance)})
            replies[key] = task.reference(instance)
    root = tmp_path_factory.mktemp("data")
    path = root / "suite.task" / "test-00000-of-00001.parquet"
    path.parent.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(task.columns)), path)
    describe_folder(root)
    return root, replies


def score_player(published, tmp_path, reply):
    """Return the report of a player whose replies are made from the reference replies."""
    root, replies = published
    path = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"id": key, "prediction": reply(said)}) for key, said in replies.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    scores = score(root, [path], QUICK)
    write_items(scores.populations, tmp_path / "items.parquet")
    assert pq.read_metadata(tmp_path / "items.parquet").num_rows == len(replies)
    json.dumps(scores.results, allow_nan=False)
    assert markdown.render_document(scores.results).startswith("# Scores on")
    return scores.results["models"][0]["configs"]["suite.task"]["splits"]["test"]


def paper_figures(task: str) -> set[str]:
    """Return the figures of a task's report that papers' tables take."""
    layouts = [
        layout for paper in paper_registry.load_papers().values() for layout in paper.layouts
    ]
    parts = {part.name for layout in layouts for part in layout.parts if part.task == task}
    cells = (cell for layout in layouts for line in layout.lines for cell in line.figures)
    return {place.figure for place in iterate_plain_figures(cells) if place.part in parts}


@pytest.mark.some(3)
def test_reference_replies_are_all_right(published, tmp_path):
    report = score_player(published, tmp_path, lambda said: said)
    figures = report["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 1.0
    assert figures["strict_accuracy"]["value"] == 1.0
    assert report["counts"]["correct"] + report["counts"]["ungraded"] == report["items"]
    reported = {name for cell in report["cells"] for name in cell["figures"]}
    # Patterns are counted with patterns=lexical only.
    expected = {one for one in paper_figures(report["task"]) if not one.startswith("pattern_")}
    assert expected <= reported


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
    report = score_player(published, tmp_path, lambda replies: [said] * len(replies))
    figures = report["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 0.0
    assert report["counts"]["correct"] == 0


@pytest.mark.some(3)
def test_thoughts_before_a_right_reply_change_nothing_but_strictness_may(published, tmp_path):
    report = score_player(
        published, tmp_path, lambda said: [f"<think>{reply}</think>\n{reply}" for reply in said]
    )
    assert report["cells"][0]["figures"]["accuracy"]["value"] == 1.0
