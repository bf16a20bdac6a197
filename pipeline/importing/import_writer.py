"""Write imported items as an ordinary dataset folder, and the rejected lines beside it.

A row's id ends in the item's own id, in lower case, with - for characters that an id cannot have;
its provenance has the original spelling, with file and line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.build.emit_stage import parquet_options, shares_pictures
from facelet.pipeline.build.manifest_writer import code_version
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.hub_features import with_features
from facelet.pipeline.dataset.manifest_file import (
    MANIFEST,
    CellEntry,
    ConfigEntry,
    Manifest,
    ShardEntry,
    SplitEntry,
)
from facelet.pipeline.dataset.row_columns import (
    CANARY,
    MAX_ID,
    SCHEMA_VERSION,
    arrow_schema,
    dataset_hash,
    row_hashes,
)
from facelet.pipeline.dataset.row_composer import (
    RowPlace,
    attach_pictures,
    build_provenance,
    compose_row,
)
from facelet.pipeline.dataset.row_hashes import (
    canonical_json,
    hash_file,
    hash_sequence,
    hash_value,
    library_versions,
)
from facelet.pipeline.importing.imported_items import ImportedItem, ImportedItems, RejectedItem
from facelet.pipeline.json_types import JSON

SPLIT = "test"
PROFILE = "imported"
REPEATS = "the items are those of the files that they were read from"

_OTHER = re.compile(r"[^a-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item with the ids of its rows, in their order."""

    item: ImportedItem
    ids: tuple[str, ...]


def assign_ids(found: ImportedItems) -> tuple[list[PlacedItem], list[RejectedItem]]:
    """Return the items with ids for their rows, and the items that can have no id."""
    placed: list[PlacedItem] = []
    broken = list(found.rejected)
    taken: dict[str, str] = {}
    for item in found.items:
        label = item.params.difficulty().label
        start = f"{config_name(found.suite, item)}/{label}/{_OTHER.sub('-', item.own_id.lower())}"
        single = len(item.instances) == 1
        ids = tuple(start if single else f"{start}-{k:02d}" for k in range(len(item.instances)))
        if max(map(len, ids)) > MAX_ID:
            reason = f"its id is too long: the row would be {ids[0]!r}, of more than {MAX_ID} signs"
        elif start in taken:
            reason = f"its rows would have the ids of those of {taken[start]}"
        else:
            taken[start] = item.line.location
            placed.append(PlacedItem(item, ids))
            continue
        broken.append(RejectedItem(item.line, reason, item.own_id))
    return placed, sorted(broken, key=lambda one: (one.line.file, one.line.number))


def config_name(suite: str, item: ImportedItem) -> str:
    """Return the config of an item's rows."""
    return f"{suite}.{item.task.name.partition('/')[2]}"


def write_dataset(
    found: ImportedItems, placed: Sequence[PlacedItem], out: Path, seed: int, asked: JSON
) -> int:
    """Write the dataset; return its number of rows.

    Args:
        found: the result of the reader.
        placed: the items that become rows.
        out: the folder, which does not exist yet.
        seed: root of the seeds.
        asked: everything that decides the rows, as plain values.
    """
    configs: dict[str, list[PlacedItem]] = {}
    for one in placed:
        configs.setdefault(config_name(found.suite, one.item), []).append(one)
    entries = {
        name: _write_config(found.suite, name, configs[name], out) for name in sorted(configs)
    }
    hashes = {(name, SPLIT): entry.splits[SPLIT].content_hash for name, entry in entries.items()}
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        name=found.suite,
        content_hash=dataset_hash(hashes),
        plan_hash=hash_value(asked),
        profile=PROFILE,
        seed=seed,
        splits={SPLIT: 1},
        code_version=code_version(),
        libraries=library_versions(),
        tables=found.tables,
        canary=CANARY,
        citation=None,
        left_out=(),
        configs=entries,
        audit={},
    )
    write_text(out / MANIFEST, manifest.to_text())
    return sum(entry.splits[SPLIT].rows for entry in entries.values())


