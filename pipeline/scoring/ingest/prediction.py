"""Define the one form into which every prediction record is converted, and its bounds.

Texts are untrusted. A reply longer than MAX_REPLY keeps its tail, which contains the last answer;
lone surrogates, which JSON can spell but UTF-8 cannot, become question marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

Record = Mapping[str, object]
"""A JSON object of a prediction file."""

Form = Literal["chat", "text", "rendered", "column"]
"""How a question stands in a record: messages; one text; the text that a tool sent, with signs of a
chat template around it; a column of the data that may hold a part of it."""

MAX_REPLY = 1 << 20
"""Longest reply in characters that is parsed; of a longer one, the tail is."""

MAX_TURNS = 10_000
"""Most replies of one transcript that are replayed."""

MAX_SAMPLE = 2**31 - 1
"""Largest sample index."""

NEXT = -1
"""Sample index of a record that comes from a file without any: the next of its row and model."""

MAX_NAME = 200
"""Longest id or model name in characters."""


class UnreadableRecord(ValueError):  # noqa: N818 - an outcome, not a fault
    """A record that is no prediction; the message says why, for the report."""


class AskedQuestion(NamedTuple):
    """What a record says that the model was asked; it is compared, never believed.

    Attributes:
        form: how it stands there.
        texts: the texts of the users' messages before the first reply.
        shown: number of pictures before the first reply.
        pixels: number and pixel hash of those whose hash stands there.
        pictures: number and PNG in base 64 of those whose bytes stand there.
        later: the texts of the users' messages after each reply.
    """

    form: Form
    texts: tuple[str, ...]
    shown: int = 0
    pixels: tuple[tuple[int, str], ...] = ()
    pictures: tuple[tuple[int, str], ...] = ()
    later: tuple[tuple[str, ...], ...] = ()


class AnsweredQuestion(NamedTuple):
    """What a record says of what it answers.

    Attributes:
        content_hash: the content hash of the build, or None.
        questions: the questions that it carries; more than one if it has several places for them.
    """

    content_hash: str | None = None
    questions: tuple[AskedQuestion, ...] = ()


class Prediction(NamedTuple):
    """One sample of one model for one row. A named tuple, because a million are made.

    Attributes:
        key: id of the row; or, from harness logs without ids, the document's number.
        replies: the model's replies in order; one for a single-turn question.
        sample: which of several samples for the same row this is, from 0.
        model: name of the model, or None where the record has none.
        failure: why there is no reply (an API error), or None.
        final: where a record holds a transcript and a final answer beside it, that answer; it is
            judged instead of the first reply when the episode asks one question only.
        target: the answer key that a harness logged, or None.
        cut: whether a reply was too long and lost its head.
        asked: what the record says of the question, or None; see
            facelet.pipeline.scoring.ingest.asked_questions.
        spent: what the record says that it took; see facelet.pipeline.scoring.ingest.token_usage.
        patterns: counts of patterns that the record brings, over all turns, or None.
        reasons: why each reply ended, as its server wrote it, "" where that is not told; () where
            nothing is told.
        nulls: number of replies that are null; they stand among `replies` as "", or there are none.
        later: the texts of the users' messages after each reply, to be compared in its replay.
        refuse: takes the reason if they are others, in place of an entry.
        damage: how what carried the reply may have damaged it; "" where nothing suggests that.
    """

    key: str | int
    replies: tuple[str, ...]
    sample: int = 0
    model: str | None = None
    failure: str | None = None
    final: str | None = None
    target: str | None = None
    cut: bool = False
    asked: AnsweredQuestion | None = None
    spent: Mapping[str, float] | None = None
    patterns: tuple[float, ...] | None = None
    reasons: tuple[str, ...] = ()
    nulls: int = 0
    later: tuple[tuple[str, ...], ...] = ()
    refuse: Callable[[str], None] | None = None
    damage: str = ""


class ReplyTurns(NamedTuple):
    """The replies of a record, in order.

    Attributes:
        texts: their texts; "" for null.
        nulls: number of those that are null.
        reasons: why each ended, "" where that is not told; () where nothing is told.
    """

    texts: list[str]
    nulls: int = 0
    reasons: tuple[str, ...] = ()


def parse_reply_list(values: object) -> ReplyTurns | None:
    """Return replies that stand as a list of texts and nulls; None if it is something else."""
    if not isinstance(values, list) or not all(
        value is None or isinstance(value, str) for value in values
    ):
        return None
    return ReplyTurns([value or "" for value in values], values.count(None))


def name_of(value: object, field: str) -> str:
    """Return an id or model name.

    Raises:
        Unreadable: it is no string, empty, or too long.
    """
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise UnreadableRecord(f"{field} must be a string of 1 to {MAX_NAME} characters")
    return replace_surrogates(value)


def model_of(value: object) -> str | None:
    """Return a model's name, or None when there is none that can be used."""
    return replace_surrogates(value)[:MAX_NAME] if isinstance(value, str) and value else None


