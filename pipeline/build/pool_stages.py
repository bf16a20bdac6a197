"""Stages certify and merge: the pools of resources that cells draw their items from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from facelet.generators.core import registry
from facelet.pipeline.build.plan import Cell
from facelet.pipeline.build.shards import (
    PASSED_ON,
    WORK,
    About,
    Job,
    Made,
    Record,
    read_table,
    read_tables,
)
from facelet.pipeline.build.stages import Build, Stage
from facelet.pipeline.families import Told
from facelet.pipeline.resources import Pool, Provider, Resource, provider


@dataclass(frozen=True, slots=True)
class CertifyJob:
    """One chunk of a pool.

    Attributes:
        pool: the pool.
        chunk: number of the chunk.
        provider: makes it.
        told: what its family is told; decides nothing.
    """

    pool: Pool
    chunk: int
    provider: Provider
    told: Told

    @property
    def key(self) -> str:
        """Pool and chunk."""
        return f"{self.pool.key}/{self.chunk:05d}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/certify/{self.key}{PASSED_ON}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pools", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def inputs(self) -> object:
        """Return the pool and the chunk."""
        return [dataclasses.asdict(self.pool), self.chunk]

    def make(self, out: Path) -> Made:
        """Return the chunk's table."""
        del out
        return Made(self.provider.make(self.pool, self.chunk, self.told))


@dataclass(frozen=True, slots=True)
class MergeJob:
    """A whole pool, from its chunks.

    Attributes:
        pool: the pool.
        parts: the records of its chunks, in order.
        provider: merges them.
        told: what its family is told; decides nothing.
    """

    pool: Pool
    parts: tuple[Record, ...]
    provider: Provider
    told: Told

    @property
    def key(self) -> str:
        """The pool."""
        return self.pool.key

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/pools/{self.key}{PASSED_ON}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pools", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def inputs(self) -> object:
        """Return the pool and the hashes of its chunks."""
        return [dataclasses.asdict(self.pool), [part.sha256 for part in self.parts]]

    def make(self, out: Path) -> Made:
        """Return the merged table, and how many items it carries."""
        tables = list(read_tables(out, self.parts))
        table = self.provider.merge(self.pool, tables, self.told)
        resource = self.provider.load(self.pool, table)
        about: About = {
            "capacity": resource.capacity,
            "shortfall": self.provider.shortfall(self.pool, resource),
        }
        return Made(table, about=about)


@dataclass(frozen=True, slots=True)
class PoolFile:
    """A finished pool as jobs refer to it.

    Attributes:
        pool: the pool.
        record: the record of its merged table.
        provider: loads it.
    """

    pool: Pool
    record: Record
    provider: Provider

    def load(self, out: Path) -> Resource:
        """Return the resource; a process reads a pool once as long as it uses a few only."""
        key = (str(out), self.record)
        if key not in _LOADED:
            while len(_LOADED) >= _KEPT:
                del _LOADED[next(iter(_LOADED))]
            table = read_table(out, self.record)
            _LOADED[key] = self.provider.load(self.pool, table)
        return _LOADED[key]


_KEPT = 4
_LOADED: dict[tuple[str, Record], Resource] = {}
"""Pools that this process has read, oldest first."""


def _certify_jobs(build: Build) -> list[CertifyJob]:
    """Return the jobs that make the chunks of all pools."""
    return [
        CertifyJob(pool, chunk, provider(pool.kind), build.settings.told_of(pool.kind))
        for pool in build.plan.pools
        for chunk in range(pool.chunks)
    ]


def _merge_jobs(build: Build) -> list[MergeJob]:
    """Return the jobs that make pools of their chunks."""
    chunks = iter(build.records("certify"))
    return [
        MergeJob(
            pool,
            tuple(islice(chunks, pool.chunks)),
            provider(pool.kind),
            build.settings.told_of(pool.kind),
        )
        for pool in build.plan.pools
    ]


def _prepare(build: Build, jobs: Sequence[Job]) -> None:
    """Make what the workers share."""
    with build.timer.part("tables"):
        pools: dict[str, list[Pool]] = {}
        for job in jobs:
            assert isinstance(job, CertifyJob | MergeJob)
            pools.setdefault(job.pool.kind, []).append(job.pool)
        for kind, own in sorted(pools.items()):
            provider(kind).prepare(own, build.settings.told_of(kind), build.settings.progress)


CERTIFY = Stage("certify", _certify_jobs, _prepare)
MERGE = Stage("merge", _merge_jobs, _prepare)


def finished(build: Build) -> dict[str, PoolFile]:
    """Return the finished pools by key."""
    return {
        pool.key: PoolFile(pool, record, provider(pool.kind))
        for pool, record in zip(build.plan.pools, build.records("merge"), strict=True)
    }


@dataclass(frozen=True, slots=True)
class Filled:
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


def fill(build: Build) -> dict[str, Filled]:
    """Return how many items each cell gets, by Cell.key.

    Raises:
        ValueError: no cell gets any.
    """
    pools = zip(build.plan.pools, build.records("merge"), strict=True)
    about = {pool.key: record.about for pool, record in pools}
    filled: dict[str, Filled] = {}
    for cell in build.plan.cells:
        if cell.pool is None:
            filled[cell.key] = _unpooled(cell)
            continue
        made = about[cell.pool]
        filled[cell.key] = _pooled(cell, made["capacity"], made["shortfall"])
    if not any(part.items for part in filled.values()):
        notes = "; ".join(sorted({part.note for part in filled.values()}))
        raise ValueError(f"no item can be made: {notes}")
    return filled


def _pooled(cell: Cell, capacity: int, shortfall: str) -> Filled:
    """Return how many items a cell gets from its pool.

    Args:
        cell: the cell.
        capacity: number of pieces of the pool.
        shortfall: why they are fewer than were asked for.
    """
    task = registry.task(cell.task)
    draws = task.draws(cell.make_params(task))
    items = min(cell.asked, capacity * draws)
    note = shortfall if capacity < cell.asked else ""
    if note and items > capacity:
        note += f"; {items} items are made of them, at most {draws} of each"
    return Filled(items, capacity * draws, note, min(items, capacity))


def _unpooled(cell: Cell) -> Filled:
    """Return how many items a cell gets that rests on no pool."""
    task = registry.task(cell.task)
    capacity = task.capacity(cell.make_params(task))
    if capacity is None or capacity >= cell.asked:
        return Filled(cell.asked, capacity)
    note = f"{cell.task} has {capacity} distinct items here, {cell.asked} were asked for"
    return Filled(capacity, capacity, note)


def table_hashes(pools: Sequence[Pool]) -> dict[str, str]:
    """Return the hashes, by name, of the big tables that the proofs of pools rest on."""
    found: dict[str, str] = {}
    for kind in sorted({pool.kind for pool in pools}):
        found.update(provider(kind).tables([pool for pool in pools if pool.kind == kind]))
    return dict(sorted(found.items()))
