"""What scoring left in a folder, joined: the figures, and each prediction with replies and row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pyarrow.parquet as pq

from facelet.pipeline.environment.rows import rows
from facelet.pipeline.scoring.telling.schema import SCHEMA_VERSION, Results

RESULTS, ITEMS, REPLIES = "results.json", "items.parquet", "replies.parquet"


@dataclass(frozen=True, slots=True)
class Item:
    """One prediction as it was scored.

    Attributes:
        facts: its line of items.parquet.
        replies: the replies that counted, in order.
        row: the row that it answers, as published, pictures aside.
    """

    facts: Mapping[str, Any]
    replies: tuple[str, ...]
    row: Mapping[str, Any]


def results(folder: Path) -> Results:
    """Return the figures.

    Args:
        folder: what `facelet score` wrote.

    Raises:
        ValueError: it holds none, or those of another version.
    """
    path = folder / RESULTS
    if not path.is_file():
        raise ValueError(f"{str(folder)!r} has no {RESULTS}; `facelet score out=...` writes it")
    found = json.loads(path.read_text(encoding="utf-8"))
    if found.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"{path} has version {found.get('schema_version')!r}, not {SCHEMA_VERSION}; score again"
        )
    return cast(Results, found)


def items(folder: Path, dataset: Path, model: str) -> Iterator[Item]:
    """Yield the predictions of a model in published order; rows without any are left out.

    Args:
        folder: what `facelet score` wrote.
        dataset: the dataset that was answered, opened if it was sealed.
        model: the model's name.

    Raises:
        ValueError: the dataset cannot be read.
    """
    told = {
        (line["id"], line["sample_idx"]): tuple(line["replies"])
        for line in _lines(folder / REPLIES)
        if line["model"] == model
    }
    facts: dict[str, list[dict[str, Any]]] = {}
    for line in _lines(folder / ITEMS):
        if line["model"] == model and (line["id"], line["sample_idx"]) in told:
            facts.setdefault(line["id"], []).append(line)
    for row in rows(dataset):
        for line in facts.get(row["id"], ()):
            if line["status"] != "duplicate":
                yield Item(line, told[line["id"], line["sample_idx"]], row)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()
