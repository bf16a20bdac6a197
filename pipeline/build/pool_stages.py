"""Certify and merge the pools of resources from which cells draw their items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from facelet.pipeline.build.build_folder import (
    INTERMEDIATE_SUFFIX,
    WORK,
    CompletionRecord,
    ShardContent,
    ShardSummary,
    read_table,
    read_tables,
)
from facelet.pipeline.build.job_runner import StageRunner
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
        family_settings: the settings of its family; they decide nothing.
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
        family_settings: the settings of its family; they decide nothing.
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


def make_pools(stages: StageRunner, pools: Sequence[ResourcePool]) -> dict[str, PoolFile]:
    """Certify the chunks of pools and merge them; return the finished pools by key.

    Args:
        stages: runs the two stages.
        pools: the pools of the plan.
    """

    def prepare_providers(jobs: Sequence[CertifyJob | MergeJob]) -> None:
        with stages.timer.time_part("tables"):
            by_kind: dict[str, list[ResourcePool]] = {}
            for job in jobs:
                by_kind.setdefault(job.pool.kind, []).append(job.pool)
            for kind, own in sorted(by_kind.items()):
                find_provider(kind).prepare(own, stages.find_settings(kind), stages.progress)

    chunks = [
        CertifyJob(pool, chunk, find_provider(pool.kind), stages.find_settings(pool.kind))
        for pool in pools
        for chunk in range(pool.chunks)
    ]
    parts = iter(stages.run_stage("certify", chunks, prepare_providers))
    whole = [
        MergeJob(
            pool,
            tuple(record for _, record in islice(parts, pool.chunks)),
            find_provider(pool.kind),
            stages.find_settings(pool.kind),
        )
        for pool in pools
    ]
    return {
        job.pool.key: PoolFile(job.pool, record, job.provider)
        for job, record in stages.run_stage("merge", whole, prepare_providers)
    }


def table_hashes(pools: Sequence[ResourcePool]) -> dict[str, str]:
    """Return the hashes, by name, of the big tables that the proofs of pools rest on."""
    digests: dict[str, str] = {}
    for kind in sorted({pool.kind for pool in pools}):
        digests.update(find_provider(kind).tables([pool for pool in pools if pool.kind == kind]))
    return dict(sorted(digests.items()))
