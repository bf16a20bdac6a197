"""Provider of "cube/states": pools of certified states, proven by the exact solver.

Cells that ask for the same metric, depth and split share one pool, as large as the largest of them
asks for, and those that ask for scrambles another; neighbour distances are computed when one of
them needs them. The states and their order are those of `generators.cube.pools.building`; a smaller
pool is the beginning of a larger one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from facelet.generators.cube.distance import compiled
from facelet.generators.cube.distance.solver import Solver
from facelet.generators.cube.distance.tables import SPECS, Table
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.pools import building, slots
from facelet.generators.cube.pools.spec import DRAWN_TO, STORED_FROM, PoolSpec
from facelet.generators.cube.states.certified import CertifiedState, CertifiedStates
from facelet.pipeline.cube import store
from facelet.pipeline.cube.tables import open_table, told_cache
from facelet.pipeline.families import Told
from facelet.pipeline.resources import Pool, Request, Resource, World

KIND = "cube/states"

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
        "facelet.generators.cube.states.certified",
        "facelet.pipeline.cube.states",
    )

    def plan(self, requests: Sequence[Request], world: World) -> Mapping[Request, Pool]:
        """Return the pool of each request.

        Raises:
            NotCompiled: the exact solver is missing.
        """
        compiled.demand()
        groups: dict[_Place, list[Request]] = {}
        for request in requests:
            groups.setdefault(_place(request), []).append(request)
        return {
            request: pool
            for place, group in groups.items()
            for pool in [_pool(place, group, world)]
            for request in group
        }

    def tables(self, pools: Sequence[Pool]) -> dict[str, str]:
        """Return the hashes of the pruning tables, which are known before they are built."""
        return {name: SPECS[name].digest for name in _tables(pools)}

    def prepare(self, pools: Sequence[Pool], told: Told, progress: bool) -> None:
        """Build the pruning tables that are not in the cache, and read all into shared memory.

        Args:
            pools: the pools that have work left.
            told: `cache` names the folder of tables.
            progress: whether bars are shown on stderr.
        """
        for name in _tables(pools):
            table = open_table(name, told_cache(told), progress=progress)
            # Held from here on, so that the workers of this machine share this copy.
            _prepared[name] = table

    def make(self, pool: Pool, chunk: int, told: Told) -> pa.Table:
        """Return the proven states of one chunk of slots, one a row.

        Args:
            pool: the pool.
            chunk: number of the chunk, from 0.
            told: `cache` names the folder of tables.
        """
        spec, args = _spec(pool), dict(pool.args)
        stored = _stored(spec, args) if spec.source == "store" else ()
        if stored and store.digest(stored) != args["store"]:
            raise ValueError(
                f"data/certified/{spec.metric}.parquet has not the states that the build was "
                "planned with; run the same command again"
            )
        states = building.certify_chunk(
            spec,
            building.candidate_chunks(spec)[chunk],
            _solver(str(args["table"]), told_cache(told)),
            stored=stored,
            neighbours=bool(args["neighbours"]),
        )
        return to_table(states)

    def merge(self, pool: Pool, parts: Sequence[pa.Table], told: Told) -> pa.Table:
        """Return the pool, distinct up to symmetry, one state a row.

        Args:
            pool: the pool.
            parts: the tables of its chunks, in order.
            told: `cache` names the folder of tables.
        """
        spec, args = _spec(pool), dict(pool.args)
        merged = building.merge(
            spec,
            [from_table(part, spec.metric, spec.depth) for part in parts],
            _solver(str(args["table"]), told_cache(told)),
            neighbours=bool(args["neighbours"]),
        )
        return to_table(merged)

    def load(self, pool: Pool, table: pa.Table) -> Resource:
        """Return the pool as tasks are handed it."""
        spec = _spec(pool)
        return from_table(table, spec.metric, spec.depth)

    def shortfall(self, pool: Pool, resource: Resource) -> str:
        """Return why the pool is smaller than asked for."""
        spec, args = _spec(pool), dict(pool.args)
        said = building.shortfall(spec, cast(CertifiedStates, resource))
        found_since = spec.source == "store" and _stored(spec, args) != _stored(spec, _EVERY)
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
    """Return the pool that a table holds; the inverse of `to_table`.

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


def _tables(pools: Sequence[Pool]) -> list[str]:
    return sorted({str(dict(pool.args)["table"]) for pool in pools})


class _Place(NamedTuple):
    """What requests have in common that share a pool."""

    metric: str
    depth: int
    split: str
    scrambled: bool


def _place(request: Request) -> _Place:
    args = dict(request.need.args)
    scrambled = bool(args.get("scrambled"))
    return _Place(str(args["metric"]), int(args["depth"]), request.split, scrambled)


def _pool(place: _Place, group: Sequence[Request], world: World) -> Pool:
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
        "table": f"{metric}-{world.told['table']}",
    }
    if args["table"] not in SPECS:
        raise ValueError(f"there is no table {args['table']!r}; there are {', '.join(SPECS)}")
    if scrambled:
        args["scrambled"] = True
    spec = _spec_of(args)
    if spec.source == "store":
        if world.told.get("certified") == "all":
            args |= _EVERY
        stored = _stored(spec, args)
        if not stored:
            raise _too_deep(spec)
        args["store"] = store.digest(stored)
        held = _held(spec, stored)
        if held is not None:
            args["held"] = held
            spec = _spec_of(args)
    chunks = building.candidate_chunks(spec)
    return Pool(
        key=f"cube-{metric}/{'scramble' if scrambled else 'depth'}-{depth:02d}-{split}",
        kind=KIND,
        args=tuple(sorted(args.items())),
        chunks=len(chunks),
        cost=float(depth),
    )


_EVERY: Mapping[str, object] = {"certified": "all"}
"""The argument of pools that are taken from all editions of the store."""


def _stored(spec: PoolSpec, args: Mapping[str, object]) -> tuple[slots.Edition, ...]:
    """Return the states of the store that a pool is taken from, by edition."""
    return store.taken(spec.metric, spec.depth, every=_EVERY.items() <= args.items())


def _too_deep(spec: PoolSpec) -> ValueError:
    """Return the error of a pool of a depth of which the store of proofs has no state."""
    depths = {state.optimal_depth for state in store.load(spec.metric)}
    proven = STORED_FROM[spec.metric] - 1
    while proven + 1 in depths:
        proven += 1
    return ValueError(
        f"depth {spec.depth} ({spec.metric}) is too deep to be proven in a build, and the "
        f"store of proofs in data/certified has no state of it; ask for depths=1-{proven}, or "
        "search for states first, for hours: python -m facelet.pipeline.cube.store"
    )


def _held(spec: PoolSpec, stored: Sequence[slots.Edition]) -> int | None:
    """Return how many states the store has for a pool that wants more.

    None where it wants no more, or where what is lacking is not drawn.
    """
    if spec.depth > DRAWN_TO[spec.metric]:
        return None
    held = len(list(slots.from_store(spec, stored)))
    return held if held < spec.count else None


def _spec(pool: Pool) -> PoolSpec:
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
def _solver(table: str, cache: Path | None) -> Solver:
    """Return this process's solver; it hashed the table, which processes of a machine share."""
    return Solver(open_table(table, cache, progress=False))


_prepared: dict[str, Table] = {}
"""The tables that the workers of this process share."""


PROVIDER = CubeStates()
