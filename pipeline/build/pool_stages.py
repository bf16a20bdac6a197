"""Stages certify and merge: the pools of resources that cells draw their items from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from facelet.generators.core import task_registry
from facelet.pipeline.build.build_plan import PlanCell
from facelet.pipeline.build.build_stages import BuildStage, BuildState
from facelet.pipeline.build.shard_store import (
    INTERMEDIATE_SUFFIX,
    WORK,
    CompletionRecord,
    ShardContent,
    ShardJob,
    ShardSummary,
    read_table,
    read_tables,
)
from facelet.pipeline.family_modules import FamilySettings
from facelet.pipeline.resource_providers import (
    Resource,
    ResourcePool,
    ResourceProvider,
    find_provider,
)


@dataclass(frozen=True, slots=True)
class CertifyJob:
    """One chunk of a pool.

    Attributes:
        pool: the pool.
        chunk: number of the chunk.
        provider: makes it.
        told: what its family is told; decides nothing.
    """

    pool: ResourcePool
    chunk: int
    provider: ResourceProvider
    family_settings: FamilySettings

    @property
    def key(self) -> str:
        """Pool and chunk."""
        return f"{self.pool.key}/{self.chunk:05d}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/certify/{self.key}{INTERMEDIATE_SUFFIX}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pool_stages", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def list_hashed_inputs(self) -> object:
        """Return the pool and the chunk."""
        return [dataclasses.asdict(self.pool), self.chunk]

    def build_shard(self, out: Path) -> ShardContent:
        """Return the chunk's table."""
        del out
        return ShardContent(self.provider.make(self.pool, self.chunk, self.family_settings))


@dataclass(frozen=True, slots=True)
class MergeJob:
    """A whole pool, from its chunks.

    Attributes:
        pool: the pool.
        parts: the records of its chunks, in order.
        provider: merges them.
        told: what its family is told; decides nothing.
    """

    pool: ResourcePool
    parts: tuple[CompletionRecord, ...]
    provider: ResourceProvider
    family_settings: FamilySettings

    @property
    def key(self) -> str:
        """The pool."""
        return self.pool.key

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/pools/{self.key}{INTERMEDIATE_SUFFIX}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pool_stages", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def list_hashed_inputs(self) -> object:
        """Return the pool and the hashes of its chunks."""
        return [dataclasses.asdict(self.pool), [part.sha256 for part in self.parts]]

    def build_shard(self, out: Path) -> ShardContent:
        """Return the merged table, and how many items it carries."""
        tables = list(read_tables(out, self.parts))
        table = self.provider.merge(self.pool, tables, self.family_settings)
        resource = self.provider.load(self.pool, table)
        about: ShardSummary = {
            "capacity": resource.capacity,
            "shortfall": self.provider.shortfall(self.pool, resource),
        }
        return ShardContent(table, about=about)


@dataclass(frozen=True, slots=True)
class PoolFile:
    """A finished pool as jobs refer to it.

    Attributes:
        pool: the pool.
        record: the record of its merged table.
        provider: loads it.
    """

    pool: ResourcePool
    record: CompletionRecord
    provider: ResourceProvider

    def load_resource(self, out: Path) -> Resource:
        """Return the resource; a process reads a pool once as long as it uses a few only."""
        key = (str(out), self.record)
        if key not in _RESOURCE_CACHE:
            while len(_RESOURCE_CACHE) >= _CACHE_SIZE:
                del _RESOURCE_CACHE[next(iter(_RESOURCE_CACHE))]
            table = read_table(out, self.record)
            _RESOURCE_CACHE[key] = self.provider.load(self.pool, table)
        return _RESOURCE_CACHE[key]


_CACHE_SIZE = 4
_RESOURCE_CACHE: dict[tuple[str, CompletionRecord], Resource] = {}
"""Pools that this process has read, oldest first."""


def _certify_jobs(build: BuildState) -> list[CertifyJob]:
    """Return the jobs that make the chunks of all pools."""
    return [
        CertifyJob(
            pool, chunk, find_provider(pool.kind), build.settings.family_settings_of(pool.kind)
        )
        for pool in build.plan.pools
        for chunk in range(pool.chunks)
    ]


