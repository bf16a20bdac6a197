"""Read a folder of scores: the accuracy of each split, and each prediction with its row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from facelet.pipeline.rollout.row_opener import rows
from facelet.pipeline.scoring.aggregate.claims import Figure
from facelet.pipeline.scoring.render.results_schema import Model, Split

ITEMS, REPLIES = "items.parquet", "replies.parquet"


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """One prediction as it was scored.

    Attributes:
        facts: its line of items.parquet.
        replies: the replies that counted, in order.
        row: the row that it answers, as published, pictures aside.
    """

    facts: Mapping[str, Any]
    replies: tuple[str, ...]
    row: Mapping[str, Any]


def iterate_samples(folder: Path, dataset: Path, model: str) -> Iterator[ScoredSample]:
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
        for line in _iterate_table_rows(folder / REPLIES)
        if line["model"] == model
    }
    facts: dict[str, list[dict[str, Any]]] = {}
    for line in _iterate_table_rows(folder / ITEMS):
        if line["model"] == model and (line["id"], line["sample_idx"]) in told:
            facts.setdefault(line["id"], []).append(line)
    yield from (
        ScoredSample(line, told[line["id"], line["sample_idx"]], row)
        for row in rows(dataset)
        for line in facts.get(row["id"], ())
        if line["status"] != "duplicate"
    )


def iterate_accuracies(model: Model) -> Iterator[tuple[str, str, Split, Figure]]:
    """Yield config, split, its scores and its accuracy, for each split with an accuracy."""
    for config, by_split in model["configs"].items():
        for split, scored in by_split["splits"].items():
            (figure,) = (
                cell["figures"]["accuracy"]
                for cell in scored["cells"]
                if not cell["by"] and cell["difficulty"] is None
            )
            if figure["value"] is not None:
                yield config, split, scored, figure


def _iterate_table_rows(path: Path) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()
