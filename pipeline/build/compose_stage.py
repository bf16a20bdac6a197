"""Compose the rows of a build: draw items, generate instances, write their messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.generators.core.seeding import Draw
from facelet.generators.core.shown_keys import split_of
from facelet.generators.core.task import Reject
from facelet.pipeline.build.build_folder import (
    INTERMEDIATE_SUFFIX,
    WORK,
    CompletionRecord,
    ShardContent,
)
from facelet.pipeline.build.build_plan import BuildPlan, CellFill, PlanCell
from facelet.pipeline.build.job_runner import StageRunner
from facelet.pipeline.build.pool_stages import PoolFile
from facelet.pipeline.dataset import duplicates, floor_record
from facelet.pipeline.dataset.row_columns import AnyRow, arrow_schema
from facelet.pipeline.dataset.row_composer import RowPlace, compose_row
from facelet.pipeline.dataset.source_fingerprint import task_sources
from facelet.pipeline.family_modules import AnyTask, FamilySettings, prepare_family
from facelet.renderers.scenes.records import Scene


@dataclass(frozen=True, slots=True)
class ComposeJob:
    """Some consecutive items of a cell.

    Attributes:
        cell: the cell.
        seed: root of all seeds.
        first_number: number of the first item.
        stop: number after the last item.
        splits: all splits with their weights.
        attempts: draws that an item may be rejected.
        pool: the pool that the cell draws from, or None.
        task: the task of the cell.
        family_settings: the settings of its family; they decide nothing here.
    """

    cell: PlanCell
    seed: int
    first_number: int
    stop: int
    splits: tuple[tuple[str, int], ...]
    attempts: int
    pool: PoolFile | None
    task: AnyTask
    family_settings: FamilySettings

    @property
    def key(self) -> str:
        """Cell and first item."""
        return f"{self.cell.key}/{self.first_number:06d}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/compose/{self.key}{INTERMEDIATE_SUFFIX}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The task's, and what makes a row of an instance."""
        here = (
            "facelet.pipeline.dataset.row_columns",
            "facelet.pipeline.dataset.row_composer",
            "facelet.pipeline.build.compose_stage",
        )
        return (*task_sources(self.task), *here)

    @property
    def cost(self) -> float:
        """Number of rows, as far as it is known."""
        return float((self.stop - self.first_number) * (self.cell.rows_per_item or 1))

    def list_hashed_inputs(self) -> object:
        """Return the cell's part of the plan, the range, and the pool's hash."""
        pool = None if self.pool is None else self.pool.record.sha256
        numbers = [self.seed, self.first_number, self.stop, self.attempts]
        return [self.cell.item_inputs(), *numbers, pool, self.splits]

    def build_shard(self, out: Path) -> ShardContent:
        """Return the undrawn rows, the names of their scenes, and the sum of their chances.

        Raises:
            ValueError: every draw of an item was rejected, or a task breaks its contract.
        """
        rows: list[dict[str, Any]] = []
        shown: set[str] = set()
        compared = self.needs_distinct_items
        for row, scenes in self.iterate_rows(
            out, [(index, 0) for index in range(self.first_number, self.stop)]
        ):
            if compared:
                row[KEYS] = row_keys(self.task, row)
            rows.append(row)
            shown.update(scene_class_name(type(scene)) for scene in scenes)
        kind = arrow_schema(self.task.columns, drawn=False)
        if compared:
            kind = kind.append(pa.field(KEYS, pa.list_(pa.int64())))
        table = pa.Table.from_pylist(rows, schema=kind)
        name = floor_record.find_chance_column(self.task)
        own = None if name is None else math.fsum(row[name] for row in rows)
        return ShardContent(table, about={"scenes": sorted(shown), "chance": own})

    @property
    def needs_distinct_items(self) -> bool:
        """Whether no item may be the same as another, and each is drawn by itself.

        What is drawn from a pool differs by its piece, and so do the rows of an item.
        """
        task, params = self.task, self.cell.make_params(self.task)
        alone = self.pool is None and self.cell.rows_per_item == 1
        return alone and not task.repeat_reason(params) and task.row_quota(params) is None

    def iterate_rows(
        self, out: Path, wanted: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[dict[str, Any], list[Scene]]]:
        """Yield the undrawn rows of items, each with its scenes.

        Args:
            out: the dataset folder.
            wanted: numbers of items, each with the first attempt that may stand.

        Raises:
            ValueError: every draw of an item was rejected, or a task breaks its contract.
        """
        prepare_family(self.task, self.family_settings)
        params = self.cell.make_params(self.task)
        resource = None if self.pool is None else self.pool.load_resource(out)
        for index, first in wanted:
            yield from self._compose_item(index, params, resource, first)

    def _compose_item(
        self, index: int, params: object, resource: object, first: int
    ) -> Iterator[tuple[dict[str, Any], list[Scene]]]:
        """Yield the rows of one item that belong to the split, each with its scenes."""
        cell, task = self.cell, self.task
        draw, instances = self._draw_item(index, params, resource, first)
        per_item = cell.rows_per_item
        if len(instances) != per_item and (per_item is not None or not instances):
            raise ValueError(
                f"{task.name} made {len(instances)} rows of an item; rows_per_item says "
                f"{'any number from 1' if per_item is None else per_item}"
            )
        where = RowPlace(cell.config, cell.suite, cell.split, cell.difficulty, cell.label)
        for k, instance in enumerate(instances):
            if not self._may_hold(instance):
                continue
            place = (index, k) if per_item is None else (index * per_item + k, None)
            yield compose_row(task, instance, where, place, draw)

    def _may_hold(self, instance: object) -> bool:
        """Return whether a row belongs to the split of the cell."""
        key = self.task.split_key(instance)
        return not key or split_of(key, self.splits) == self.cell.split

    def _draw_item(
        self, index: int, params: object, resource: object, first: int
    ) -> tuple[Draw, list[object]]:
        """Return the first draw of an item from some attempt on, and its instances."""
        path = (self.seed, *self.cell.seed_names)
        reasons: dict[str, int] = {}
        for attempt in range(first, first + self.attempts):
            draw = Draw(path, index, attempt)
            try:
                made = list(self.task.generate(params, draw, resource))
                if self.cell.rows_per_item != 1 or not made or self._may_hold(made[0]):
                    return draw, made
                raise Reject("its puzzle belongs to another split")
            except Reject as reject:
                reasons[str(reject)] = reasons.get(str(reject), 0) + 1
        common = max(reasons, key=lambda reason: reasons[reason])
        raise ValueError(
            f"{self.cell.config}/{self.cell.label}: item {index} was rejected {self.attempts} "
            f"times (most often: {common}); raise stage.compose.attempts, or choose params that "
            f"leave more room than {dict(self.cell.params)}"
        )