def sample_of(value: object, field: str) -> int:
    """Return a sample index.

    Raises:
        Unreadable: it is no integer from 0 to MAX_SAMPLE.
    """
    if type(value) is not int or not 0 <= value <= MAX_SAMPLE:
        raise UnreadableRecord(f"{field} must be a whole number from 0 to {MAX_SAMPLE}")
    return value


def replace_surrogates(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be written as UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def content_text(content: object) -> str:
    """Return the text of a chat message's content: a string, or parts of which some are text.

    Reasoning and tool parts are no part of the answer. Content that is null, as in a refusal or a
    reply that is all reasoning, has the empty text.

    Raises:
        Unreadable: the content is neither.
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        raise UnreadableRecord(
            f"message content is {_json_kind(content)}; it must be a string or parts"
        )
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
            text = part.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "".join(texts)


def assistant_turns(messages: object) -> ReplyTurns:
    """Return the assistant's turns of a chat transcript, in order.

    A message may say why it ended: `finish_reason` or `stop_reason`.

    Raises:
        Unreadable: it is no list of messages with a role.
    """
    if not isinstance(messages, list):
        raise UnreadableRecord(
            f"messages is {_json_kind(messages)}; it must be a list of chat messages"
        )
    turns, nulls, reasons = [], 0, []
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise UnreadableRecord("a message has no role; each needs a role and content")
        if message["role"] == "assistant":
            content = message.get("content")
            turns.append(content_text(content))
            nulls += content is None
            reason = message.get("finish_reason") or message.get("stop_reason")
            reasons.append(reason[:MAX_NAME] if isinstance(reason, str) else "")
    return ReplyTurns(turns, nulls, tuple(map(replace_surrogates, reasons)) if any(reasons) else ())


def bound_replies(replies: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return replies that can be parsed and written, and whether one lost its head."""
    if len(replies) == 1 and len(replies[0]) <= MAX_REPLY and replies[0].isascii():
        return tuple(replies), False
    cut = any(len(reply) > MAX_REPLY for reply in replies[:MAX_TURNS])
    return tuple(replace_surrogates(reply[-MAX_REPLY:]) for reply in replies[:MAX_TURNS]), cut


def make_prediction(
    key: str | int,
    replies: Sequence[str] | ReplyTurns,
    *,
    sample: int = 0,
    model: str | None = None,
    target: str | None = None,
    asked: AnsweredQuestion | None = None,
) -> Prediction:
    """Return a prediction with its replies bounded.

    Args:
        key: the row's id, or its number.
        replies: what the model said, turn by turn; no turn at all counts as one that is null.
        sample: the sample index.
        model: the model's name.
        target: the answer that the file has for the row.
        asked: what the file says of the question.
    """
    turns = replies if isinstance(replies, ReplyTurns) else ReplyTurns(list(replies))
    texts, cut = bound_replies(turns.texts)
    return Prediction(
        key,
        texts,
        sample,
        model,
        target=target,
        cut=cut,
        asked=asked,
        reasons=turns.reasons[:MAX_TURNS] if any(turns.reasons) else (),
        nulls=turns.nulls if texts else 1,
    )


def make_failure(
    key: str | int, reason: object, *, sample: int = 0, model: str | None = None, null: bool = False
) -> Prediction:
    """Return a prediction without a reply.

    Args:
        key: the row's id, or its number.
        reason: why there is none: a text, or an error object of an API.
        sample: the sample index.
        model: the model's name.
        null: whether a reply stands there and is null.
    """
    if isinstance(reason, Mapping):
        inner = reason.get("error")
        reason = inner if isinstance(inner, Mapping) else reason
        reason = reason.get("message") or reason.get("type") or reason.get("code")
    text = reason if isinstance(reason, str) and reason else "no reply"
    return Prediction(key, (), sample, model, failure=text[:200], nulls=int(null))


def _json_kind(value: object) -> str:
    """Return what a JSON value is, for a message."""
    names = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "a string")
