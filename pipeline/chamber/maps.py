"""Provider of "chamber/maps": pools of different chambers with a proven shortest plan.

Cells with equal knobs and split share a pool, as large as the largest request, so all tasks ask
about the same maps. A map belongs to a slot, and a slot to a path of names, so a smaller pool is
the beginning of a larger one. Each chunk makes one slot; a slot whose chamber equals an earlier one
stays empty, and a few spare slots fill the gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from facelet.generators.chamber.maps.map_columns import KIND, ChamberMap, MapPool, knobs_of
from facelet.generators.chamber.maps.map_generator import make_map
from facelet.generators.chamber.plans.plan_mistakes import Mistake
from facelet.generators.chamber.world import chamber_records
from facelet.generators.core.task import Need
from facelet.pipeline.family_modules import FamilySettings
from facelet.pipeline.resource_providers import (
    LazyPieces,
    PoolContext,
    PoolRequest,
    Resource,
    ResourcePool,
)

_SCHEMA = pa.schema(
    [
        ("slot", pa.int32()),
        ("chamber", pa.string()),
        ("plan", pa.list_(pa.string())),
        ("visited", pa.int32()),
        ("mistake_numbers", pa.list_(pa.int32())),
        ("mistake_steps", pa.list_(pa.string())),
        ("mistake_sorts", pa.list_(pa.string())),
        ("mistake_lags", pa.list_(pa.int32())),
        ("canonical", pa.string()),
        ("insights", pa.list_(pa.string())),
    ]
)
_SPARE = 20
"""One spare slot for so many, none for fewer; chambers that are alike are far rarer."""


class ChamberMapProvider:
    """The provider; it has no state."""

    sources = (
        "facelet.generators.core.seeding",
        "facelet.generators.chamber.composition",
        "facelet.generators.chamber.devices",
        "facelet.generators.chamber.engine",
        "facelet.generators.chamber.maps",
        "facelet.generators.chamber.plans",
        "facelet.generators.chamber.world",
        "facelet.pipeline.chamber.maps",
    )

    def plan(
        self, requests: Sequence[PoolRequest], world: PoolContext
    ) -> Mapping[PoolRequest, ResourcePool]:
        """Return the pool of each request."""
        groups: dict[tuple[Need, str], list[PoolRequest]] = {}
        for request in requests:
            groups.setdefault((request.need, request.split), []).append(request)
        return {
            request: pool
            for (need, split), group in groups.items()
            for pool in [_build_pool(need, split, max(r.count for r in group), world)]
            for request in group
        }

    def tables(self, pools: Sequence[ResourcePool]) -> dict[str, str]:
        """Return nothing: the proofs rest on no table."""
        return {}

    def prepare(self, pools: Sequence[ResourcePool], told: FamilySettings, progress: bool) -> None:
        """Do nothing: workers share nothing.

        Args:
            pools: the pools that have work left.
            told: nothing is read of it.
            progress: nothing is shown.
        """

    def make(self, pool: ResourcePool, chunk: int, told: FamilySettings) -> pa.Table:
        """Return the map of one slot.

        Args:
            pool: the pool.
            chunk: number of the slot, from 0.
            told: nothing.
        """
        return to_table([(chunk, _fill_slot(pool, chunk))])

    def merge(
        self, pool: ResourcePool, parts: Sequence[pa.Table], told: FamilySettings
    ) -> pa.Table:
        """Return the pool: the first maps of which no two are alike.

        Args:
            pool: the pool.
            parts: the tables of its slots, in order.
            told: nothing.
        """
        seen: set[str] = set()
        kept: list[dict[str, object]] = []
        for row in pa.concat_tables(parts).to_pylist():
            if row["canonical"] not in seen and len(kept) < dict(pool.args)["count"]:
                seen.add(row["canonical"])
                kept.append(row)
        return pa.Table.from_pylist(kept, schema=_SCHEMA)

    def load(self, pool: ResourcePool, table: pa.Table) -> Resource:
        """Return the pool as tasks are handed it."""
        return from_table(table)

    def open(self, pool: ResourcePool, told: FamilySettings) -> Resource:
        """Return the pool, each map of which is made when a task asks for it."""
        return MapPool(LazyPieces(dict(pool.args)["count"], partial(_fill_slot, pool)))

    def shortfall(self, pool: ResourcePool, resource: Resource) -> str:
        """Return why the pool is smaller than asked for."""
        asked = dict(pool.args)["count"]
        if resource.capacity >= asked:
            return ""
        return f"of {pool.chunks} chambers only {resource.capacity} differ; choose wider knobs"


def _fill_slot(pool: ResourcePool, slot: int) -> ChamberMap:
    """Return the map of a slot of a pool."""
    args = dict(pool.args)
    words = [str(part) for pair in args["knobs"] for part in pair]
    names = (args["seed"], KIND, args["split"], *words, "slot", slot)
    return make_map(knobs_of(args["knobs"]), names, args["splits"], args["split"])


def to_table(found: Sequence[tuple[int, ChamberMap]]) -> pa.Table:
    """Return maps, each with its slot, as an Arrow table."""
    return pa.Table.from_pylist([_map_row(slot, item) for slot, item in found], schema=_SCHEMA)


def _map_row(slot: int, item: ChamberMap) -> dict[str, object]:
    return {
        "slot": slot,
        "chamber": chamber_records.format_chamber(item.chamber),
        "plan": list(map(str, item.plan)),
        "visited": item.visited,
        "mistake_numbers": [mistake.number for mistake in item.mistakes],
        "mistake_steps": [str(mistake.step) for mistake in item.mistakes],
        "mistake_sorts": [mistake.sort for mistake in item.mistakes],
        "mistake_lags": [mistake.lag for mistake in item.mistakes],
        "canonical": item.canonical,
        "insights": list(item.insights),
    }


def from_table(table: pa.Table) -> MapPool:
    """Return the maps of a table; the inverse of `to_table`, without slots."""
    return maps_of(table.to_pylist())


def maps_of(rows: Sequence[Mapping[str, Any]]) -> MapPool:
    """Return the maps of a table's rows as plain values."""
    return MapPool(
        tuple(
            ChamberMap(
                chamber_records.parse_chamber(row["chamber"]),
                tuple(map(chamber_records.parse_step, row["plan"])),
                row["visited"],
                tuple(
                    Mistake(number, chamber_records.parse_step(step), sort, lag)
                    for number, step, sort, lag in zip(
                        row["mistake_numbers"],
                        row["mistake_steps"],
                        row["mistake_sorts"],
                        row["mistake_lags"],
                        strict=True,
                    )
                ),
                row["canonical"],
                tuple(row["insights"]),
            )
            for row in rows
        )
    )


def _build_pool(need: Need, split: str, count: int, world: PoolContext) -> ResourcePool:
    knobs = knobs_of(need.args)
    words = "-".join(str(value) for _, value in need.args)
    args: dict[str, object] = {
        "knobs": need.args,
        "split": split,
        "splits": world.splits,
        "seed": world.seed,
        "count": count,
    }
    return ResourcePool(
        key=f"chamber-maps/{words}-{split}",
        kind=KIND,
        args=tuple(sorted(args.items())),
        chunks=count + count // _SPARE,
        cost=float(knobs.rooms * knobs.steps),
    )


PROVIDER = ChamberMapProvider()
