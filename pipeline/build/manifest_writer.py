"""Measure the cells of a finished build, and write its manifest: configs, files and hashes.

The manifest is a pure function of the plan and of the shards' records: it contains no times and no
local paths. It is written last, so a folder without one is an unfinished build.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from facelet._version import __version__
from facelet.pipeline.build.build_plan import BuildPlan, CellFill, PlanCell
from facelet.pipeline.build.compose_stage import ComposedSplit
from facelet.pipeline.build.emit_stage import PublishedSplit
from facelet.pipeline.build.pool_stages import table_hashes
from facelet.pipeline.dataset import floor_record, floor_studies
from facelet.pipeline.dataset.floor_record import UNSTATED, ChanceRecord, DeclaredFloor, FloorRecord
from facelet.pipeline.dataset.manifest_file import (
    CellEntry,
    Citation,
    ConfigEntry,
    Manifest,
    ShardEntry,
    SplitEntry,
)
from facelet.pipeline.dataset.row_columns import dataset_hash
from facelet.pipeline.dataset.row_hashes import library_versions
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.json_types import JSON


@dataclass(frozen=True, slots=True)
class CellResult:
    """What a build made of one cell.

    Attributes:
        fill: the cell with its items.
        rows: its composed rows.
        chance: the chance of its rows; None where the task states none, or there are no rows.
    """

    fill: CellFill
    rows: int = 0
    chance: ChanceRecord | None = None

    @property
    def cell(self) -> PlanCell:
        """The cell of the plan."""
        return self.fill.cell

    @property
    def params(self) -> Any:
        """The params of the cell."""
        return self.cell.make_params(self.fill.task)


def measure_cells(filled: Sequence[CellFill], splits: Sequence[ComposedSplit]) -> list[CellResult]:
    """Return the result of each cell, in the order of the plan.

    Args:
        filled: how many items each cell gets.
        splits: the composed rows.

    Raises:
        ValueError: a task has a column for the chance of its rows, and leaves it empty.
    """
    rows: dict[str, int] = defaultdict(int)
    own: dict[str, list[float | None]] = defaultdict(list)
    for split in splits:
        for job, record in split.parts:
            rows[job.cell.key] += record.rows
            own[job.cell.key].append(record.about["chance"])
        if split.redrawn is not None:
            for key, change in split.redrawn.about["chances"].items():
                own[key].append(change)
    results = []
    for fill in filled:
        count, known = rows[fill.cell.key], own[fill.cell.key]
        if not known:
            results.append(CellResult(fill))
            continue
        stated = [one for one in known if one is not None]
        mean = math.fsum(stated) / count if len(stated) == len(known) else None
        declared = fill.task.chance_level(fill.cell.make_params(fill.task))
        results.append(CellResult(fill, count, floor_record.build_record(declared, mean)))
    return results


def collect_declarations(results: Sequence[CellResult]) -> dict[str, DeclaredFloor]:
    """Return what the tasks of each config declare, over all its rows and for each level.

    Where a task limits blind players at some difficulties only, the others count with their chance.
    """
    by_config: dict[str, list[CellResult]] = {}
    for one in results:
        if one.fill.items:
            by_config.setdefault(one.cell.config, []).append(one)
    found: dict[str, DeclaredFloor] = {}
    for config, own in by_config.items():
        levels: dict[str, list[CellResult]] = {}
        for one in own:
            levels.setdefault(one.cell.difficulty.label, []).append(one)
        declared = {label: _declare_level(level) for label, level in levels.items()}
        found[config] = replace(_combine_declarations(own), levels=declared)
    return found


def _declare_level(level: Sequence[CellResult]) -> DeclaredFloor:
    """Return what is declared of a level, with what a study found there."""
    declared = _combine_declarations(level)
    cell = level[0].cell
    study = floor_studies.find_study(cell.task, cell.task_version, dict(cell.params))
    if study is None or study.of != declared.of:
        return declared
    rule = floor_studies.find_known_rule(
        cell.task, cell.task_version, dict(cell.params), cell.difficulty.axis
    )
    return replace(declared, studied=study.to_studied_floor(), known_rule=rule)


def _combine_declarations(results: Sequence[CellResult]) -> DeclaredFloor:
    """Return what is declared of some cells, weighted by their rows."""
    whole = floor_record.combine_records([(one.chance, one.rows) for one in results])
    limits = [one.fill.task.blind_limit(one.params) for one in results]
    chance = None if whole is None else whole["value"]
    of = "answers" if whole is None else whole["of"]
    reason = next((limit.reason for limit in limits if limit is not None), "")
    repeats = [one.fill.task.repeat_reason(one.params) for one in results]
    repeated = repeats[0] if all(repeats) else ""
    if not reason:
        return DeclaredFloor(chance, of, repeats=repeated)
    shares = [
        limit.value
        if limit is not None
        else UNSTATED
        if one.chance is None
        else one.chance["value"]
        for limit, one in zip(limits, results, strict=True)
    ]
    total = sum(one.rows for one in results)
    mean = math.fsum(share * one.rows for share, one in zip(shares, results, strict=True))
    return DeclaredFloor(chance, of, mean / total, reason, repeated)


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
            floor_record.combine_records([(chance, one.rows) for one, chance in own]),
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
