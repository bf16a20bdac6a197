"""Build the manifest of a finished build: its configs, files and hashes.

The manifest is a pure function of the plan and of the shards' records: it contains no times and no
paths of a machine. It is written last, so a folder without one is an unfinished build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from facelet._version import __version__
from facelet.pipeline.build.build_plan import BuildPlan
from facelet.pipeline.build.cell_results import CellResult
from facelet.pipeline.build.emit_stage import PublishedSplit
from facelet.pipeline.build.pool_stages import table_hashes
from facelet.pipeline.dataset import chance_record
from facelet.pipeline.dataset.chance_record import ChanceRecord
from facelet.pipeline.dataset.content_hash import library_versions
from facelet.pipeline.dataset.floor_record import FloorRecord
from facelet.pipeline.dataset.manifest_entries import (
    CellEntry,
    Citation,
    ConfigEntry,
    ShardEntry,
    SplitEntry,
)
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import dataset_hash
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.json_types import JSON

_CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")

BY_CONFIG = ("configs", "floors", "repeats")
"""Parts of an audit that the entry of each config contains."""


@dataclass(frozen=True, slots=True)
class FinishedBuild:
    """All that a manifest shows of a build.

    Attributes:
        plan: the plan.
        cells: the result of each cell, in the order of the plan.
        shards: the published splits.
        audit: the record of the audit.
        citation: how the dataset is to be cited.
    """

    plan: BuildPlan
    cells: Sequence[CellResult]
    shards: Sequence[PublishedSplit]
    audit: Mapping[str, Any]
    citation: Citation


def code_version() -> str:
    """Return the version of this program with the fingerprint of its source code."""
    return f"{__version__}+{fingerprint_sources(_CODE)[:12]}"


def build_manifest(build: FinishedBuild) -> Manifest:
    """Return the manifest of a finished build."""
    plan = build.plan
    by_config: dict[str, list[CellResult]] = {}
    for one in build.cells:
        by_config.setdefault(one.cell.config, []).append(one)
    configs, left_out = {}, list(plan.left_out)
    for config, cells in by_config.items():
        left_out += _list_empty_parts(config, cells)
        if any(one.fill.items for one in cells):
            shards = {one.split: one for one in build.shards if one.config == config}
            audit = {name: build.audit.get(name, {}).get(config) for name in BY_CONFIG}
            configs[config] = build_config_entry(cells, shards, audit)
    hashes = {(one.config, one.split): one.rows_hash for one in build.shards}
    return Manifest(
        schema_version=plan.schema_version,
        name=plan.name,
        content_hash=dataset_hash(hashes),
        plan_hash=plan.plan_hash,
        profile=plan.profile,
        seed=plan.seed,
        splits=dict(plan.splits),
        code_version=code_version(),
        libraries=library_versions(),
        tables=table_hashes(plan.pools),
        canary=plan.canary,
        citation=build.citation,
        left_out=tuple(left_out),
        configs=configs,
        audit={name: value for name, value in build.audit.items() if name not in BY_CONFIG},
    )


def _list_empty_parts(config: str, cells: Sequence[CellResult]) -> list[str]:
    """Return why a config, or some cells of its splits, have no items; [] if all have some."""
    empty = [one for one in cells if not one.fill.items]
    if len(empty) == len(cells):
        return [f"{config}: no items ({_join_notes(empty)})"]
    found = []
    for split in dict.fromkeys(one.cell.split for one in empty):
        own = [one for one in empty if one.cell.split == split]
        labels = ", ".join(one.cell.difficulty.label for one in own)
        found.append(f"{config}: split {split} has no items at {labels} ({_join_notes(own)})")
    return found


def _join_notes(cells: Sequence[CellResult]) -> str:
    return "; ".join(sorted({one.fill.note for one in cells}))


def build_config_entry(
    cells: Sequence[CellResult], shards: Mapping[str, PublishedSplit], audit: Mapping[str, Any]
) -> ConfigEntry:
    """Return the entry of one config.

    Args:
        cells: its cells.
        shards: its published splits by name.
        audit: the parts of the audit about it, by name; None where there is none.
    """
    first = cells[0].cell
    params = _distinct_params(cells)
    chances = [_choose_chance(one, audit["floors"]) for one in cells]
    splits: dict[str, SplitEntry] = {}
    for split in dict.fromkeys(one.cell.split for one in cells):
        if split not in shards:
            continue
        records = shards[split].shards
        own = [
            (one, chance)
            for one, chance in zip(cells, chances, strict=True)
            if one.cell.split == split
        ]
        splits[split] = SplitEntry(
            sum(record.rows for record in records),
            sum(one.fill.items for one, _ in own),
            sum(record.bytes for record in records),
            shards[split].rows_hash,
            chance_record.combine_records([(chance, one.rows) for one, chance in own]),
            tuple(
                CellEntry(
                    one.cell.difficulty.value,
                    one.cell.label,
                    one.fill.items,
                    one.cell.asked,
                    one.fill.capacity,
                    one.fill.pieces,
                    one.fill.note,
                    chance,
                )
                for one, chance in own
            ),
            tuple(
                ShardEntry(
                    record.path, record.rows, record.bytes, record.sha256, record.content_hash
                )
                for record in records
            ),
        )
    return ConfigEntry(
        first.suite,
        first.task,
        first.task_version,
        {name: seen if len(seen) > 1 else seen[0] for name, seen in params.items()},
        tuple(name for name, seen in params.items() if len(seen) > 1),
        splits,
        dict(audit["configs"] or {}),
        audit["floors"],
        audit["repeats"] or "",
    )


def _choose_chance(result: CellResult, floor: FloorRecord | None) -> ChanceRecord | None:
    """Return the chance of a cell: what its task states, else what random legal moves win."""
    level = None if floor is None else floor.get("levels", {}).get(result.cell.difficulty.label)
    if result.chance is not None or not result.rows or floor is None or not level:
        return result.chance
    if "legal" not in level:
        return None
    legal = level["legal"]
    return {
        "value": legal["value"],
        "of": floor["of"],
        "kind": "simulated",
        "low": legal["low"],
        "high": legal["high"],
        "plays": legal["items"],
    }


def _distinct_params(cells: Sequence[CellResult]) -> dict[str, list[JSON]]:
    """Return the distinct values that each param of a config takes, in order."""
    values: dict[str, list[JSON]] = {}
    for one in cells:
        for name, value in one.cell.params:
            seen = values.setdefault(name, [])
            if value not in seen:
                seen.append(value)
    return values
