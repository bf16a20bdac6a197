"""Compute the plan of a build: everything that decides the bytes of its dataset.

A plan is a pure function of the settings and of the tasks' versions. Two runs with equal plan
hashes make equal bytes; where they run, on how many workers and into which folder does not matter.

A cell is one (suite, task, params, split, difficulty). Its items are numbered from 0, and item i is
the same however many are requested. `fill_cells` decides how many each cell gets.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NotRequired, TypedDict

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Name
from facelet.generators.core.task import Difficulty, Need
from facelet.generators.core.task import Params as TaskParams
from facelet.pipeline.build.pool_stages import PoolFile
from facelet.pipeline.build.sweep_expansion import SweepResult, expand_sweep
from facelet.pipeline.config.build_settings import Settings, SuiteTask
from facelet.pipeline.config.setting_precedence import resolve_entry
from facelet.pipeline.config.settings_resolver import read_params
from facelet.pipeline.dataset.row_columns import CANARY, SCHEMA_VERSION, row_id
from facelet.pipeline.dataset.row_hashes import canonical_json, hash_value
from facelet.pipeline.family_modules import AnyTask, load_task
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


class PlanMark(TypedDict):
    """What a folder says of the plan that it belongs to; a manifest alone has no content."""

    hash: str
    content: NotRequired[dict[str, Any]]


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

    def cells_by_config(self) -> dict[str, list[PlanCell]]:
        """Return the cells by config, both in the plan's order."""
        by_config: dict[str, list[PlanCell]] = {}
        for cell in self.cells:
            by_config.setdefault(cell.config, []).append(cell)
        return by_config

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values of JSON."""
        content: dict[str, Any] = json.loads(canonical_json(dataclasses.asdict(self)))
        return content

    def to_mark(self) -> PlanMark:
        """Return what marks a folder as this plan's."""
        return {"hash": self.plan_hash, "content": self.to_dict()}

    @property
    def plan_hash(self) -> str:
        """Hash of the plan's content."""
        return _hash_plan(self)


# It is asked for several times, and a plan may have thousands of cells.
@lru_cache(maxsize=4)
def _hash_plan(plan: BuildPlan) -> str:
    return hash_value(dataclasses.asdict(plan))


def count_rows(cells: Sequence[PlanCell]) -> int | None:
    """Return how many rows all items of some cells become; None where that differs by item."""
    counts = [cell.rows_per_item for cell in cells]
    if None in counts:
        return None
    return sum(cell.asked * (count or 0) for cell, count in zip(cells, counts, strict=True))


def compute_plan(settings: Settings) -> BuildPlan:
    """Return the plan of a build.

    Raises:
        ValueError: a task is unavailable, a param is not allowed, or two cells would share row ids.
    """
    drafts: list[tuple[PlanCell, PoolRequest | None]] = []
    left_out: list[str] = []
    for entry in settings.entries:
        task = load_task(entry.task)
        resolved = resolve_entry(entry, settings)
        if resolved.skip_reason:
            left_out.append(resolved.skip_reason)
            continue
        swept = expand_sweep(resolved, task, settings.count, settings.splits)
        drafts += _iterate_cells(resolved.entry, task, swept, settings)
        left_out += swept.left_out
    if not drafts:
        raise ValueError(
            f"nothing to build: {'; '.join(left_out) or 'no task was chosen'}; choose other tasks, "
            "depths or levels (`facelet list SUITE` names the tasks)"
        )
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
        left_out=tuple(left_out),
        **dataclasses.asdict(settings.stages),
    )


def _iterate_cells(
    entry: SuiteTask, task: AnyTask, swept: SweepResult, settings: Settings
) -> Iterator[tuple[PlanCell, PoolRequest | None]]:
    """Yield the cells of an entry, without their pools, and what each requests."""
    names = [item.name for item in dataclasses.fields(task.params)]
    family = settings.family_settings_of(task.name)
    common = {name: value for name, value in family.items() if name in names}
    for own in swept.cells:
        params = read_params(task, {**common, **entry.params, **own}, entry.config_name)
        difficulty = params.difficulty()
        need: Need | None = task.needs(params)
        for split, asked in swept.items.items():
            if not asked:
                continue
            label = difficulty.label if split == DEFAULT_SPLIT else f"{split}-{difficulty.label}"
            rows_per_item = task.rows_per_item(params)
            # The longest id, which may be too long.
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


@dataclass(frozen=True, slots=True)
class CellFill:
    """How many items a cell gets.

    Attributes:
        cell: the cell of the plan.
        task: its task.
        items: number of items.
        capacity: most items that its pool or its task allows; None where nothing bounds them.
        note: why there are fewer items, or fewer pieces of the pool, than requested; "" if there
            are as many.
        pieces: pieces of the pool that its items use; None without a pool.
    """

    cell: PlanCell
    task: AnyTask
    items: int
    capacity: int | None = None
    note: str = ""
    pieces: int | None = None


def fill_cells(cells: Sequence[PlanCell], pools: Mapping[str, PoolFile]) -> list[CellFill]:
    """Return how many items each cell gets, in the order of the plan.

    Args:
        cells: the cells of the plan.
        pools: the finished pools by key.

    Raises:
        ValueError: no cell gets any.
    """
    filled = [
        _fill_cell(cell, task_registry.load_task(cell.task), pools.get(cell.pool or ""))
        for cell in cells
    ]
    if not any(one.items for one in filled):
        notes = "; ".join(sorted({one.note for one in filled}))
        raise ValueError(f"no item can be made: {notes}; choose other params, depths or levels")
    return filled


def _fill_cell(cell: PlanCell, task: AnyTask, pool: PoolFile | None) -> CellFill:
    """Return how many items a cell gets.

    Args:
        cell: the cell.
        task: its task.
        pool: its pool; None without one.
    """
    params = cell.make_params(task)
    if pool is not None:
        about, draws = pool.record.about, task.items_per_state(params)
        capacity = about["capacity"]
        items = min(cell.asked, capacity * draws)
        note = about["shortfall"] if capacity < cell.asked else ""
        if note and items > capacity:
            note += f"; {items} items are made of them, at most {draws} of each"
        return CellFill(cell, task, items, capacity * draws, note, min(items, capacity))
    if (most := task.capacity(params)) is None or most >= cell.asked:
        return CellFill(cell, task, cell.asked, most)
    note = f"{cell.task} has {most} distinct items here, {cell.asked} were asked for"
    return CellFill(cell, task, most, most, note)
