"""Provider of "cube/states": pools of certified states, proven by the exact solver.

Cells with equal metric, depth and split share one pool, as large as the largest request; cells that
need scrambles share another. Neighbour distances are computed if a cell needs them. States and
their order are those of `generators.cube.pools.pool_builder`; a smaller pool is the beginning of a
larger one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from facelet.generators.cube.distance import compiled_cores
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.pruning_tables import SPECS, PruningTable
from facelet.generators.cube.engine.notation import Metric
from facelet.generators.cube.pools import pool_builder, slot_sources
from facelet.generators.cube.pools.pool_spec import DRAWN_TO, STORED_FROM, PoolSpec
from facelet.generators.cube.states.certified_states import KIND, CertifiedState, CertifiedStates
from facelet.pipeline.cube import store
from facelet.pipeline.cube.table_cache import open_table, read_cache_setting
from facelet.pipeline.family_modules import FamilySettings
from facelet.pipeline.resource_providers import (
    LazyPieces,
    PoolContext,
    PoolRequest,
    Resource,
    ResourcePool,
)

_FIELDS = tuple(item.name for item in fields(CertifiedState))
_SCHEMA = pa.schema(
    [pa.field(name, store.STATES[name][0]) for name in _FIELDS]
    + [pa.field("neighbours", pa.list_(pa.int8()))]
)


class CubeStates:
    """The provider; it has no state."""

    sources = (
        "facelet.generators.core.seeding",
        "facelet.generators.cube.distance",
        "facelet.generators.cube.engine",
        "facelet.generators.cube.pools",
        "facelet.generators.cube.states.certified_states",
        "facelet.pipeline.cube.states",
    )

    def plan(
        self, requests: Sequence[PoolRequest], world: PoolContext
    ) -> Mapping[PoolRequest, ResourcePool]:
        """Return the pool of each request.

        Raises:
            NotCompiled: the exact solver is missing.
        """
        compiled_cores.require_solver()
        groups: dict[_PoolPlace, list[PoolRequest]] = {}
        for request in requests:
            groups.setdefault(_request_place(request), []).append(request)
        return {
            request: pool
            for place, group in groups.items()
            for pool in [_build_pool(place, group, world)]
            for request in group
        }

    def tables(self, pools: Sequence[ResourcePool]) -> dict[str, str]:
        """Return the hashes of the pruning tables, which are known before they are built."""
        return {name: SPECS[name].digest for name in _table_names(pools)}

    def prepare(self, pools: Sequence[ResourcePool], told: FamilySettings, progress: bool) -> None:
        """Build the pruning tables that are not in the cache, and read all into shared memory.

        Args:
            pools: the pools that have work left.
            told: `cache` names the folder of tables.
            progress: whether bars are shown on stderr.
        """
        for name in _table_names(pools):
            table = open_table(name, read_cache_setting(told), progress=progress)
            # Held from here on, so that the workers of this machine share this copy.
            _prepared[name] = table

    def make(self, pool: ResourcePool, chunk: int, told: FamilySettings) -> pa.Table:
        """Return the proven states of one chunk of slots, one a row.

        Args:
            pool: the pool.
            chunk: number of the chunk, from 0.
            told: `cache` names the folder of tables.
        """
        spec, args = _pool_spec(pool), dict(pool.args)
        stored = _list_planned_states(spec, args)
        states = pool_builder.certify_chunk(
            spec,
            pool_builder.candidate_chunks(spec)[chunk],
            _load_solver(str(args["table"]), read_cache_setting(told)),
            stored=stored,
            neighbours=bool(args["neighbours"]),
        )
        store.check_not_shorter(states.states if stored else ())
        return to_table(states)

    def merge(
        self, pool: ResourcePool, parts: Sequence[pa.Table], told: FamilySettings
    ) -> pa.Table:
        """Return the pool, distinct up to symmetry, one state a row.

        Args:
            pool: the pool.
            parts: the tables of its chunks, in order.
            told: `cache` names the folder of tables.
        """
        spec, args = _pool_spec(pool), dict(pool.args)
        merged = pool_builder.merge_chunks(
            spec,
            [from_table(part, spec.metric, spec.depth) for part in parts],
            _load_solver(str(args["table"]), read_cache_setting(told)),
            neighbours=bool(args["neighbours"]),
        )
        return to_table(merged)

    def load(self, pool: ResourcePool, table: pa.Table) -> Resource:
        """Return the pool as tasks are handed it."""
        spec = _pool_spec(pool)
        return from_table(table, spec.metric, spec.depth)

    def open(self, pool: ResourcePool, told: FamilySettings) -> Resource:
        """Return the pool, each state of which is proven when a task asks for it."""
        spec, args = _pool_spec(pool), dict(pool.args)
        solver = _load_solver(str(args["table"]), read_cache_setting(told))
        stored = _list_planned_states(spec, args)
        size, fill_slot = pool_builder.open_slots(spec, solver, stored)

        def fill_checked(slot: int) -> CertifiedState:
            state = fill_slot(slot)
            store.check_not_shorter([state] if stored else ())
            return state

        pieces = LazyPieces(min(size, spec.count), fill_checked)
        return CertifiedStates(spec.metric, spec.depth, pieces)

    def shortfall(self, pool: ResourcePool, resource: Resource) -> str:
        """Return why the pool is smaller than asked for."""
        spec, args = _pool_spec(pool), dict(pool.args)
        said = pool_builder.describe_shortfall(spec, cast(CertifiedStates, resource))
        found_since = spec.state_source == "store" and _list_stored_states(
            spec, args
        ) != _list_stored_states(spec, _EVERY)
        return (
            f"{said}; certified=all takes what was found since, too"
            if said and found_since
            else said
        )


def to_table(states: CertifiedStates) -> pa.Table:
    """Return a pool as an Arrow table, one state a row."""
    neighbours = states.neighbours
    rows = [
        {name: getattr(state, name) for name in _FIELDS}
        | {"neighbours": None if neighbours is None else neighbours[index].tolist()}
        for index, state in enumerate(states.states)
    ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def from_table(table: pa.Table, metric: Metric, depth: int) -> CertifiedStates:
    """Return the pool of a table; the inverse of `to_table`.

    Args:
        table: one state a row.
        metric: the metric of all of them.
        depth: their optimal depth.
    """
    rows = table.to_pylist()
    distances = [row.pop("neighbours") for row in rows]
    known = bool(rows) and distances[0] is not None
    return CertifiedStates(
        metric=metric,
        optimal_depth=depth,
        states=tuple(CertifiedState(**row) for row in rows),
        neighbours=np.array(distances, dtype=np.int8) if known else None,
    )


def _table_names(pools: Sequence[ResourcePool]) -> list[str]:
    return sorted({str(dict(pool.args)["table"]) for pool in pools})


class _PoolPlace(NamedTuple):
    """What requests have in common that share a pool."""

    metric: str
    depth: int
    split: str
    scrambled: bool


def _request_place(request: PoolRequest) -> _PoolPlace:
    args = dict(request.need.args)
    scrambled = bool(args.get("scrambled"))
    return _PoolPlace(str(args["metric"]), int(args["depth"]), request.split, scrambled)


def _build_pool(
    place: _PoolPlace, group: Sequence[PoolRequest], world: PoolContext
) -> ResourcePool:
    """Return the pool that serves all requests of one place."""
    metric, depth, split, scrambled = place
    args: dict[str, object] = {
        "metric": metric,
        "depth": depth,
        "split": split,
        "splits": world.splits,
        "seed": world.seed,
        "count": max(request.count for request in group),
        "neighbours": any(dict(request.need.args).get("neighbours") for request in group),
        "table": f"{metric}-{world.family_settings['table']}",
    }
    if args["table"] not in SPECS:
        raise ValueError(f"unknown table {args['table']!r}; use one of {', '.join(SPECS)}")
    if scrambled:
        args["scrambled"] = True
    spec = _spec_of(args)
    if spec.state_source == "store":
        if world.family_settings.get("certified") == "all":
            args |= _EVERY
        if not (stored := _list_stored_states(spec, args)):
            raise _too_deep(spec)
        args["store"] = store.digest_states(stored)
        if (held := _count_stored(spec, stored)) is not None:
            args["held"] = held
            spec = _spec_of(args)
    chunks = pool_builder.candidate_chunks(spec)
    return ResourcePool(
        key=f"cube-{metric}/{'scramble' if scrambled else 'depth'}-{depth:02d}-{split}",
        kind=KIND,
        args=tuple(sorted(args.items())),
        chunks=len(chunks),
        cost=float(depth),
    )


_EVERY: Mapping[str, object] = {"certified": "all"}
"""The argument of pools that are taken from all editions of the store."""


def _list_stored_states(
    spec: PoolSpec, args: Mapping[str, object]
) -> tuple[slot_sources.Edition, ...]:
    """Return the states of the store that a pool is taken from, by edition."""
    return store.states_for_pools(spec.metric, spec.depth, every=_EVERY.items() <= args.items())


def _list_planned_states(
    spec: PoolSpec, args: Mapping[str, Any]
) -> tuple[slot_sources.Edition, ...]:
    """Return the states of the store that a pool was planned with; none where it takes none.

    Raises:
        ValueError: the store has others by now.
    """
    stored = _list_stored_states(spec, args) if spec.state_source == "store" else ()
    if stored and store.digest_states(stored) != args["store"]:
        raise ValueError(
            f"data/certified/{spec.metric}.parquet changed after the build was planned; rerun "
            "the command"
        )
    return stored


def _too_deep(spec: PoolSpec) -> ValueError:
    """Return the error of a pool of a depth of which the store of proofs has no state."""
    depths = {state.optimal_depth for state in store.load_states(spec.metric)}
    proven = STORED_FROM[spec.metric] - 1
    while proven + 1 in depths:
        proven += 1
    return ValueError(
        f"depth {spec.depth} ({spec.metric}) is too deep to be proven in a build, and the "
        f"store of proofs in data/certified has no state of it; ask for depths=1-{proven}, or "
        "search for states first, for hours: make certified-store"
    )


def _count_stored(spec: PoolSpec, stored: Sequence[slot_sources.Edition]) -> int | None:
    """Return how many states the store has for a pool that wants more.

    None where it wants no more, or where what is lacking is not drawn.
    """
    if spec.depth > DRAWN_TO[spec.metric]:
        return None
    stored_count = len(list(slot_sources.from_store(spec, stored)))
    return stored_count if stored_count < spec.count else None


def _pool_spec(pool: ResourcePool) -> PoolSpec:
    return _spec_of(dict(pool.args))


def _spec_of(args: Mapping[str, Any]) -> PoolSpec:
    return PoolSpec(
        metric=args["metric"],
        depth=args["depth"],
        split=args["split"],
        splits=args["splits"],
        seed=args["seed"],
        count=args["count"],
        scrambled=bool(args.get("scrambled")),
        held=args.get("held"),
    )


@lru_cache(maxsize=2)
def _load_solver(table: str, cache: Path | None) -> ExactSolver:
    """Return this process's solver; it hashed the table, which processes of a machine share."""
    return ExactSolver(open_table(table, cache, progress=False))


_prepared: dict[str, PruningTable] = {}
"""The tables that the workers of this process share."""


PROVIDER = CubeStates()
