"""The plan: everything that decides the bytes of a dataset, worked out before any work starts.

A plan is a pure function of the settings and of the tasks' versions. Two runs with equal plan
hashes make equal bytes; where they run, on how many workers and into which folder is no part of it.

A cell is one (suite, task, params, split, difficulty). Its items are numbered from 0, and number i
is the same however many are asked for.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.core.seeding import Name
from facelet.generators.core.task import Difficulty, Need
from facelet.generators.core.task import Params as TaskParams
from facelet.pipeline import family_modules
from facelet.pipeline.argument_text import check_range
from facelet.pipeline.build.sweep_expansion import SweepResult, allocate_by_weight, expand_sweep
from facelet.pipeline.config.build_settings import Settings, SuiteTask
from facelet.pipeline.config.params_parser import read_params
from facelet.pipeline.config.setting_precedence import resolve_entry
from facelet.pipeline.dataset.content_hash import hash_value
from facelet.pipeline.dataset.row_columns import CANARY, SCHEMA_VERSION, row_id
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.json_types import JSON
from facelet.pipeline.resource_providers import PoolRequest, ResourcePool, assign_pools

DEFAULT_SPLIT = "test"
"""The split whose name is left out of row ids."""

MAX_ROWS = 9999
"""Room in ids for the rows of an item, where their number differs between items."""

Params = tuple[tuple[str, JSON], ...]


@dataclass(frozen=True, slots=True)
class PlanCell:
    """The items of one task at one difficulty in one split.

    Attributes:
        config: name on the Hub, "<suite>.<name>".
        suite: name of the suite.
        task: name of the task.
        task_version: its version.
        params: the task's params, all of them, as (name, plain value) pairs.
        split: name of the split.
        difficulty: place on the task's axis.
        label: path element of row ids.
        asked: items asked for.
        rows_per_item: rows that an item becomes, or None where that differs between items.
        pool: key of the pool that the items are drawn from, or None.
    """

    config: str
    suite: str
    task: str
    task_version: int
    params: Params
    split: str
    difficulty: Difficulty
    label: str
    asked: int
    rows_per_item: int | None
    pool: str | None

    @property
    def key(self) -> str:
        """Name of the cell, the beginning of its rows' ids."""
        return f"{self.config}/{self.label}"

    @property
    def seed_names(self) -> tuple[Name, ...]:
        """Names under which the cell draws, after the root seed."""
        axis, value = self.difficulty.axis, self.difficulty.value
        return (self.task, self.task_version, self.split, axis, value)

    def make_params(self, task: AnyTask) -> TaskParams:
        """Return the task's params record of this cell."""
        return _build_params(task, self.params, self.config)

    def item_inputs(self) -> Mapping[str, object]:
        """Return what decides its items as plain values: an item is the same in any count."""
        return _item_inputs(self)


# Every stage asks for the params of every cell.
@lru_cache(maxsize=1 << 12)
def _build_params(task: AnyTask, params: Params, config: str) -> TaskParams:
    return read_params(task, dict(params), config)


# Each shard of a cell asks for it, twice.
@lru_cache(maxsize=64)
def _item_inputs(cell: PlanCell) -> Mapping[str, object]:
    return dataclasses.asdict(dataclasses.replace(cell, asked=0, pool=None))


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """Everything that decides the bytes of a dataset."""

    schema_version: int
    canary: str
    name: str
    profile: str
    seed: int
    splits: tuple[tuple[str, int], ...]
    cells: tuple[PlanCell, ...]
    pools: tuple[ResourcePool, ...]
    compose_items: int
    compose_attempts: int
    emit_rows: int
    emit_group: int
    left_out: tuple[str, ...]

    def find_pool(self, key: str) -> ResourcePool:
        """Return a pool by its key."""
        return next(pool for pool in self.pools if pool.key == key)

    def cells_by_config(self) -> dict[str, list[PlanCell]]:
        """Return the cells by config, both in the plan's order."""
        found: dict[str, list[PlanCell]] = {}
        for cell in self.cells:
            found.setdefault(cell.config, []).append(cell)
        return found

    def to_dict(self) -> dict[str, object]:
        """Return the plan as plain values."""
        return dataclasses.asdict(self)

    @property
    def plan_hash(self) -> str:
        """Hash of the plan's content."""
        return _hash_plan(self)


# It is asked for several times, and a plan may have thousands of cells.
@lru_cache(maxsize=4)
def _hash_plan(plan: BuildPlan) -> str:
    return hash_value(plan.to_dict())


