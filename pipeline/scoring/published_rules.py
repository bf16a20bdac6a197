"""As published: what predictions come to when replies are parsed as the paper says.

A paper's rule reads a reply, or does not; what it reads is said again in the requested format and
judged by the same rules as ever. Of a play every reply goes through the rule. What a paper says of
everything else (turns, moves, what an unread reply costs) holds as it does for all figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from facelet.generators.core.remembering import remembered
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.families import AnyTask
from facelet.pipeline.papers import rooms
from facelet.pipeline.papers.replies import Reading

READ, REPLIES, CORRECT = "published_read", "published_replies", "published_correct"
"""Metrics of a prediction: replies that the rule reads, replies that it should, and 1 if right."""


def as_published(
    task: AnyTask, instance: object, replies: Sequence[str], outcome: Outcome
) -> Mapping[str, float]:
    """Return the metrics of a prediction under the paper's rule; {} where there is none.

    Args:
        task: the task that made the row.
        instance: what the row holds.
        replies: the replies that were judged.
        outcome: what they came to.
    """
    reading = rooms.reading(task, instance)
    return read_by(reading, replies, outcome, lambda read: replay(task.open(instance), read))


def read_by(
    reading: Reading | None,
    replies: Sequence[str],
    outcome: Outcome,
    judge: Callable[[list[str]], Outcome],
) -> Mapping[str, float]:
    """Return the metrics of a prediction under a rule; {} where there is none.

    Args:
        reading: the rule.
        replies: the replies that were judged.
        outcome: what they came to.
        judge: returns what replies come to as the rule reads them.
    """
    if reading is None or not replies:
        return _NOTHING
    # A reply that kept the format is one of few; most others are never met again.
    find = _known if outcome.strict else _found
    asked = known = 0
    read: list[str] = []
    for turn, reply in enumerate(replies):
        if reading.free(turn):
            read.append(reply)
            continue
        said = find(reply, reading)
        asked += 1
        known += said is not None
        read.append(said or "")
    # Who says nothing that is read is never right.
    if asked and not known:
        return _told(0, asked, False)
    # A reply that kept the format to the letter says the same under every rule that reads it, and
    # so does what is read as it stands.
    if not (outcome.strict and known == asked) and read != list(replies):
        outcome = judge(read)
    return _told(known, asked, outcome.status is Status.CORRECT)


def _found(reply: str, reading: Reading) -> str | None:
    return reading.read(reply)


_known = remembered(_found)

_NOTHING: Mapping[str, float] = {}


@lru_cache(maxsize=4096)
def _told(known: int, asked: int, correct: bool) -> Mapping[str, float]:
    """Return the metrics; there are few different ones, so equal ones are one object."""
    return {READ: float(known), REPLIES: float(asked), CORRECT: float(correct)}
