"""Datasets of toy tasks, written by the layout alone: no build has a hand in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from describing import read_manifest, write_manifest
from toy_tasks import TASKS, ToyItem, ToyQuestion, make_fair_cells

from facelet.pipeline.dataset import dataset_reader, row_columns
from facelet.pipeline.dataset.hub_features import with_features
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence
from facelet.renderers.api import render_png


def make_rows(
    task: ToyQuestion, config: str, split: str, cell: str, items: list[list[ToyItem]]
) -> list[dict]:
    made = []
    for number, (index, item) in enumerate((i, r) for i, rs in enumerate(items) for r in rs):
        chat_, scenes = row_columns.prompt_to_messages(task.build_prompt(item))
        drawn = [render_png(scene) for scene in scenes]
        name = row_columns.row_id(config, cell, number)
        made.append(
            {
                "id": name,
                "suite": "toys",
                "task": task.name,
                "task_version": task.version,
                "split": split,
                "difficulty_axis": "level",
                "difficulty": int(cell[-2:]),
                "group": task.group_key(item),
                "messages": chat_,
                "images": [
                    {"bytes": png, "path": f"{name}#{k}.png"} for k, (png, _) in enumerate(drawn)
                ],
                "image_hashes": [pixels for _, pixels in drawn],
                "gold": task.gold_answer(item),
                "canary": row_columns.canary_value(split),
                "provenance": {"generator": "facelet toy", "seed_path": f"7/{index}", "attempt": 0},
                **task.encode(item),
            }
        )
    return made


def write_toy_config(
    out: Path,
    task: ToyQuestion,
    cells: Mapping[tuple[str, str], list[list[ToyItem]]],
    per_shard: int = 37,
) -> dict[str, Any]:
    """Write one config; return its part of the manifest."""
    config = f"toys.{task.name.partition('/')[2]}"
    schema = with_features(row_columns.arrow_schema(task.columns))
    by_split: dict[str, dict[str, list[dict]]] = {}
    for (split, cell), items in cells.items():
        by_split.setdefault(split, {})[cell] = make_rows(task, config, split, cell, items)
    splits = {}
    for split, inside in by_split.items():
        all_rows = [row for made in inside.values() for row in made]
        pieces = [all_rows[i : i + per_shard] for i in range(0, len(all_rows), per_shard)]
        shards = []
        for number, piece in enumerate(pieces):
            path = out / config / f"{split}-{number:05d}-of-{len(pieces):05d}.parquet"
            shards.append(write_toy_shard(out, path, piece, schema))
        splits[split] = {
            "rows": len(all_rows),
            "items": sum(len(items) for (s, _), items in cells.items() if s == split),
            "bytes": sum(shard["bytes"] for shard in shards),
            "content_hash": hash_sequence(row_columns.content_hash(row) for row in all_rows),
            "cells": [
                {
                    "difficulty": int(cell[-2:]),
                    "label": cell,
                    "items": len(cells[split, cell]),
                    "asked": len(cells[split, cell]),
                    "capacity": None,
                    "note": "",
                }
                for cell in inside
            ],
            "shards": shards,
        }
    return {
        "suite": "toys",
        "task": task.name,
        "task_version": task.version,
        "params": {"depth": [1, 2], "size": "small"},
        "splits": splits,
    }


def write_toy_shard(out: Path, path: Path, piece: list[dict], schema: pa.Schema) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(piece, schema), path)
    return {
        "path": path.relative_to(out).as_posix(),
        "rows": len(piece),
        "bytes": path.stat().st_size,
        "sha256": hash_file(path),
        "content_hash": hash_sequence(row_columns.content_hash(row) for row in piece),
    }


def build_dataset(out: Path, *, items: int, per_shard: int) -> Path:
    configs = {
        f"toys.{task.name.partition('/')[2]}": write_toy_config(
            out, task, make_fair_cells(task, items), per_shard
        )
        for task in TASKS.values()
    }
    write_manifest(out, configs)
    return out


def tamper_row(out: Path, name: str, change: Callable[[dict], None], *, rehash: bool) -> None:
    """Change the row of an id; with `rehash`, cover it up in every hash of the manifest."""
    manifest = read_manifest(out)
    config = name.partition("/")[0]
    found = 0
    for split in manifest["configs"][config]["splits"].values():
        for shard in split["shards"]:
            path = out / shard["path"]
            table = pq.read_table(path)
            content = table.to_pylist()
            hit = next((row for row in content if row["id"] == name), None)
            if hit is None:
                continue
            found += 1
            change(hit)
            pq.write_table(pa.Table.from_pylist(content, table.schema), path)
            if rehash:
                shard |= {"bytes": path.stat().st_size, "sha256": hash_file(path)}
                shard["content_hash"] = hash_sequence(map(row_columns.content_hash, content))
    assert found == 1
    if rehash:
        hashes = {}
        for part in dataset_reader.list_splits(out):
            said = manifest["configs"][part.config]["splits"][part.name]
            said["content_hash"] = hash_sequence(
                map(row_columns.content_hash, part.iterate_rows(images=True))
            )
            hashes[part.config, part.name] = said["content_hash"]
        manifest["content_hash"] = row_columns.dataset_hash(hashes)
        (out / "manifest.json").write_text(json.dumps(manifest))
