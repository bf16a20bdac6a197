"""Read and grade one span of a file in a worker, and return columns.

The job is a place in a file and the result is arrays; no process holds the predictions of another.
A worker finds the dataset's rows in packs (facelet.pipeline.scoring.column_cache) that the parent
made from verified files; a span with rows that are in no pack is returned ungraded.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from facelet.pipeline.scoring.grade.prediction_blocks import (
    BlockJudgement,
    PredictionBlock,
    RowStretch,
    no_collector,
    process_judge,
)
from facelet.pipeline.scoring.ingest.file_spans import Span, SpanReport
from facelet.pipeline.scoring.ingest.prediction_batch import PredictionBatch
from facelet.pipeline.scoring.ingest.prediction_reader import ReadSettings, TooManyModels
from facelet.pipeline.scoring.ingest.reasoning_patterns import Analyser
from facelet.pipeline.scoring.ingest.span_reader import NeedsWholeFile, read_span
from facelet.pipeline.scoring.scored_dataset import ScoredDataset


@dataclass(frozen=True, slots=True, eq=False)
class ShareContext:
    """What all shares have in common.

    Attributes:
        dataset: the dataset; in another process only the ids of its rows are known.
        how: how predictions are read.
        analyse: counts patterns of reasoning in replies; None for no counts.
        keep: whether the replies are to be kept.
    """

    dataset: ScoredDataset
    how: ReadSettings
    analyse: Analyser | None
    keep: bool


@dataclass(frozen=True, slots=True)
class ShareResult:
    """The result of grading a share.

    Attributes:
        report: the report of its span; None if it cannot be read by itself, or is not graded.
        judgement: the outcomes of its predictions; None likewise.
        parts: places of the parts whose cached columns do not suffice.
    """

    report: SpanReport | None = None
    judgement: BlockJudgement | None = None
    parts: tuple[int, ...] = ()


def judge_share(
    context: ShareContext | Path,
    token: str,
    span: Span,
    default: str,
    stretches: tuple[RowStretch, ...],
) -> ShareResult:
    """Read a span and grade it, in any process.

    Args:
        context: what all shares have in common, or the file of it, pickled.
        token: names the outcome store of the share.
        span: the span.
        default: name of the model of predictions that name none.
        stretches: the splits whose rows are cached, ascending.

    Raises:
        ValueError: a row cannot be read back or graded; the message names it.
        OSError: the file cannot be opened.
    """
    ground = _read_context(context) if isinstance(context, Path) else context
    with no_collector():
        try:
            batch, report = read_span(ground.dataset, ground.how, span)
        except (NeedsWholeFile, TooManyModels):
            return ShareResult()
        if lacking := tuple(_iterate_lacking_parts(ground, batch, stretches)):
            return ShareResult(parts=lacking)
        names = tuple(name or default for name in report.models) if ground.keep else None
        block = PredictionBlock(batch, stretches, ground.analyse, names)
        return ShareResult(report, process_judge(token).judge_block(block))


def _iterate_lacking_parts(
    ground: ShareContext, batch: PredictionBatch, stretches: tuple[RowStretch, ...]
) -> Iterator[int]:
    """Yield the places of the parts of which the cached columns do not suffice for predictions."""
    rows = np.array(batch.rows, dtype=np.int64)
    asked = np.unique(rows)
    ready = {stretch.first_number: stretch for stretch in stretches}
    for place, part in enumerate(ground.dataset.parts):
        end = part.first_number + part.count
        low, high = np.searchsorted(asked, (part.first_number, end))
        if low == high:
            continue
        stretch = ready.get(part.first_number)
        inside = (rows >= part.first_number) & (rows < end)
        if stretch is None or not stretch.is_sufficient(batch, inside, keep=ground.keep):
            yield place


def preload_worker() -> None:
    """Do nothing: a worker that unpickles this function imports all modules that grading needs."""


@lru_cache(maxsize=1)
def _read_context(path: Path) -> ShareContext:
    context: ShareContext = pickle.loads(path.read_bytes())
    return context
