"""Define the providers of the resources that tasks need.

A task says what it needs (`Need.kind` and arguments); the provider of that kind makes pools of it
in two steps, each a pure function to a table: `make`, chunk by chunk, then `merge`. `load` turns
the merged table into the resource that `Task.generate` takes; its `capacity` bounds the items.

A kind names the module that exports its PROVIDER: "cube/states" is `facelet.pipeline.cube.states`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from facelet.generators.core.task import Need
from facelet.pipeline.family_modules import NO_SETTINGS, FamilySettings, family_name, load_export

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


class Resource(Protocol):
    """What a provider hands to a task."""

    @property
    def capacity(self) -> int:
        """Number of items that the resource can carry."""


class LazyPieces(Sequence[T]):
    """The pieces of a pool, each made when it is first asked for."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        """Store how many pieces there are, and what makes the piece of a number."""
        self._numbers, self._make = range(size), cache(make)

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._numbers)

    def __getitem__(self, number: Any) -> Any:
        """Return a piece."""
        return self._make(self._numbers[number])


@dataclass(frozen=True, slots=True)
class PoolRequest:
    """What one cell asks for.

    Attributes:
        need: the task's need.
        split: the split that the resource is for.
        count: number of items asked for.
    """

    need: Need
    split: str
    count: int


@dataclass(frozen=True, slots=True)
class PoolContext:
    """What all requests to a provider share.

    Attributes:
        seed: root of all seeds.
        splits: all splits with their weights.
        family_settings: what the provider's family is told. What of it decides a pool goes into
            ResourcePool.args.
    """

    seed: int
    splits: tuple[tuple[str, int], ...]
    family_settings: FamilySettings


@dataclass(frozen=True, slots=True)
class ResourcePool:
    """One resource that a build makes; cells share it. Part of the plan.

    Attributes:
        key: its place in the work folder, such as "cube-htm/depth-07-test"; unique in a plan.
        kind: the provider's kind.
        args: all that determines its content, as (name, value) pairs of plain values.
        chunks: number of pieces that `make` is called for.
        cost: guess of the work of one piece, in any unit; costly pieces start first.
    """

    key: str
    kind: str
    args: tuple[tuple[str, Any], ...]
    chunks: int
    cost: float = 1.0


class ResourceProvider(Protocol):
    """Makes the resources of one kind. Its methods depend on their arguments only.

    What `family_settings` says decides no table: where the provider keeps things, how it goes about
    its work.

    Attributes:
        sources: packages whose source decides what it makes; a change there remakes its tables.
    """

    sources: tuple[str, ...]

    def plan(
        self, requests: Sequence[PoolRequest], world: PoolContext
    ) -> Mapping[PoolRequest, ResourcePool]:
        """Return the pool that serves each request; requests that can share one do."""

    def tables(self, pools: Sequence[ResourcePool]) -> dict[str, str]:
        """Return the hashes, by name, of the big tables that the pools' proofs rest on."""

    def prepare(self, pools: Sequence[ResourcePool], told: FamilySettings, progress: bool) -> None:
        """Make what workers share, before the first worker needs it.

        Args:
            pools: the pools that have work left.
            told: what the family is told.
            progress: whether bars are shown on stderr.
        """

    def make(self, pool: ResourcePool, chunk: int, told: FamilySettings) -> pa.Table:
        """Return one piece of a pool.

        Args:
            pool: the pool.
            chunk: number of the piece, from 0.
            told: what the family is told.
        """

    def merge(
        self, pool: ResourcePool, parts: Sequence[pa.Table], told: FamilySettings
    ) -> pa.Table:
        """Return the whole pool.

        Args:
            pool: the pool.
            parts: its pieces, in order.
            told: what the family is told.
        """

    def load(self, pool: ResourcePool, table: pa.Table) -> Resource:
        """Return the resource that a merged table holds."""

    def open(self, pool: ResourcePool, told: FamilySettings) -> Resource:
        """Return a pool whose pieces are made when they are asked for.

        A piece that equals an earlier one is not replaced; else it is the pool that `load` returns.

        Args:
            pool: the pool.
            told: what the family is told.
        """

    def shortfall(self, pool: ResourcePool, resource: Resource) -> str:
        """Return why the pool is smaller than asked for, in words; "" if it is not."""


def find_provider(kind: str) -> ResourceProvider:
    """Return the provider of a kind of need.

    Raises:
        ValueError: there is none.
    """
    found: ResourceProvider = load_export(kind, "PROVIDER")
    return found


def assign_pools(
    requests: Sequence[PoolRequest],
    seed: int,
    splits: tuple[tuple[str, int], ...],
    told: Mapping[str, FamilySettings],
) -> dict[PoolRequest, ResourcePool]:
    """Return the pool that serves each request.

    Args:
        requests: what all cells of a build ask for.
        seed: root of all seeds.
        splits: all splits with their weights.
        told: what each family is told.

    Raises:
        ValueError: a kind has no provider, or the provider cannot serve a request.
    """
    by_kind: dict[str, list[PoolRequest]] = {}
    for request in requests:
        by_kind.setdefault(request.need.kind, []).append(request)
    served: dict[PoolRequest, ResourcePool] = {}
    for kind, wanted in by_kind.items():
        world = PoolContext(seed, splits, told.get(family_name(kind), NO_SETTINGS))
        served.update(find_provider(kind).plan(wanted, world))
    return served
