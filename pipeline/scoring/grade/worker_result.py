"""Shares: a span of a file is read and judged by one process, and comes back in columns.

What is handed over is a place in a file, and what comes back are arrays; no process holds the
predictions of another. Whoever judges finds the dataset's rows in packs
(facelet.pipeline.scoring.packs), which the process that leads has made of files that it vouches
for; a share of rows that are in none comes back undone.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.judging.analysers import Analyser
from facelet.pipeline.scoring.judging.blocks import (
    Block,
    Judge,
    Judgement,
    Stretch,
    no_collector,
)
from facelet.pipeline.scoring.taking.alone import How, NotAlone, read_alone
from facelet.pipeline.scoring.taking.intake import TooManyModels
from facelet.pipeline.scoring.taking.spans import Span, Told


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What all shares have in common.

    Attributes:
        dataset: the dataset; of its rows, who judges in another process has the ids alone.
        how: how predictions are read.
        analyse: counts patterns of reasoning in replies; None for nobody.
        keep: whether the replies are to be kept.
    """

    dataset: Dataset
    how: How
    analyse: Analyser | None
    keep: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a share.

    Attributes:
        told: what its span told; None if it cannot be read by itself, or is undone.
        judgement: what became of its predictions; None likewise.
        parts: places of the parts of which what is at hand does not suffice.
    """

    told: Told | None = None
    judgement: Judgement | None = None
    parts: tuple[int, ...] = ()


def judge_share(
    ground: Ground, judge: Judge, span: Span, default: str, stretches: tuple[Stretch, ...]
) -> Answer:
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
        batch, told = read_alone(ground.dataset, ground.how, span)
    except (NotAlone, TooManyModels):
        return Answer()
    rows = np.array(batch.rows, dtype=np.int64)
    asked = np.unique(rows)
    ready = {stretch.start: stretch for stretch in stretches}
    wanting = []
    for place, part in enumerate(ground.dataset.parts):
        low, high = np.searchsorted(asked, (part.start, part.start + part.count))
        if low == high:
            continue
        stretch = ready.get(part.start)
        inside = (rows >= part.start) & (rows < part.start + part.count)
        if stretch is None or not stretch.suffices(batch, inside, keep=ground.keep):
            wanting.append(place)
    if wanting:
        return Answer(parts=tuple(wanting))
    block = Block(
        batch,
        stretches,
        ground.analyse,
        tuple(name or default for name in told.models) if ground.keep else None,
    )
    return Answer(told, judge.judge(block))


@dataclass
class _Worker:
    """What a process of a crew keeps from one share to the next."""

    ground: Ground
    judge: Judge = field(default_factory=Judge)


@lru_cache(maxsize=1)
def _worker(path: Path) -> _Worker:
    return _Worker(pickle.loads(path.read_bytes()))


def judge_apart(path: Path, packed: bytes) -> bytes:
    """Judge a share in a process of a crew; see `judge_share`.

    Args:
        path: the file that holds the ground, pickled.
        packed: span, default and stretches, pickled.

    Returns:
        The answer, pickled.
    """
    worker = _worker(path)
    with no_collector():
        answer = judge_share(worker.ground, worker.judge, *pickle.loads(packed))
        return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
