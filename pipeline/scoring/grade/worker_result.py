"""Read and grade one span of a file in a worker, and return columns.

The job is a place in a file and the result is arrays; no process holds the predictions of another.
A worker finds the dataset's rows in packs (facelet.pipeline.scoring.column_cache) that the parent
made from verified files; a span with rows that are in no pack is returned ungraded.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from facelet.pipeline.scoring.grade.prediction_blocks import (
    BlockJudge,
    BlockJudgement,
    PredictionBlock,
    RowStretch,
    no_collector,
)
from facelet.pipeline.scoring.grade.reasoning_patterns import Analyser
from facelet.pipeline.scoring.ingest.file_spans import Span, SpanReport
from facelet.pipeline.scoring.ingest.prediction_reader import ReadSettings, TooManyModels
from facelet.pipeline.scoring.ingest.span_reader import NeedsWholeFile, read_span
from facelet.pipeline.scoring.scored_dataset import ScoredDataset


@dataclass(frozen=True, slots=True, eq=False)
class ShareContext:
    """What all shares have in common.

    Attributes:
        dataset: the dataset; of its rows, who judges in another process has the ids alone.
        how: how predictions are read.
        analyse: counts patterns of reasoning in replies; None for nobody.
        keep: whether the replies are to be kept.
    """

    dataset: ScoredDataset
    how: ReadSettings
    analyse: Analyser | None
    keep: bool


@dataclass(frozen=True, slots=True)
class ShareResult:
    """What became of a share.

    Attributes:
        told: what its span told; None if it cannot be read by itself, or is undone.
        judgement: what became of its predictions; None likewise.
        parts: places of the parts of which what is at hand does not suffice.
    """

    told: SpanReport | None = None
    judgement: BlockJudgement | None = None
    parts: tuple[int, ...] = ()


def judge_share(
    ground: ShareContext,
    judge: BlockJudge,
    span: Span,
    default: str,
    stretches: tuple[RowStretch, ...],
) -> ShareResult:
    """Read a span and judge it.

    Args:
        ground: what all shares have in common.
        judge: judges.
        span: the span.
        default: name of the model of predictions that name none.
        stretches: the splits whose rows are at hand, ascending.

    Raises:
        ValueError: a row cannot be read back or judged; the message names it.
        OSError: the file cannot be opened.
    """
    try:
        batch, told = read_span(ground.dataset, ground.how, span)
    except (NeedsWholeFile, TooManyModels):
        return ShareResult()
    rows = np.array(batch.rows, dtype=np.int64)
    asked = np.unique(rows)
    ready = {stretch.first_number: stretch for stretch in stretches}
    wanting = []
    for place, part in enumerate(ground.dataset.parts):
        low, high = np.searchsorted(asked, (part.first_number, part.first_number + part.count))
        if low == high:
            continue
        stretch = ready.get(part.first_number)
        inside = (rows >= part.first_number) & (rows < part.first_number + part.count)
        if stretch is None or not stretch.is_sufficient(batch, inside, keep=ground.keep):
            wanting.append(place)
    if wanting:
        return ShareResult(parts=tuple(wanting))
    block = PredictionBlock(
        batch,
        stretches,
        ground.analyse,
        tuple(name or default for name in told.models) if ground.keep else None,
    )
    return ShareResult(told, judge.judge_block(block))


def preload_worker() -> None:
    """Do nothing: a worker that unpickles this function imports all modules that grading needs."""


@dataclass
class _ShareWorker:
    """What a process of a crew keeps from one share to the next."""

    ground: ShareContext
    judge: BlockJudge = field(default_factory=BlockJudge)


@lru_cache(maxsize=1)
def _share_worker(path: Path) -> _ShareWorker:
    return _ShareWorker(pickle.loads(path.read_bytes()))


def judge_apart(path: Path, packed: bytes) -> bytes:
    """Judge a share in a process of a crew; see `judge_share`.

    Args:
        path: the file that holds the ground, pickled.
        packed: span, default and stretches, pickled.

    Returns:
        The answer, pickled.
    """
    worker = _share_worker(path)
    with no_collector():
        answer = judge_share(worker.ground, worker.judge, *pickle.loads(packed))
        return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
