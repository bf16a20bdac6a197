"""Verdicts: how replies to a row are judged, as `facelet score` judges them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.pipeline.environment.rows import Row
from facelet.pipeline.scoring.judging.replaying import judged
from facelet.pipeline.scoring.taking.predictions import Prediction, bounded


def verdict(row: Row, replies: Sequence[str], final: str | None = None) -> Outcome:
    """Return how replies to a row are judged.

    Args:
        row: the row.
        replies: the replies in order.
        final: the answer beside them, where a tool has one; see `replaying.judged`.
    """
    texts, cut = bounded(replies)
    if final is not None:
        (final,), more = bounded([final])
        cut = cut or more
    said = judged(row.task, row.instance, Prediction(row.id, texts, final=final, cut=cut))
    outcome = replay(row.task.open(row.instance), said)
    return replace(outcome, strict=outcome.strict and not cut)
