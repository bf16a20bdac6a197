"""Grade replies to a row as `facelet score` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.row_columns import catch_decode_errors
from facelet.pipeline.rollout.row_opener import OpenedRow
from facelet.pipeline.scoring.grade.row_instances import select_replies
from facelet.pipeline.scoring.ingest.prediction import Prediction, bound_replies


def judge_replies(row: OpenedRow, replies: Sequence[str], final: str | None = None) -> Outcome:
    """Return the outcome of replies to a row.

    Args:
        row: the row.
        replies: the replies in order.
        final: the separate final answer, where a tool records one; see `select_replies`.

    Raises:
        DamagedRowError: the row is damaged.
    """
    texts, cut = bound_replies(replies)
    if final is not None:
        (final,), more = bound_replies([final])
        cut = cut or more
    prediction = Prediction(row.id, texts, final=final, cut=cut)
    with catch_decode_errors(row.id, "be judged"):
        said = select_replies(row.task, row.instance, prediction)
        episode = row.task.open(row.instance)
        one_reply = episode.takes_one_reply
        outcome = replay(episode, said)
    return replace(outcome, strict=outcome.strict and not cut, one_reply=one_reply)
