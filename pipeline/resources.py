"""Providers: who makes the resources that tasks are handed.

A task says what it needs (`Need.kind` and arguments); the provider of that kind makes pools of it
in two steps, each a pure function to a table: `make`, chunk by chunk, then `merge`. `load` turns
the merged table into the resource that `Task.generate` takes; its `capacity` bounds the items.

To add a kind, write a module with a Provider and name it in PROVIDERS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from facelet.generators.core.task import Need


class Resource(Protocol):
    """What a provider hands to a task."""

    @property
    def capacity(self) -> int:
        """Number of items that the resource can carry."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
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
class World:
    """What all requests of a build share.

    Attributes:
        seed: root of all seeds.
        splits: all splits with their weights.
        table: size of the solver's table, as in Settings.
    """

    seed: int
    splits: tuple[tuple[str, int], ...]
    table: str


@dataclass(frozen=True, slots=True)
class Pool:
    """One resource that a build makes; cells share it. Part of the plan.

    Attributes:
        key: its place in the work folder, such as "cube-htm/depth-07-test"; unique in a plan.
        kind: the provider's kind.
        args: all that determines its content, as (name, value) pairs of plain values.
        chunks: number of pieces that `make` is called for.
        cost: guess of the work of one piece, in any unit; dear pieces start first.
    """

    key: str
    kind: str
    args: tuple[tuple[str, Any], ...]
    chunks: int
    cost: float = 1.0


class Provider(Protocol):
    """Makes the resources of one kind. Its methods depend on their arguments only.

    Attributes:
        sources: packages whose source decides what it makes; a change there remakes its tables.
    """

    sources: tuple[str, ...]

    def plan(self, requests: Sequence[Request], world: World) -> Mapping[Request, Pool]:
        """Return the pool that serves each request; requests that can share one do."""
        ...

    def tables(self, pools: Sequence[Pool]) -> dict[str, str]:
        """Return the hashes, by name, of the big tables that the pools' proofs rest on."""
        ...

    def prepare(self, pools: Sequence[Pool], cache: Path | None, progress: bool) -> None:
        """Make the tables that workers share, before the first worker needs them."""
        ...

    def make(self, pool: Pool, chunk: int, cache: Path | None) -> pa.Table:
        """Return piece number `chunk` of a pool."""
        ...

    def merge(self, pool: Pool, parts: Sequence[pa.Table], cache: Path | None) -> pa.Table:
        """Return the whole pool from its pieces, in order."""
        ...

    def load(self, pool: Pool, table: pa.Table) -> Resource:
        """Return the resource that a merged table holds."""
        ...

    def shortfall(self, pool: Pool, resource: Resource) -> str:
        """Return why the pool is smaller than asked for, in words; "" if it is not."""
        ...


PROVIDERS: dict[str, str] = {"cube/states": "facelet.pipeline.cube.states"}
"""Module that exports the PROVIDER of a kind of need."""


def provider(kind: str) -> Provider:
    """Return the provider of a kind of need.

    Raises:
        ValueError: there is none.
    """
    try:
        module = import_module(PROVIDERS[kind])
    except KeyError:
        known = ", ".join(PROVIDERS)
        raise ValueError(f"no provider makes {kind!r}; kinds that are made: {known}") from None
    found: Provider = module.PROVIDER
    return found
