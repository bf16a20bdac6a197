"""A closed loop and its tree, published for the scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.cube.closed_loop.prompts import Params
from facelet.pipeline.dataset.row_columns import arrow_schema, row_id

DEPTHS = (1, 2, 3, 4, 5)
EACH = 2
"""Items of each depth."""

SEED_NAMES = ("walks", "test", "optimal_depth")

LOOP, TREE = "s.loop", "s.tree"


@dataclass(frozen=True)
class PublishedLoop:
    """A closed loop and its tree, published as one dataset.

    Attributes:
        folder: the dataset.
        episodes: the instances of the loop by id.
        decisions: the instances of the tree by id.
    """

    folder: Path
    episodes: dict[str, Any]
    decisions: dict[str, Any]


def seed_path(name: str, depth: int) -> tuple[Any, ...]:
    """Return the seed path of a cell, as a plan makes it."""
    return (0, name, task_registry.load_task(name).version, *SEED_NAMES, depth)


def publish_loop(
    folder: Path, resource: Callable[..., Any], params: Mapping[str, Any]
) -> PublishedLoop:
    """Write the rows of a loop and of its tree in the published layout."""
    found: dict[str, dict[str, Any]] = {}
    for config, name in ((LOOP, "cube/step_by_step"), (TREE, "cube/step_tree")):
        task = task_registry.load_task(name)
        rows, instances = [], {}
        for depth in DEPTHS:
            chosen = Params(depth=depth, **params)
            pool = resource(task.needs(chosen))
            for index in range(EACH):
                made = task.generate(chosen, Draw(seed_path(name, depth), index), pool)
                for place, instance in enumerate(made):
                    numbers = (index, place) if config == TREE else (index,)
                    key = row_id(config, f"d{depth:02d}", *numbers)
                    common = {
                        "id": key,
                        "suite": "s",
                        "task": name,
                        "task_version": task.version,
                        "split": "test",
                        "difficulty_axis": "optimal_depth",
                        "difficulty": depth,
                        "group": task.group_key(instance),
                        "gold": task.gold_answer(instance),
                        "messages": [],
                        "images": [],
                        "image_hashes": [],
                    }
                    rows.append(common | task.encode(instance))
                    instances[key] = instance
        file = folder / config / "test-00000-of-00001.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(task.columns)), file)
        found[config] = instances
    describe_folder(folder)
    return PublishedLoop(folder, found[LOOP], found[TREE])
