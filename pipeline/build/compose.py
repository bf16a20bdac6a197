"""Stage compose: items become instances, and instances become rows with messages, yet undrawn."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.generators.core.seeding import Draw
from facelet.generators.core.showing import split_of
from facelet.generators.core.task import Reject
from facelet.pipeline import families
from facelet.pipeline.build.plan import Cell
from facelet.pipeline.build.pools import PARQUET, PoolFile, fill, finished
from facelet.pipeline.build.shards import WORK, Made, Record
from facelet.pipeline.build.stages import Build, Stage
from facelet.pipeline.dataset import chances
from facelet.pipeline.dataset.composing import Place, compose
from facelet.pipeline.dataset.rows import schema
from facelet.pipeline.dataset.sources import of_task
from facelet.pipeline.families import AnyTask, Told
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

    cell: Cell
    seed: int
    start: int
    stop: int
    splits: tuple[tuple[str, int], ...]
    attempts: int
    pool: PoolFile | None
    task: AnyTask
    told: Told

    @property
    def key(self) -> str:
        """Cell and first item."""
        return f"{self.cell.key}/{self.start:06d}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/compose/{self.key}.parquet"

    @property
    def sources(self) -> tuple[str, ...]:
        """The task's, and what makes a row of an instance."""
        here = (
            "facelet.pipeline.dataset.rows",
            "facelet.pipeline.dataset.composing",
            "facelet.pipeline.build.compose",
        )
        return (*of_task(self.task), *here)

    @property
    def cost(self) -> float:
        """Number of rows, as far as it is known."""
        return float((self.stop - self.start) * (self.cell.rows_per_item or 1))

    def inputs(self) -> object:
        """Return the cell's part of the plan, the range, and the pool's hash."""
        pool = None if self.pool is None else self.pool.record.sha256
        cell = dataclasses.replace(self.cell, asked=0, pool=None)  # item i is the same in any count
        numbers = [self.seed, self.start, self.stop, self.attempts]
        return [dataclasses.asdict(cell), *numbers, pool, self.splits]

    def make(self, out: Path) -> Made:
        """Return the undrawn rows, the names of their scenes, and the sum of their chances.

        Raises:
            ValueError: every draw of an item was rejected, or a task breaks its contract.
        """
        families.ready(self.task, self.told)
        params = self.cell.make_params(self.task)
        resource = None if self.pool is None else self.pool.load(out)
        rows: list[dict[str, Any]] = []
        shown: set[str] = set()
        for index in range(self.start, self.stop):
            for row, scenes in self._item(index, params, resource):
                rows.append(row)
                shown.update(class_name(type(scene)) for scene in scenes)
        kind = schema(self.task.columns, drawn=False)
        table = pa.Table.from_pylist(rows, schema=kind)
        name = chances.column(self.task)
        own = None if name is None else math.fsum(row[name] for row in rows)
        return Made(table, parquet=PARQUET, about={"scenes": sorted(shown), "chance": own})

    def _item(
        self, index: int, params: object, resource: object
    ) -> Iterator[tuple[dict[str, Any], list[Scene]]]:
        """Yield the rows of one item that the split may hold, each with its scenes."""
        cell, task = self.cell, self.task
        draw, instances = self._draw(index, params, resource)
        per_item = cell.rows_per_item
        if len(instances) != per_item and (per_item is not None or not instances):
            raise ValueError(
                f"{task.name} made {len(instances)} rows of an item; rows_per_item says "
                f"{'any number from 1' if per_item is None else per_item}"
            )
        where = Place(cell.config, cell.suite, cell.split, cell.difficulty, cell.label)
        for k, instance in enumerate(instances):
            key = task.parted(instance)
            if key and split_of(key, self.splits) != cell.split:
                continue
            place = (index, k) if per_item is None else (index * per_item + k, None)
            yield compose(task, instance, where, place, draw)

    def _draw(self, index: int, params: object, resource: object) -> tuple[Draw, list[object]]:
        """Return the first draw of an item that is not rejected, and its instances."""
        path = (self.seed, *self.cell.seed_names)
        reasons: dict[str, int] = {}
        for attempt in range(self.attempts):
            draw = Draw(path, index, attempt)
            try:
                return draw, list(self.task.generate(params, draw, resource))
            except Reject as reject:
                reasons[str(reject)] = reasons.get(str(reject), 0) + 1
        common = max(reasons, key=lambda reason: reasons[reason])
        raise ValueError(
            f"{self.cell.config}/{self.cell.label}: item {index} was rejected {self.attempts} "
            f"times (most often: {common}); raise stage.compose.attempts, or choose params that "
            f"leave more room than {dict(self.cell.params)}"
        )


def class_name(kind: type[Scene]) -> str:
    """Return the name of a class of scenes, with its module."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _jobs(build: Build) -> list[ComposeJob]:
    """Return the jobs that make the rows of all cells."""
    plan, pools, filled = build.plan, finished(build), fill(build)
    size = plan.compose_items
    return [
        ComposeJob(
            cell=cell,
            seed=plan.seed,
            start=start,
            stop=min(start + size, filled[cell.key].items),
            splits=plan.splits,
            attempts=plan.compose_attempts,
            pool=None if cell.pool is None else pools[cell.pool],
            task=families.task(cell.task, told),
            told=told,
        )
        for cell in plan.cells
        for told in [build.settings.told_of(cell.task)]
        for start in range(0, filled[cell.key].items, size)
    ]


COMPOSE = Stage("compose", _jobs)


def chance_levels(build: Build) -> dict[str, tuple[chances.Record | None, int]]:
    """Return the chance of each cell that has rows, by Cell.key, and the number of its rows.

    Raises:
        ValueError: a task's rows should say their own chance, and do not.
    """
    parts: dict[str, list[tuple[ComposeJob, Record]]] = {}
    for job, record in build.made["compose"]:
        assert isinstance(job, ComposeJob)
        parts.setdefault(job.cell.key, []).append((job, record))
    found: dict[str, tuple[chances.Record | None, int]] = {}
    for key, made in parts.items():
        job = made[0][0]
        rows = sum(record.rows for _, record in made)
        own = [record.about["chance"] for _, record in made]
        known = [one for one in own if one is not None]
        mean = math.fsum(known) / rows if len(known) == len(own) else None
        declared = job.task.chance(job.cell.make_params(job.task))
        found[key] = chances.record(declared, mean), rows
    return found
