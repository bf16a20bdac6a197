"""Manifests of datasets that tests write by the layout alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from facelet.pipeline.dataset import dataset_reader, row_columns
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence


def read_manifest(out: Path) -> dict[str, Any]:
    """Return what the manifest of a folder holds, as plain values that a test may change."""
    content: dict[str, Any] = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return content


def complete_row(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "images": row["images"] or []}


def describe_folder(out: Path, name: str = "toys") -> dict[str, Any]:
    """Write the manifest of whatever shards lie in a folder, and return it."""
    configs: dict[str, Any] = {}
    for part in dataset_reader.list_splits(out):
        found = [complete_row(row) for row in part.iterate_rows(images=True)]
        shards = []
        for path in part.paths:
            inside = [complete_row(row) for row in pq.read_table(path).to_pylist()]
            shards.append(
                {
                    "path": path.relative_to(out).as_posix(),
                    "rows": len(inside),
                    "bytes": path.stat().st_size,
                    "sha256": hash_file(path),
                    "content_hash": hash_sequence(map(row_columns.content_hash, inside)),
                }
            )
        config = configs.setdefault(
            part.config,
            {
                "suite": found[0]["suite"] or "toy",
                "task": found[0]["task"],
                "task_version": found[0]["task_version"],
                "params": {},
                "splits": {},
            },
        )
        config["splits"][part.name] = {
            "rows": len(found),
            "items": len(found),
            "bytes": sum(shard["bytes"] for shard in shards),
            "content_hash": hash_sequence(map(row_columns.content_hash, found)),
            "cells": [],
            "shards": shards,
        }
    return write_manifest(out, configs, name)


def write_manifest(out: Path, configs: dict[str, Any], name: str = "Toys") -> dict[str, Any]:
    """Write and return the manifest of configs that are on disk."""
    hashes = {
        (name, split): inside["content_hash"]
        for name, config in configs.items()
        for split, inside in config["splits"].items()
    }
    content = {
        "manifest_version": 1,
        "schema_version": row_columns.SCHEMA_VERSION,
        "name": name,
        "content_hash": row_columns.dataset_hash(hashes),
        "plan_hash": "0" * 32,
        "profile": "smoke",
        "seed": 7,
        "splits": {"test": 1, "train": 1},
        "code_version": "0.1.0+toys",
        "libraries": {"numpy": "2"},
        "tables": {},
        "canary": row_columns.CANARY,
        "left_out": [],
        "configs": configs,
        "audit": {},
    }
    (out / "manifest.json").write_text(json.dumps(content, indent=1))
    return content
