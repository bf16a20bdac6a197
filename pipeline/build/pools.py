"""Stages certify and merge: the pools of resources that cells draw their items from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from facelet.pipeline import resources
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.shards import WORK, Made, Record, read_tables
from facelet.pipeline.resources import Pool, Provider, Resource

OPTIONS = {"compression": "zstd"}


@dataclass(frozen=True, slots=True)
class CertifyJob:
    """One chunk of a pool.

    Attributes:
        pool: the pool.
        chunk: number of the chunk.
        provider: makes it.
        cache: folder of pruning tables; decides nothing.
    """

    pool: Pool
    chunk: int
    provider: Provider
    cache: Path | None

    @property
    def key(self) -> str:
        """Pool and chunk."""
        return f"{self.pool.key}/{self.chunk:05d}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/certify/{self.key}.parquet"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pools", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def inputs(self) -> Any:
        """Return the pool and the chunk."""
        return [dataclasses.asdict(self.pool), self.chunk]

    def make(self, out: Path) -> Made:
        """Return the chunk's table."""
        del out
        return Made(self.provider.make(self.pool, self.chunk, self.cache), options=OPTIONS)


@dataclass(frozen=True, slots=True)
class MergeJob:
    """A whole pool, from its chunks.

    Attributes:
        pool: the pool.
        parts: the records of its chunks, in order.
        provider: merges them.
        cache: folder of pruning tables; decides nothing.
    """

    pool: Pool
    parts: tuple[Record, ...]
    provider: Provider
    cache: Path | None

    @property
    def key(self) -> str:
        """The pool."""
        return self.pool.key

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/pools/{self.key}.parquet"

    @property
    def sources(self) -> tuple[str, ...]:
        """The provider's."""
        return ("facelet.pipeline.build.pools", *self.provider.sources)

    @property
    def cost(self) -> float:
        """The pool's guess."""
        return self.pool.cost

    def inputs(self) -> Any:
        """Return the pool and the hashes of its chunks."""
        return [dataclasses.asdict(self.pool), [part.sha256 for part in self.parts]]

    def make(self, out: Path) -> Made:
        """Return the merged table."""
        tables = list(read_tables(out, self.parts))
        return Made(self.provider.merge(self.pool, tables, self.cache), options=OPTIONS)


def certify_jobs(plan: Plan, cache: Path | None) -> list[CertifyJob]:
    """Return the jobs of the certify stage."""
    return [
        CertifyJob(pool, chunk, resources.provider(pool.kind), cache)
        for pool in plan.pools
        for chunk in range(pool.chunks)
    ]


def merge_jobs(plan: Plan, chunks: Sequence[Record], cache: Path | None) -> list[MergeJob]:
    """Return the jobs of the merge stage, given the records of the certify stage."""
    jobs: list[MergeJob] = []
    start = 0
    for pool in plan.pools:
        parts = tuple(chunks[start : start + pool.chunks])
        jobs.append(MergeJob(pool, parts, resources.provider(pool.kind), cache))
        start += pool.chunks
    return jobs


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
            table = pq.read_table(out / self.record.path, use_threads=False)
            _LOADED[key] = self.provider.load(self.pool, table)
        return _LOADED[key]


_KEPT = 4
_LOADED: dict[tuple[str, Record], Resource] = {}
"""Pools that this process has read, oldest first."""
