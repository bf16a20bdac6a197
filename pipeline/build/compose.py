"""Stage compose: items become instances, and instances become rows with messages, yet undrawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet import __version__
from facelet.generators.core import registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject, Task
from facelet.pipeline.build.plan import Cell, Plan
from facelet.pipeline.build.pools import OPTIONS, PoolFile
from facelet.pipeline.build.shards import WORK, Made
from facelet.pipeline.cube import oracle_tables
from facelet.pipeline.dataset.hashing import canonical_json
from facelet.pipeline.dataset.rows import CANARY, messages, row_id, schema

GENERATOR = f"facelet {__version__}"


@dataclass(frozen=True, slots=True)
class ComposeJob:
    """Some consecutive items of a cell.

    Attributes:
        cell: the cell.
        seed: root of all seeds.
        start: number of the first item.
        stop: number after the last item.
        attempts: draws that an item may be rejected.
        pool: the pool that the cell draws from, or None.
        task: the cell's task.
        cache: folder of pruning tables; decides nothing.
    """

    cell: Cell
    seed: int
    start: int
    stop: int
    attempts: int
    pool: PoolFile | None
    task: Task[Any, Any]
    cache: Path | None = None

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
        """All generators, and what makes a row of an instance."""
        own = type(self.task).__module__
        here = ("facelet.pipeline.dataset.rows", "facelet.pipeline.build.compose")
        return ("facelet.generators", own, "facelet.renderers.scenes", *here)

    @property
    def cost(self) -> float:
        """Number of rows, as far as it is known."""
        return float((self.stop - self.start) * (self.cell.rows_per_item or 1))

    def inputs(self) -> Any:
        """Return the cell's part of the plan, the range, and the pool's hash."""
        pool = None if self.pool is None else self.pool.record.sha256
        cell = dataclasses.replace(self.cell, asked=0, pool=None)  # item i is the same in any count
        return [dataclasses.asdict(cell), self.seed, self.start, self.stop, self.attempts, pool]

    def make(self, out: Path) -> Made:
        """Return the undrawn rows.

        Raises:
            ValueError: every draw of an item was rejected, or a task breaks its contract.
        """
        oracle_tables.connect(self.cache)
        params = self.cell.make_params(self.task)
        resource = None if self.pool is None else self.pool.load(out)
        rows = [
            row
            for index in range(self.start, self.stop)
            for row in self._item(index, params, resource)
        ]
        kind = schema(self.task.columns, drawn=False)
        return Made(pa.Table.from_pylist(rows, schema=kind), options=OPTIONS)

    def _item(self, index: int, params: Any, resource: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of one item."""
        cell, task = self.cell, self.task
        draw, instances = self._draw(index, params, resource)
        per_item = cell.rows_per_item
        if len(instances) != per_item and (per_item is not None or not instances):
            raise ValueError(
                f"{task.name} made {len(instances)} rows of an item; rows_per_item says "
                f"{'any number from 1' if per_item is None else per_item}"
            )
        names = [*draw.path, "item", index, "attempt", draw.attempt]
        provenance = {
            "generator": GENERATOR,
            "seed_path": canonical_json(names),
            "attempt": draw.attempt,
        }
        for k, instance in enumerate(instances):
            place = (index, k) if per_item is None else (index * per_item + k, None)
            typed = task.encode(instance)
            self._check_columns(typed)
            yield {
                "id": row_id(cell.config, cell.label, *place),
                "suite": cell.suite,
                "task": cell.task,
                "task_version": cell.task_version,
                "split": cell.split,
                "difficulty_axis": cell.difficulty.axis,
                "difficulty": cell.difficulty.value,
                "group": task.group(instance),
                "messages": messages(task.open(instance).prompt())[0],
                "gold": task.gold(instance),
                "canary": CANARY,
                "provenance": provenance,
                **typed,
            }

    def _draw(self, index: int, params: Any, resource: Any) -> tuple[Draw, list[Any]]:
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
            f"times (most often: {common}); raise stage.compose.attempts, or choose knobs that "
            f"leave more room than {dict(self.cell.params)}"
        )

    def _check_columns(self, typed: Mapping[str, Any]) -> None:
        """Raise ValueError if encoded columns are not those that the task declares."""
        declared = {column.name: column for column in self.task.columns}
        missing = [
            name
            for name, column in declared.items()
            if not column.optional and typed.get(name) is None
        ]
        extra = sorted(typed.keys() - declared.keys())
        if missing or extra:
            raise ValueError(
                f"{self.task.name}.encode leaves out {missing} and adds {extra}; it must fill "
                f"{sorted(declared)}"
            )


def compose_jobs(
    plan: Plan,
    items: Mapping[str, int],
    pools: Mapping[str, PoolFile],
    cache: Path | None = None,
) -> list[ComposeJob]:
    """Return the jobs of the compose stage.

    Args:
        plan: the plan.
        items: how many items each cell has, by Cell.key.
        pools: the finished pools by key.
        cache: folder of pruning tables.
    """
    size = plan.compose_items
    return [
        ComposeJob(
            cell=cell,
            seed=plan.seed,
            start=start,
            stop=min(start + size, items[cell.key]),
            attempts=plan.compose_attempts,
            pool=None if cell.pool is None else pools[cell.pool],
            task=registry.task(cell.task),
            cache=cache,
        )
        for cell in plan.cells
        for start in range(0, items[cell.key], size)
    ]
