"""Find tasks, the pipeline modules of one family, and providers of resources, by name.

- the task "cube/navigate" stands in `facelet.generators.cube.tasks.navigate`;
- what the pipeline knows of a family stands in the folder that bears its name: the kind
  "cube/states" names the module `facelet.pipeline.cube.states`, whatever it is a kind of;
- `connect` of a family's module `connection`, if it has one, readies a process for its episodes.

So a new family has no entry in any list, nothing of a family is imported before something of it is
asked for, and one that cannot be imported stops nothing but its own rows.

Define the providers of the resources that tasks need.
A task says what it needs (`Need.kind` and arguments); the provider of that kind makes pools of it
in two steps, each a pure function to a table: `make`, chunk by chunk, then `merge`. `load` turns
the merged table into the resource that `Task.generate` takes; its `capacity` bounds the items.

A kind names the module that exports its PROVIDER: "cube/states" is `facelet.pipeline.cube.states`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from facelet import pipeline
from facelet.generators.core import task_registry
from facelet.generators.core.task import Need, Task

if TYPE_CHECKING:
    import pyarrow as pa

AnyTask = Task[Any, Any]
"""A task, whatever its params and its instances are."""

Lookup = Callable[[str], AnyTask]
"""Finds a task by its name; see `load_task`."""

FamilySettings = Mapping[str, str | None]
"""What a family is told by a build's configuration: values by key; see `conf/family`."""

NO_SETTINGS: FamilySettings = {}

_KIND = re.compile(r"([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)")

T = TypeVar("T")


class TaskUnavailable(ValueError):  # noqa: N818 - a fact about the place, not a fault
    """A task that cannot be had here: there is none of that name, or its family is broken."""


def family_name(name: str) -> str:
    """Return the family of a task, or of a kind of need, claim or measure: "cube" of "cube/x"."""
    return name.partition("/")[0]


def load_task(name: str, told: FamilySettings = NO_SETTINGS) -> AnyTask:
    """Return a task, ready to be played in this process.

    Args:
        name: "family/task"; a dataset may say anything here.
        told: what its family is told; see `prepare_family`.

    Raises:
        Unavailable: there is no such task, or importing its family fails.
    """
    try:
        found = task_registry.load_task(name)
        prepare_family(found, told)
    except ValueError as error:
        raise TaskUnavailable(str(error)) from error
    # To import a family is to run its code, which may fail in any way.
    except Exception as error:
        raise TaskUnavailable(
            f"the family {family_name(name)!r} cannot be imported, so there is no {name}: "
            f"{type(error).__name__}: {error}"
        ) from error
    return found


def prepare_family(found: AnyTask, told: FamilySettings = NO_SETTINGS) -> None:
    """Ready this process for the episodes of a task, if its family asks for that.

    Args:
        found: the task.
        told: what its family is told; where it says nothing, what was told before holds.
    """
    if (connect := _find_connector(family_name(found.name))) is not None:
        connect(told)


@cache
def _find_connector(name: str) -> Callable[[FamilySettings], None] | None:
    """Return what readies a process for a family, or None if nothing needs to."""
    module = _import_module(f"{name}/oracle_tables")
    connect: Callable[[FamilySettings], None] | None = None if module is None else module.connect
    return connect


def load_export(kind: str, name: str) -> Any:
    """Return what the module that a kind names exports, such as its PROVIDER.

    Args:
        kind: "family/module", such as "cube/states".
        name: name of the export.

    Raises:
        ValueError: there is no such module, or it exports nothing of that name.
    """
    if (found := find_export(kind, name)) is None:
        place = f"{pipeline.__name__}.{kind.replace('/', '.')}"
        raise ValueError(f"{kind!r} has no {name}: {place} must export one")
    return found


def find_export(kind: str, name: str) -> Any:
    """Return what the module that a kind names exports, or None where a family has none of it.

    Args:
        kind: "family/module", such as "cube/states".
        name: name of the export.
    """
    return getattr(_import_module(kind), name, None)


def _import_module(kind: str) -> Any:
    """Return the module that a kind names, or None if there is none."""
    if (match := _KIND.fullmatch(kind)) is None:
        raise ValueError(f"{kind!r} names no module of a family; write family/module")
    path = f"{pipeline.__name__}.{match[1]}.{match[2]}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        # A package that the module asks for in vain is another matter: that one is told.
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise
        return None


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
        told: what the provider's family is told. What of it decides a pool goes into Pool.args.
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