def _merge_jobs(build: BuildState) -> list[MergeJob]:
    """Return the jobs that make pools of their chunks."""
    chunks = iter(build.list_finished_records("certify"))
    return [
        MergeJob(
            pool,
            tuple(islice(chunks, pool.chunks)),
            find_provider(pool.kind),
            build.settings.family_settings_of(pool.kind),
        )
        for pool in build.plan.pools
    ]


def _prepare_providers(build: BuildState, jobs: Sequence[ShardJob]) -> None:
    """Make what the workers share."""
    with build.timer.time_part("tables"):
        pools: dict[str, list[ResourcePool]] = {}
        for job in jobs:
            assert isinstance(job, CertifyJob | MergeJob)
            pools.setdefault(job.pool.kind, []).append(job.pool)
        for kind, own in sorted(pools.items()):
            find_provider(kind).prepare(
                own, build.settings.family_settings_of(kind), build.settings.progress
            )


CERTIFY = BuildStage("certify", _certify_jobs, _prepare_providers)
MERGE = BuildStage("merge", _merge_jobs, _prepare_providers)


def list_finished_pools(build: BuildState) -> dict[str, PoolFile]:
    """Return the finished pools by key."""
    return {
        pool.key: PoolFile(pool, record, find_provider(pool.kind))
        for pool, record in zip(build.plan.pools, build.list_finished_records("merge"), strict=True)
    }


@dataclass(frozen=True, slots=True)
class CellFill:
    """How many items a cell gets.

    Attributes:
        items: number of items.
        capacity: what its pool can carry; None where nothing bounds it.
        note: why there are fewer items than asked for, or fewer pieces of the pool behind them; ""
            if there are not.
        pieces: how many pieces of its pool stand behind its items; None without a pool.
    """

    items: int
    capacity: int | None = None
    note: str = ""
    pieces: int | None = None


def fill_cells(build: BuildState) -> dict[str, CellFill]:
    """Return how many items each cell gets, by Cell.key.

    Raises:
        ValueError: no cell gets any.
    """
    pools = zip(build.plan.pools, build.list_finished_records("merge"), strict=True)
    about = {pool.key: record.about for pool, record in pools}
    filled: dict[str, CellFill] = {}
    for cell in build.plan.cells:
        if cell.pool is None:
            filled[cell.key] = _fill_without_pool(cell)
            continue
        made = about[cell.pool]
        filled[cell.key] = _fill_from_pool(cell, made["capacity"], made["shortfall"])
    if not any(part.items for part in filled.values()):
        notes = "; ".join(sorted({part.note for part in filled.values()}))
        raise ValueError(f"no item can be made: {notes}")
    return filled


def _fill_from_pool(cell: PlanCell, capacity: int, shortfall: str) -> CellFill:
    """Return how many items a cell gets from its pool.

    Args:
        cell: the cell.
        capacity: number of pieces of the pool.
        shortfall: why they are fewer than were asked for.
    """
    task = task_registry.load_task(cell.task)
    draws = task.items_per_state(cell.make_params(task))
    items = min(cell.asked, capacity * draws)
    note = shortfall if capacity < cell.asked else ""
    if note and items > capacity:
        note += f"; {items} items are made of them, at most {draws} of each"
    return CellFill(items, capacity * draws, note, min(items, capacity))


def _fill_without_pool(cell: PlanCell) -> CellFill:
    """Return how many items a cell gets that rests on no pool."""
    task = task_registry.load_task(cell.task)
    capacity = task.capacity(cell.make_params(task))
    if capacity is None or capacity >= cell.asked:
        return CellFill(cell.asked, capacity)
    note = f"{cell.task} has {capacity} distinct items here, {cell.asked} were asked for"
    return CellFill(capacity, capacity, note)


def table_hashes(pools: Sequence[ResourcePool]) -> dict[str, str]:
    """Return the hashes, by name, of the big tables that the proofs of pools rest on."""
    found: dict[str, str] = {}
    for kind in sorted({pool.kind for pool in pools}):
        found.update(find_provider(kind).tables([pool for pool in pools if pool.kind == kind]))
    return dict(sorted(found.items()))
