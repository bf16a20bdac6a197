"""Recheck a published row by simulation and rendering.

A row is taken as its file holds it, by a stranger: it is decoded, its question asked again, its
pictures decoded and drawn again, its labels derived again, its reference replies judged. What only
a search can prove comes back as claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow.parquet as pq

from facelet.generators.core.replay import replay
from facelet.generators.core.shown_keys import list_sorted_classes
from facelet.generators.core.task import Claim, Status
from facelet.pipeline.dataset.file_integrity import (
    IntegrityFailure,
    ListedShard,
    find_picture_faults,
)
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import (
    DECODE_ERRORS,
    AnyRow,
    canary_value,
    prompt_to_messages,
)
from facelet.pipeline.dataset.store_address import arrow_source
from facelet.pipeline.family_modules import AnyTask, Lookup
from facelet.renderers.api import render_png
from facelet.renderers.scenes.records import Scene


@dataclass(frozen=True, slots=True)
class ExpectedConfig:
    """What the manifest says about all rows of one config.

    Attributes:
        suite: their suite.
        task: their task.
        task_version: its version.
        difficulties: the difficulty of each cell, by its label in row ids.
    """

    suite: str
    task: str
    task_version: int
    difficulties: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RowChecks:
    """What rechecking some rows found.

    Attributes:
        rows: how many rows.
        failures: what is wrong with them.
        claims: what is left to prove, each with the id of the row that claims it.
    """

    rows: int
    failures: tuple[IntegrityFailure, ...]
    claims: tuple[tuple[Claim, str], ...]


def read_expected(manifest: Manifest, config: str) -> ExpectedConfig:
    """Return what a manifest says about a config's rows."""
    part = manifest.configs[config]
    cells = [cell for inside in part.splits.values() for cell in inside.cells]
    return ExpectedConfig(
        part.suite,
        part.task,
        part.task_version,
        {cell.label: cell.difficulty for cell in cells},
    )


def check_rows(
    out: Path, shard: ListedShard, numbers: Sequence[int], want: ExpectedConfig, lookup: Lookup
) -> RowChecks:
    """Recheck rows of a shard.

    Args:
        out: the dataset folder.
        shard: the shard, which can be read.
        numbers: which rows, by their numbers in the shard, ascending.
        want: what the manifest says about the config.
        lookup: finds a task by its name.
    """
    failures: list[IntegrityFailure] = []
    claims: list[tuple[Claim, str]] = []
    task = lookup(want.task)
    for row in _iterate_rows(out / shard.path, numbers):
        wrong: list[str] = []
        try:
            wrong += _check_common_columns(row, shard, want)
            instance = task.decode(row)
            wrong += _check_question(row, task, instance)
            wrong += _check_labels(row, task, instance)
            claims += [(claim, row["id"]) for claim in task.claims(instance)]
        except DECODE_ERRORS as error:
            wrong.append(f"cannot be decoded: {type(error).__name__}: {error}")
        failures += [IntegrityFailure(row["id"], text) for text in wrong]
    return RowChecks(len(numbers), tuple(failures), tuple(claims))


def _iterate_rows(path: Path, numbers: Sequence[int]) -> Iterator[AnyRow]:
    """Yield rows of a shard with their image bytes, reading only the row groups that hold them."""
    wanted = sorted(numbers)
    with pq.ParquetFile(arrow_source(path)) as file:
        first = 0
        for group in range(file.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            inside = [number - first for number in wanted if first <= number < first + size]
            if inside:
                yield from file.read_row_group(group, use_threads=False).take(inside).to_pylist()
            first += size


def _check_common_columns(row: AnyRow, shard: ListedShard, want: ExpectedConfig) -> Iterator[str]:
    """Yield what is wrong with the columns that every row has."""
    cell = row["id"].rpartition("/")[0].rpartition("/")[2]
    said = {
        "suite": want.suite,
        "task": want.task,
        "task_version": want.task_version,
        "split": shard.split,
        "canary": canary_value(shard.split),
        "difficulty": want.difficulties.get(cell),
    }
    yield from (
        f"{name} is {row[name]!r}, not {value!r}"
        for name, value in said.items()
        if row[name] != value
    )
    if not row["id"].startswith(f"{shard.config}/"):
        yield f"its id does not begin with {shard.config}/"
    if (axis := row["difficulty_axis"]) in row and row[axis] != row["difficulty"]:
        yield f"difficulty is {row['difficulty']}, {axis} is {row[axis]}"
    yield from find_picture_faults(row)


def _check_question(row: AnyRow, task: AnyTask, instance: object) -> Iterator[str]:
    """Yield where the row differs from the question that its columns make."""
    chat, scenes = prompt_to_messages(task.open(instance).prompt())
    if chat != row["messages"]:
        yield "the messages are not the question that its columns make"
    drawn = [_scene_pixel_hash(scene) for scene in scenes]
    if drawn != row["image_hashes"]:
        yield f"the scenes drawn again have the pixels {drawn}, not {row['image_hashes']}"
    for name, value in task.encode(instance).items():
        if row[name] != (list(value) if isinstance(value, tuple) else value):
            yield f"column {name} is {row[name]!r}; encoded again it is {value!r}"


def _check_labels(row: AnyRow, task: AnyTask, instance: object) -> Iterator[str]:
    """Yield which labels of the row are false."""
    for name, value in (("gold", task.gold_answer(instance)), ("group", task.group_key(instance))):
        if row[name] != value:
            yield f"{name} is {row[name]!r}; derived again it is {value!r}"
    if (said := row.get("shown")) is not None:
        if said != (found := list_sorted_classes(row["task"], task.list_shown_keys(instance))):
            yield f"shown is {said}; derived again it is {found}"
    yield from task.find_faults(instance)
    outcome = replay(task.open(instance), task.reference(instance))
    if outcome.status not in (Status.CORRECT, Status.UNGRADED):
        yield f"the reference replies are judged {outcome.status}"


@lru_cache(maxsize=256)
def _scene_pixel_hash(scene: Scene) -> str:
    """Return the pixel hash of a scene drawn now; rows of one item show the same scenes."""
    return render_png(scene)[1]
