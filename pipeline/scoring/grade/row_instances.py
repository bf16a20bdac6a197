"""Decode row instances, select the replies to grade, and check users' later messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.task import Episode, Outcome
from facelet.pipeline.dataset.row_columns import DECODE_ERRORS, build_damage_error
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.ingest.asked_questions import is_exact_question
from facelet.pipeline.scoring.ingest.prediction import Prediction


class SplitRows(Protocol):
    """Rows that follow each other, of one task."""

    @property
    def first_number(self) -> int:
        """Number of the first."""

    @property
    def load_installed_task(self) -> AnyTask:
        """The task that made them."""

    def iterate_rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield some of them as dicts; the numbers, from 0, ascend."""


def iterate_instances(part: SplitRows, rows: Ints) -> Iterator[tuple[int, str, object]]:
    """Yield the numbers of rows of a part, their ids, and their decoded instances.

    Args:
        part: the part.
        rows: numbers of its rows, ascending.

    Raises:
        ValueError: a row cannot be decoded; the message names it.
    """
    if not len(rows):
        return
    decode = part.load_installed_task.decode
    for row, record in zip(rows.tolist(), part.iterate_rows(rows - part.first_number), strict=True):
        try:
            instance = decode(record)
        except DECODE_ERRORS as error:
            raise build_damage_error(str(record["id"]), error) from error
        yield row, str(record["id"]), instance


def select_replies(task: AnyTask, instance: object, prediction: Prediction) -> tuple[str, ...]:
    """Return the replies of a prediction that are graded.

    A transcript with a final answer is graded by that answer if the episode asks one
    question only: what a solver wrote to itself before is no reply. It asks more if it
    went on after the first of several replies.

    Args:
        task: the task that made the row.
        instance: the decoded row.
        prediction: the prediction for it.
    """
    replies = prediction.replies
    if prediction.final is not None and len(replies) > 1:
        first = task.open(instance).reply(replies[0])
        only = task.open(instance).reply(prediction.final)
        if isinstance(first, Outcome) and isinstance(only, Outcome):
            return (prediction.final,)
    return replies


def replay_checked(
    episode: Episode, replies: Iterable[str], later: Sequence[Sequence[str]]
) -> tuple[Outcome, str]:
    """Replay replies as `facelet.generators.core.replay` does, and compare users' messages.

    Args:
        episode: a fresh episode.
        replies: the player's replies.
        later: the texts of the users' messages after each reply, as a record has them; none after
            a reply compares nothing.

    Returns:
        The outcome, and where a message differs from that of the replay; "" if none does.
    """
    why = ""
    for number, text in enumerate(replies):
        result = episode.reply(text)
        if isinstance(result, Outcome):
            return result, why
        if not why and number < len(later) and later[number]:
            if not is_exact_question(_prompt_texts(result), later[number]):
                why = f"the user's message after reply {number + 1} is not what the play says there"
    return episode.outcome_when_halted(), why


def _prompt_texts(prompt: Prompt) -> list[str]:
    """Return the texts of the users' messages of a prompt."""
    return [
        part.text
        for message in prompt.messages
        if message.role == "user"
        for part in message.parts
        if isinstance(part, TextPart)
    ]