def compute_plan(settings: Settings) -> BuildPlan:
    """Return the plan of a build.

    Raises:
        ValueError: a task cannot be had, a param is not allowed, or two cells would share row ids.
    """
    drafts: list[tuple[PlanCell, PoolRequest | None]] = []
    left_out: list[str] = []
    for entry in settings.entries:
        task = family_modules.load_task(entry.task)
        settled = resolve_entry(entry, settings)
        if settled.skip_reason:
            left_out.append(settled.skip_reason)
            continue
        entry = settled.entry
        swept = expand_sweep(entry, task, settled.ranges)
        drafts += _iterate_cells(entry, task, swept, settings)
        left_out += [swept.left_out] if swept.left_out else []
        left_out += [
            f"{entry.config_name}: split {split} gets none of so few items; raise "
            "count, or its weight"
            for split, asked in allocate_by_weight(
                _count_items(entry, settings), settings.splits
            ).items()
            if not asked
        ]
    if not drafts:
        raise ValueError(f"nothing to build: {'; '.join(left_out) or 'no task was chosen'}")
    requests = [request for _, request in drafts if request is not None]
    pools = assign_pools(requests, settings.seed, settings.splits, settings.family_settings)
    cells = [
        cell if request is None else dataclasses.replace(cell, pool=pools[request].key)
        for cell, request in drafts
    ]
    _check_distinct(cells)
    return BuildPlan(
        schema_version=SCHEMA_VERSION,
        canary=CANARY,
        name=settings.name,
        profile=settings.profile,
        seed=settings.seed,
        splits=settings.splits,
        cells=tuple(cells),
        pools=tuple(sorted(set(pools.values()), key=lambda pool: pool.key)),
        compose_items=settings.stages.compose_items,
        compose_attempts=settings.stages.compose_attempts,
        emit_rows=settings.stages.emit_rows,
        emit_group=settings.stages.emit_group,
        left_out=tuple(left_out),
    )


def _count_items(entry: SuiteTask, settings: Settings) -> int:
    """Return how many items an entry asks for in each cell, all splits together."""
    if entry.count is not None:
        return check_range(f"{entry.config_name}.count", entry.count, 1)
    if not 0 < entry.times < math.inf:
        raise ValueError(
            f"{entry.config_name}.times={entry.times} is out of range; use more than 0"
        )
    if settings.count <= entry.few:
        return 1
    # Rounded to nine places first: 100 times 0.16 is 16, whatever its last bit says. Not to none.
    return max(1, math.ceil(round(settings.count * entry.times, 9)))


def _iterate_cells(
    entry: SuiteTask, task: AnyTask, swept: SweepResult, settings: Settings
) -> Iterator[tuple[PlanCell, PoolRequest | None]]:
    """Yield the cells of an entry, without their pools, and what each requests."""
    names = [item.name for item in dataclasses.fields(task.params)]
    told = {
        name: value
        for name, value in settings.family_settings_of(task.name).items()
        if name in names
    }
    parts = allocate_by_weight(_count_items(entry, settings), settings.splits)
    for own in swept.cells:
        params = read_params(task, {**told, **entry.params, **own}, entry.config_name)
        difficulty = params.difficulty()
        need: Need | None = task.needs(params)
        for split, asked in parts.items():
            if not asked:
                continue
            label = difficulty.label if split == DEFAULT_SPLIT else f"{split}-{difficulty.label}"
            rows_per_item = task.rows_per_item(params)
            if rows_per_item is None:
                row_id(entry.config_name, label, asked, MAX_ROWS)
            else:
                row_id(entry.config_name, label, asked * rows_per_item)
            cell = PlanCell(
                config=entry.config_name,
                suite=entry.suite,
                task=task.name,
                task_version=task.version,
                params=tuple((name, getattr(params, name)) for name in names),
                split=split,
                difficulty=difficulty,
                label=label,
                asked=asked,
                rows_per_item=rows_per_item,
                pool=None,
            )
            yield cell, None if need is None else PoolRequest(need, split, asked)


def _check_distinct(cells: Sequence[PlanCell]) -> None:
    """Raise ValueError if two cells would give rows the same id."""
    seen: dict[tuple[str, str], PlanCell] = {}
    for cell in cells:
        other = seen.setdefault((cell.config, cell.label), cell)
        if other is not cell:
            raise ValueError(
                f"{cell.config} would have two cells {cell.label!r}: {dict(other.params)} and "
                f"{dict(cell.params)}; give one of them an entry of its own in the suite"
            )
