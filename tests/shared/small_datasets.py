"""Small datasets of every task as a build publishes them, and players that know the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Need, Reject
from facelet.pipeline.dataset.hub_features import with_features
from facelet.pipeline.dataset.row_columns import CANARY, arrow_schema, prompt_to_messages
from facelet.renderers.api import render_png

ITEMS = 2


@dataclass(frozen=True)
class PublishedTask:
    """A dataset of one task: its folder, its rows with image bytes, and replies that succeed."""

    folder: Path
    table: pa.Table
    references: dict[str, list[str]]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return self.table.to_pylist()


def draw_items(task: Any, params: Any, resource: Any, items: int) -> list[Any]:
    """Return the instances of the first items, each at the first attempt that is no bad luck."""
    found: list[Any] = []
    for index in range(items):
        for attempt in range(200):
            try:
                draw = Draw(("environment", task.name), index, attempt)
                found += task.generate(params, draw, resource)
                break
            except Reject:
                continue
    return found


def make_published_row(task: Any, instance: Any, params: Any, number: int) -> dict[str, Any]:
    place = params.difficulty()
    identifier = f"suite.{task.name.rpartition('/')[2]}/{place.label}/{number:06d}"
    chat, scenes = prompt_to_messages(task.open(instance).prompt())
    drawn = [render_png(scene) for scene in scenes]
    common = {
        "id": identifier,
        "suite": "suite",
        "task": task.name,
        "task_version": task.version,
        "split": "test",
        "difficulty_axis": place.axis,
        "difficulty": place.value,
        "group": task.group_key(instance),
        "messages": chat,
        "images": [
            {"bytes": data, "path": f"{identifier}#{k}.png"} for k, (data, _) in enumerate(drawn)
        ],
        "image_hashes": [pixels for _, pixels in drawn],
        "gold": task.gold_answer(instance),
        "canary": CANARY,
        "provenance": None,
    }
    return {**common, **task.encode(instance)}


@pytest.fixture(scope="session")
def publish(
    tmp_path_factory: pytest.TempPathFactory, resource: Callable[[Need | None], Any]
) -> Callable[..., PublishedTask]:
    """Return a function that publishes a small dataset of a task, once."""

    @cache
    def publish_task(name: str, items: int = ITEMS, **knobs: Any) -> PublishedTask:
        task = task_registry.load_task(name)
        params = task.params(**knobs)
        instances = draw_items(task, params, resource(task.needs(params)), items)
        rows = [
            make_published_row(task, one, params, number) for number, one in enumerate(instances)
        ]
        table = pa.Table.from_pylist(rows, schema=with_features(arrow_schema(task.columns)))
        folder = tmp_path_factory.mktemp("published")
        path = folder / f"suite.{name.rpartition('/')[2]}" / "test-00000-of-00001.parquet"
        path.parent.mkdir()
        pq.write_table(table, path)
        describe_folder(folder)
        pairs = zip(rows, instances, strict=True)
        return PublishedTask(folder, table, {row["id"]: task.reference(one) for row, one in pairs})

    return publish_task
