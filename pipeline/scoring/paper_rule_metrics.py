"""Compute the metrics of a prediction under the reply rule of the paper.

A paper's rule reads a reply or does not; what it reads is rewritten in the requested format and
graded by the usual rules. In an episode every reply passes through the rule. All else in the paper
(turns, moves, the cost of an unread reply) applies as in all other figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from facelet.generators.core.memoization import memoize_short
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import ReplyRule

READ, REPLIES, CORRECT = "published_read", "published_replies", "published_correct"
"""Metrics of a prediction: replies that the rule reads, replies that it should, and 1 if right."""


def as_published(
    task: AnyTask, instance: object, replies: Sequence[str], outcome: Outcome
) -> Mapping[str, float]:
    """Return the metrics of a prediction under the paper's rule; {} without one.

    Args:
        task: the task that made the row.
        instance: the decoded row.
        replies: the graded replies.
        outcome: what they came to.
    """
    reading = paper_registry.find_reply_rule(task, instance)
    return read_by(reading, replies, outcome, lambda read: replay(task.open(instance), read))


def read_by(
    reading: ReplyRule | None,
    replies: Sequence[str],
    outcome: Outcome,
    judge: Callable[[list[str]], Outcome],
) -> Mapping[str, float]:
    """Return the metrics of a prediction under a rule; {} without one.

    Args:
        reading: the rule.
        replies: the graded replies.
        outcome: what they came to.
        judge: returns the outcome of replies as the rule reads them.
    """
    if reading is None or not replies:
        return _NOTHING
    # Few different replies keep the format; most others never return.
    find = _known if outcome.strict else _find_answer
    asked = known = 0
    read: list[str] = []
    for turn, reply in enumerate(replies):
        if reading.is_unparsed(turn):
            read.append(reply)
            continue
        said = find(reply, reading)
        asked += 1
        known += said is not None
        read.append(said or "")
    # Without a reply that is read, the outcome is never right.
    if asked and not known:
        return _compute_published_metrics(0, asked, False)
    # A reply that kept the format exactly means the same under every rule that reads it, and so
    # does one that is read unchanged.
    if not (outcome.strict and known == asked) and read != list(replies):
        outcome = judge(read)
    return _compute_published_metrics(known, asked, outcome.status is Status.CORRECT)


def _find_answer(reply: str, reading: ReplyRule) -> str | None:
    return reading.read(reply)


_known = memoize_short(_find_answer)

_NOTHING: Mapping[str, float] = {}


@lru_cache(maxsize=4096)
def _compute_published_metrics(known: int, asked: int, correct: bool) -> Mapping[str, float]:
    """Return the metrics; there are few different ones, so equal ones are one object."""
    return {READ: float(known), REPLIES: float(asked), CORRECT: float(correct)}
