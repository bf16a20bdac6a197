"""Stage compose: items become instances, and instances become rows with messages, yet undrawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.generators.core.seeding import Draw
from facelet.generators.core.shown_keys import split_of
from facelet.generators.core.task import Reject
from facelet.pipeline import family_modules
from facelet.pipeline.build.build_plan import PlanCell
from facelet.pipeline.build.build_stages import BuildStage, BuildState
from facelet.pipeline.build.pool_stages import PoolFile, fill_cells, list_finished_pools
from facelet.pipeline.build.shard_store import (
    INTERMEDIATE_SUFFIX,
    WORK,
    CompletionRecord,
    ShardContent,
)
from facelet.pipeline.dataset import chance_record, duplicates
from facelet.pipeline.dataset.row_columns import AnyRow, arrow_schema
from facelet.pipeline.dataset.row_composer import RowPlace, compose_row
from facelet.pipeline.dataset.source_fingerprint import task_sources
from facelet.pipeline.family_modules import AnyTask, FamilySettings
from facelet.renderers.scenes.records import Scene


@dataclass(frozen=True, slots=True)
class ComposeJob:
    """Some consecutive items of a cell.

    Attributes:
        cell: the cell.
        seed: root of all seeds.
        start: number of the first item.
        stop: number after the last item.
        splits: all splits with their weights.
        attempts: draws that an item may be rejected.
        pool: the pool that the cell draws from, or None.
        task: the cell's task.
        told: what its family is told; decides nothing here.
    """

    cell: PlanCell
    seed: int
    first_number: int
    stop: int
    splits: tuple[tuple[str, int], ...]
    attempts: int
    pool: PoolFile | None
    load_installed_task: AnyTask
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
        return (*task_sources(self.load_installed_task), *here)

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
                row[KEYS] = row_keys(self.load_installed_task, row)
            rows.append(row)
            shown.update(scene_class_name(type(scene)) for scene in scenes)
        kind = arrow_schema(self.load_installed_task.columns, drawn=False)
        if compared:
            kind = kind.append(pa.field(KEYS, pa.list_(pa.int64())))
        table = pa.Table.from_pylist(rows, schema=kind)
        name = chance_record.find_chance_column(self.load_installed_task)
        own = None if name is None else math.fsum(row[name] for row in rows)
        return ShardContent(table, about={"scenes": sorted(shown), "chance": own})

    @property
    def needs_distinct_items(self) -> bool:
        """Whether no item may be the same as another, and each is drawn by itself.

        What is drawn from a pool differs by its piece, and so do the rows of an item.
        """
        task, params = self.load_installed_task, self.cell.make_params(self.load_installed_task)
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
        family_modules.prepare_family(self.load_installed_task, self.family_settings)
        params = self.cell.make_params(self.load_installed_task)
        resource = None if self.pool is None else self.pool.load_resource(out)
        for index, first in wanted:
            yield from self._compose_item(index, params, resource, first)

    def _compose_item(
        self, index: int, params: object, resource: object, first: int
    ) -> Iterator[tuple[dict[str, Any], list[Scene]]]:
        """Yield the rows of one item that the split may hold, each with its scenes."""
        cell, task = self.cell, self.load_installed_task
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
        """Return whether a row may stand in the split of the cell."""
        key = self.load_installed_task.split_key(instance)
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
                made = list(self.load_installed_task.generate(params, draw, resource))
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
"""The column of composed rows that says what no other row may share; never published."""


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


def list_compose_jobs(build: BuildState) -> list[ComposeJob]:
    """Return the jobs that make the rows of all cells."""
    plan, pools, filled = build.plan, list_finished_pools(build), fill_cells(build)
    size = plan.compose_items
    return [
        ComposeJob(
            cell=cell,
            seed=plan.seed,
            first_number=start,
            stop=min(start + size, filled[cell.key].items),
            splits=plan.splits,
            attempts=plan.compose_attempts,
            pool=None if cell.pool is None else pools[cell.pool],
            load_installed_task=family_modules.load_task(cell.task, told),
            family_settings=told,
        )
        for cell in plan.cells
        for told in [build.settings.family_settings_of(cell.task)]
        for start in range(0, filled[cell.key].items, size)
    ]


COMPOSE = BuildStage("compose", list_compose_jobs)


def chance_levels(build: BuildState) -> dict[str, tuple[chance_record.ChanceRecord | None, int]]:
    """Return the chance of each cell that has rows, by Cell.key, and the number of its rows.

    Raises:
        ValueError: a task's rows should say their own chance, and do not.
    """
    parts: dict[str, list[tuple[ComposeJob, CompletionRecord]]] = {}
    for job, record in build.records_by_stage["compose"]:
        assert isinstance(job, ComposeJob)
        parts.setdefault(job.cell.key, []).append((job, record))
    mended = build.list_finished_records("mend")
    found: dict[str, tuple[chance_record.ChanceRecord | None, int]] = {}
    for key, made in parts.items():
        job = made[0][0]
        rows = sum(record.rows for _, record in made)
        own = [record.about["chance"] for _, record in made]
        own += [record.about["chances"][key] for record in mended if key in record.about["chances"]]
        known = [one for one in own if one is not None]
        mean = math.fsum(known) / rows if len(known) == len(own) else None
        declared = job.load_installed_task.chance_level(
            job.cell.make_params(job.load_installed_task)
        )
        found[key] = chance_record.build_record(declared, mean), rows
    return found
