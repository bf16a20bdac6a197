"""Replaying: instances of rows, which replies to them are judged, and what users said between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from facelet.generators.core.prompts import Prompt, Text
from facelet.generators.core.task import Episode, Outcome
from facelet.pipeline.dataset.decoding import BREAKS, damaged
from facelet.pipeline.families import AnyTask
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.taking.predictions import Prediction
from facelet.pipeline.scoring.taking.questions import fits


class Rows(Protocol):
    """Rows that follow each other, of one task."""

    @property
    def start(self) -> int:
        """Number of the first."""

    @property
    def task(self) -> AnyTask:
        """The task that made them."""

    def rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield some of them as dicts; the numbers, from 0, ascend."""


def instances(part: Rows, rows: Ints) -> Iterator[tuple[int, str, object]]:
    """Yield the numbers of rows of a part, their ids, and their decoded instances.

    Args:
        part: the part.
        rows: numbers of its rows, ascending.

    Raises:
        ValueError: a row cannot be decoded; the message names it.
    """
    if not len(rows):
        return
    decode = part.task.decode
    for row, record in zip(rows.tolist(), part.rows(rows - part.start), strict=True):
        try:
            instance = decode(record)
        except BREAKS as error:
            raise damaged(str(record["id"]), error) from error
        yield row, str(record["id"]), instance


def judged(task: AnyTask, instance: object, prediction: Prediction) -> tuple[str, ...]:
    """Return the replies of a prediction that are judged.

    A transcript that comes with a final answer is judged by that answer where the episode asks
    one question only: what a solver said to itself before is no reply to us. It asks more if it
    went on after the first of several replies.

    Args:
        task: the task that made the row.
        instance: what the row holds.
        prediction: what was predicted for it.
    """
    replies = prediction.replies
    if prediction.final is not None and len(replies) > 1:
        first = task.open(instance).reply(replies[0])
        only = task.open(instance).reply(prediction.final)
        if isinstance(first, Outcome) and isinstance(only, Outcome):
            return (prediction.final,)
    return replies


def replayed(
    episode: Episode, replies: Iterable[str], later: Sequence[Sequence[str]]
) -> tuple[Outcome, str]:
    """Play replies as `facelet.generators.core.replay` does, and compare what users said between.

    Args:
        episode: a fresh episode.
        replies: the player's replies.
        later: the texts of the users' messages after each reply, as a record has them; none after
            one says nothing of it.

    Returns:
        The outcome, and where a message is not the one that the play says there; "" if all are.
    """
    why = ""
    for number, text in enumerate(replies):
        result = episode.reply(text)
        if isinstance(result, Outcome):
            return result, why
        if not why and number < len(later) and later[number]:
            if not fits(_told(result), later[number]):
                why = f"the user's message after reply {number + 1} is not what the play says there"
    return episode.halted(), why


def _told(prompt: Prompt) -> list[str]:
    """Return the texts of the users' messages of a prompt."""
    return [
        part.text
        for message in prompt.messages
        if message.role == "user"
        for part in message.parts
        if isinstance(part, Text)
    ]
