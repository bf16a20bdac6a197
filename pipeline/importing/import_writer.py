"""Writing: imported items as a dataset folder like any other, and what is kept apart beside it.

A row's id ends in the item's own id, in small letters, with - for what an id cannot hold; its
provenance spells it as its file does, with file and line.
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

from facelet.pipeline.build.emit import parquet_options, shared
from facelet.pipeline.build.manifest import code_version
from facelet.pipeline.dataset import chances
from facelet.pipeline.dataset.composing import Place, compose, pictured, provenance
from facelet.pipeline.dataset.features import with_features
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.dataset.hashing import (
    canonical_json,
    hash_file,
    hash_sequence,
    hash_value,
    libraries,
)
from facelet.pipeline.dataset.manifest_entries import (
    CellEntry,
    ConfigEntry,
    ShardEntry,
    SplitEntry,
)
from facelet.pipeline.dataset.manifests import MANIFEST, Manifest
from facelet.pipeline.dataset.rows import (
    CANARY,
    MAX_ID,
    SCHEMA_VERSION,
    dataset_hash,
    row_hashes,
    schema,
)
from facelet.pipeline.importing.items import Broken, Found, Item
from facelet.pipeline.json_values import JSON

SPLIT = "test"
PROFILE = "imported"
REPEATS = "the items are those of the files that they were read from"

_OTHER = re.compile(r"[^a-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class Placed:
    """An item with the ids of its rows, in their order."""

    item: Item
    ids: tuple[str, ...]


def place(found: Found) -> tuple[list[Placed], list[Broken]]:
    """Return the items with ids for their rows, and those that no id can be had for."""
    placed: list[Placed] = []
    broken = list(found.broken)
    taken: dict[str, str] = {}
    for item in found.items:
        label = item.params.difficulty().label
        start = f"{config_of(found.suite, item)}/{label}/{_OTHER.sub('-', item.own.lower())}"
        single = len(item.instances) == 1
        ids = tuple(start if single else f"{start}-{k:02d}" for k in range(len(item.instances)))
        if max(map(len, ids)) > MAX_ID:
            reason = f"its id is too long: the row would be {ids[0]!r}, of more than {MAX_ID} signs"
        elif start in taken:
            reason = f"its rows would have the ids of those of {taken[start]}"
        else:
            taken[start] = item.line.place
            placed.append(Placed(item, ids))
            continue
        broken.append(Broken(item.line, reason, item.own))
    return placed, sorted(broken, key=lambda one: (one.line.file, one.line.number))


def config_of(suite: str, item: Item) -> str:
    """Return the config of an item's rows."""
    return f"{suite}.{item.task.name.partition('/')[2]}"


def write(found: Found, placed: Sequence[Placed], out: Path, seed: int, asked: JSON) -> int:
    """Write the dataset; return its number of rows.

    Args:
        found: what was read.
        placed: the items that become rows.
        out: the folder, not there yet.
        seed: what was drawn from.
        asked: all that decides the rows, as plain values.
    """
    configs: dict[str, list[Placed]] = {}
    for one in placed:
        configs.setdefault(config_of(found.suite, one.item), []).append(one)
    entries = {name: _config(found.suite, name, configs[name], out) for name in sorted(configs)}
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
        libraries=libraries(),
        tables=found.tables,
        canary=CANARY,
        citation=None,
        left_out=(),
        configs=entries,
        audit={},
    )
    write_text(out / MANIFEST, manifest.text())
    return sum(entry.splits[SPLIT].rows for entry in entries.values())


def write_broken(broken: Sequence[Broken], path: Path) -> None:
    """Write what no row was made of, with the reason and the line as it was."""
    lines = (
        {
            "file": one.line.file,
            "line": one.line.number,
            "id": one.own,
            "reason": one.reason,
            "held": one.line.text,
        }
        for one in broken
    )
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))


def _config(suite: str, name: str, placed: Sequence[Placed], out: Path) -> ConfigEntry:
    """Write the rows of a config; return the manifest's part about it."""
    cells: dict[str, list[Placed]] = {}
    for one in sorted(placed, key=lambda one: one.item.params.difficulty().value):
        cells.setdefault(one.item.params.difficulty().label, []).append(one)
    ordered = [one for inside in cells.values() for one in inside]
    task = ordered[0].item.task
    rows = [row for one in ordered for row in _rows(suite, name, one)]
    table = pa.Table.from_pylist(rows, schema=with_features(schema(task.columns)))
    path = out / name / f"{SPLIT}-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    options = parquet_options(table.schema, shared=shared(table))
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table, row_group_size=100)
    content = hash_sequence(row_hashes(table))
    size = path.stat().st_size
    shard = ShardEntry(path.relative_to(out).as_posix(), len(rows), size, hash_file(path), content)
    parts = [
        (_cell(label, inside), sum(len(one.ids) for one in inside))
        for label, inside in cells.items()
    ]
    split = SplitEntry(
        len(rows),
        len(ordered),
        size,
        content,
        chances.combined([(cell.chance, count) for cell, count in parts]),
        tuple(cell for cell, _ in parts),
        (shard,),
    )
    params = _params([one.item for one in ordered])
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


def _rows(suite: str, config: str, placed: Placed) -> list[dict[str, Any]]:
    """Return the rows of an item, pictures drawn."""
    item = placed.item
    difficulty = item.params.difficulty()
    where = Place(config, suite, SPLIT, difficulty, difficulty.label)
    made = provenance(item.draw)
    source = ["from", item.line.file, item.line.number, item.own]
    made["seed_path"] = canonical_json([*json.loads(str(made["seed_path"])), *source])
    rows = []
    for identifier, instance in zip(placed.ids, item.instances, strict=True):
        row, scenes = compose(item.task, instance, where, (0, None), item.draw)
        rows.append(pictured({**row, "id": identifier, "provenance": made}, scenes))
    return rows


def _cell(label: str, placed: Sequence[Placed]) -> CellEntry:
    """Return what is said of a difficulty."""
    first = placed[0].item
    rows = [one.item.task.encode(row) for one in placed for row in one.item.instances]
    name = chances.column(first.task)
    mean = None if name is None else sum(row[name] for row in rows) / len(rows)
    chance = chances.record(first.task.chance(first.params), mean)
    count = len(placed)
    return CellEntry(first.params.difficulty().value, label, count, count, None, None, "", chance)


def _params(items: Sequence[Item]) -> Mapping[str, list[JSON]]:
    """Return the distinct values that each param takes, in order."""
    values: dict[str, list[JSON]] = {}
    for item in items:
        for name, value in asdict(item.params).items():  # type: ignore[call-overload]
            seen = values.setdefault(name, [])
            if value not in seen:
                seen.append(value)
    return values