KEYS = "~keys"
"""The column of composed rows with the keys that no other row may share; never published."""


def row_keys(task: AnyTask, row: AnyRow) -> list[int]:
    """Return what no other row of a split may share, as numbers of 64 bits.

    Args:
        task: the task that made the row.
        row: the row, yet undrawn: pictures are the same where all else is.
    """
    said = [f"content {duplicates.content_key(row)}"]
    if all(part["image"] is None for message in row["messages"] for part in message["content"]):
        said.append(f"prompt {duplicates.prompt_key(task, {**row, 'image_hashes': []})}")
    if puzzle := duplicates.puzzle_key(task, row):
        said.append(f"puzzle {puzzle}")
    hashes = (blake2b(text.encode(), digest_size=8).digest() for text in said)
    return [int.from_bytes(one, "little", signed=True) for one in hashes]


def scene_class_name(kind: type[Scene]) -> str:
    """Return the name of a class of scenes, with its module."""
    return f"{kind.__module__}.{kind.__qualname__}"


@dataclass(frozen=True, slots=True)
class ComposedSplit:
    """The composed rows of one split of a config.

    Attributes:
        config: name of the config.
        split: name of the split.
        parts: the jobs that composed the rows with the records of their shards, in order.
        redrawn: the record of the rows that replace repeated ones; None if none can repeat.
    """

    config: str
    split: str
    parts: tuple[tuple[ComposeJob, CompletionRecord], ...]
    redrawn: CompletionRecord | None = None

    @property
    def task(self) -> AnyTask:
        """The task of the config."""
        return self.parts[0][0].task


def compose_cells(
    stages: StageRunner,
    plan: BuildPlan,
    pools: Mapping[str, PoolFile],
    filled: Sequence[CellFill],
) -> list[ComposedSplit]:
    """Compose the rows of all cells; return them by config and split, in the order of the plan.

    Args:
        stages: runs the stage.
        plan: the plan of the build.
        pools: the finished pools by key.
        filled: how many items each cell gets.
    """
    jobs = [
        ComposeJob(
            cell=one.cell,
            seed=plan.seed,
            first_number=start,
            stop=min(start + plan.compose_items, one.items),
            splits=plan.splits,
            attempts=plan.compose_attempts,
            pool=None if one.cell.pool is None else pools[one.cell.pool],
            task=one.task,
            family_settings=stages.find_settings(one.cell.task),
        )
        for one in filled
        for start in range(0, one.items, plan.compose_items)
    ]
    groups: dict[tuple[str, str], list[tuple[ComposeJob, CompletionRecord]]] = {}
    for job, record in stages.run_stage("compose", jobs):
        groups.setdefault((job.cell.config, job.cell.split), []).append((job, record))
    return [ComposedSplit(*key, tuple(parts)) for key, parts in groups.items()]