def write_rejected(broken: Sequence[RejectedItem], path: Path) -> None:
    """Write the lines that became no row, each with its outcome, reason and text."""
    lines = (
        {
            "file": one.line.file,
            "line": one.line.number,
            "id": one.own_id,
            "outcome": one.outcome,
            "reason": one.reason,
            "held": one.line.text,
        }
        for one in broken
    )
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def _write_config(suite: str, name: str, placed: Sequence[PlacedItem], out: Path) -> ConfigEntry:
    """Write the rows of a config; return the manifest's part about it."""
    cells: dict[str, list[PlacedItem]] = {}
    for one in sorted(placed, key=lambda one: one.item.params.difficulty().value):
        cells.setdefault(one.item.params.difficulty().label, []).append(one)
    ordered = [one for inside in cells.values() for one in inside]
    task = ordered[0].item.task
    rows = [row for one in ordered for row in _build_rows(suite, name, one)]
    table = pa.Table.from_pylist(rows, schema=with_features(arrow_schema(task.columns)))
    path = out / name / f"{SPLIT}-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    options = parquet_options(table.schema, shared=shares_pictures(table))
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=100)
    content = hash_sequence(row_hashes(table))
    size = path.stat().st_size
    shard = ShardEntry(path.relative_to(out).as_posix(), len(rows), size, hash_file(path), content)
    parts = [
        (_build_cell_entry(label, inside), sum(len(one.ids) for one in inside))
        for label, inside in cells.items()
    ]
    split = SplitEntry(
        len(rows),
        len(ordered),
        size,
        content,
        floor_record.combine_records([(cell.chance, count) for cell, count in parts]),
        tuple(cell for cell, _ in parts),
        (shard,),
    )
    params = _collect_params([one.item for one in ordered])
    return ConfigEntry(
        suite,
        task.name,
        task.version,
        {key: seen if len(seen) > 1 else seen[0] for key, seen in params.items()},
        tuple(key for key, seen in params.items() if len(seen) > 1),
        {SPLIT: split},
        {},
        None,
        REPEATS,
    )


def _build_rows(suite: str, config: str, placed: PlacedItem) -> list[dict[str, Any]]:
    """Return the rows of an item, pictures drawn."""
    item = placed.item
    difficulty = item.params.difficulty()
    where = RowPlace(config, suite, SPLIT, difficulty, difficulty.label)
    made = build_provenance(item.draw)
    source = ["from", item.line.file, item.line.number, item.own_id]
    made["seed_path"] = canonical_json([*json.loads(str(made["seed_path"])), *source])
    rows = []
    for identifier, instance in zip(placed.ids, item.instances, strict=True):
        row, scenes = compose_row(item.task, instance, where, (0, None), item.draw)
        rows.append(attach_pictures({**row, "id": identifier, "provenance": made}, scenes))
    return rows


def _build_cell_entry(label: str, placed: Sequence[PlacedItem]) -> CellEntry:
    """Return what is said of a difficulty."""
    first = placed[0].item
    rows = [one.item.task.encode(row) for one in placed for row in one.item.instances]
    name = floor_record.find_chance_column(first.task)
    mean = None if name is None else sum(row[name] for row in rows) / len(rows)
    chance = floor_record.build_record(first.task.chance_level(first.params), mean)
    count = len(placed)
    return CellEntry(first.params.difficulty().value, label, count, count, None, None, "", chance)


def _collect_params(items: Sequence[ImportedItem]) -> Mapping[str, list[JSON]]:
    """Return the distinct values that each param takes, in order."""
    values: dict[str, list[JSON]] = {}
    for item in items:
        for name, value in asdict(item.params).items():  # type: ignore[call-overload]
            seen = values.setdefault(name, [])
            if value not in seen:
                seen.append(value)
    return values
