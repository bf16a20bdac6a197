"""The manifest: what a dataset folder holds, with the hashes that prove it. Written last.

It is a pure function of the plan and of the shards' records: no times, no paths of a machine. A
folder without a manifest is a build that has not finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from facelet._version import __version__
from facelet.pipeline.build.build_plan import BuildPlan, PlanCell
from facelet.pipeline.build.build_stages import BuildState
from facelet.pipeline.build.compose_stage import chance_levels
from facelet.pipeline.build.emit_stage import EmitJob, group_published_records
from facelet.pipeline.build.pool_stages import CellFill, fill_cells, table_hashes
from facelet.pipeline.build.shard_store import CompletionRecord
from facelet.pipeline.dataset import chance_record, floor_record
from facelet.pipeline.dataset.content_hash import hash_sequence, library_versions
from facelet.pipeline.dataset.manifest_entries import (
    CellEntry,
    ConfigEntry,
    ShardEntry,
    SplitEntry,
)
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import dataset_hash
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.json_types import JSON

_CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")


_BY_CONFIG = ("configs", "floors", "repeats")
"""What of an audit stands beside its config."""


def code_version() -> str:
    """Return the version of this program with the fingerprint of its source code."""
    return f"{__version__}+{fingerprint_sources(_CODE)[:12]}"


def build_manifest(build: BuildState, audit: Mapping[str, Any]) -> Manifest:
    """Return the manifest of a build whose stages are made.

    Args:
        build: the build.
        audit: the audit's record; its part about a config goes to the config.
    """
    plan, filled, shards = build.plan, fill_cells(build), group_published_records(build)
    measured, least = audit.get("configs", {}), audit.get("floors", {})
    levels, tables = _cell_chances(build, least), table_hashes(plan.pools)
    repeats = audit.get("repeats", {})
    hashes = _rows_hashes(build)
    configs = {
        config: _build_config_entry(
            cells,
            filled,
            levels,
            shards,
            hashes,
            measured.get(config, {}),
            least.get(config),
            repeats.get(config, ""),
        )
        for config, cells in plan.cells_by_config().items()
        if any(filled[cell.key].items for cell in cells)
    }
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
        tables=tables,
        canary=plan.canary,
        citation=build.settings.citation,
        left_out=(*plan.left_out, *_list_empty_parts(plan, filled)),
        configs=configs,
        audit={name: value for name, value in audit.items() if name not in _BY_CONFIG},
    )


def _cell_chances(
    build: BuildState, least: Mapping[str, floor_record.FloorRecord]
) -> dict[str, tuple[chance_record.ChanceRecord | None, int]]:
    """Return the chance of each cell: what its task states, else what any legal moves won."""
    found = chance_levels(build)
    for cell in build.plan.cells:
        known, rows = found.get(cell.key, (None, 0))
        floor = least.get(cell.config)
        level = None if floor is None else floor.get("levels", {}).get(cell.difficulty.label)
        if known is None and rows and floor is not None and level is not None and "legal" in level:
            legal = level["legal"]
            found[cell.key] = (
                {
                    "value": legal["value"],
                    "of": floor["of"],
                    "kind": "simulated",
                    "low": legal["low"],
                    "high": legal["high"],
                    "plays": legal["items"],
                },
                rows,
            )
    return found


def _list_empty_parts(plan: BuildPlan, filled: Mapping[str, CellFill]) -> list[str]:
    """Return which configs, and which cells of splits, have no item at all, and why, in words."""
    found = []
    for config, cells in plan.cells_by_config().items():
        empty = [cell for cell in cells if not filled[cell.key].items]
        if len(empty) == len(cells):
            found.append(f"{config}: no items ({_join_notes(empty, filled)})")
            continue
        for split in dict.fromkeys(cell.split for cell in empty):
            own = [cell for cell in empty if cell.split == split]
            labels = ", ".join(cell.difficulty.label for cell in own)
            found.append(
                f"{config}: split {split} has no items at {labels} ({_join_notes(own, filled)})"
            )
    return found


def _join_notes(cells: Sequence[PlanCell], filled: Mapping[str, CellFill]) -> str:
    return "; ".join(sorted({filled[cell.key].note for cell in cells}))


def _rows_hashes(build: BuildState) -> dict[tuple[str, str], str]:
    """Return the content hash of each split, whatever its shards; one record is held at a time."""
    keys: dict[tuple[str, str], list[str]] = {}
    for job, _ in build.records_by_stage["emit"]:
        assert isinstance(job, EmitJob)
        keys.setdefault((job.config, job.split), []).append(job.key)
    return {
        split: hash_sequence(
            row for key in inside for row in build.folder.load_record("emit", key).row_hashes
        )
        for split, inside in keys.items()
    }


def _build_config_entry(
    cells: Sequence[PlanCell],
    filled: Mapping[str, CellFill],
    levels: Mapping[str, tuple[chance_record.ChanceRecord | None, int]],
    shards: Mapping[tuple[str, str], Sequence[CompletionRecord]],
    hashes: Mapping[tuple[str, str], str],
    audit: Mapping[str, JSON],
    floor: floor_record.FloorRecord | None,
    repeats: str,
) -> ConfigEntry:
    """Return the manifest's part about one config."""
    params = _distinct_params(cells)
    splits: dict[str, SplitEntry] = {}
    for split in dict.fromkeys(cell.split for cell in cells):
        records = shards.get((cells[0].config, split))
        if not records:
            continue
        own = [cell for cell in cells if cell.split == split]
        splits[split] = SplitEntry(
            sum(record.rows for record in records),
            sum(filled[cell.key].items for cell in own),
            sum(record.bytes for record in records),
            hashes[cells[0].config, split],
            chance_record.combine_records([levels.get(cell.key, (None, 0)) for cell in own]),
            tuple(_build_cell_entry(cell, filled[cell.key], levels.get(cell.key)) for cell in own),
            tuple(
                ShardEntry(
                    record.path, record.rows, record.bytes, record.sha256, record.content_hash
                )
                for record in records
            ),
        )
    return ConfigEntry(
        cells[0].suite,
        cells[0].task,
        cells[0].task_version,
        {name: seen if len(seen) > 1 else seen[0] for name, seen in params.items()},
        tuple(name for name, seen in params.items() if len(seen) > 1),
        splits,
        dict(audit),
        floor,
        repeats,
    )


def _distinct_params(cells: Sequence[PlanCell]) -> dict[str, list[JSON]]:
    """Return the distinct values that each param of a config takes, in order."""
    values: dict[str, list[JSON]] = {}
    for cell in cells:
        for name, value in cell.params:
            seen = values.setdefault(name, [])
            if value not in seen:
                seen.append(value)
    return values


def _build_cell_entry(
    cell: PlanCell, filled: CellFill, level: tuple[chance_record.ChanceRecord | None, int] | None
) -> CellEntry:
    return CellEntry(
        cell.difficulty.value,
        cell.label,
        filled.items,
        cell.asked,
        filled.capacity,
        filled.pieces,
        filled.note,
        None if level is None else level[0],
    )
