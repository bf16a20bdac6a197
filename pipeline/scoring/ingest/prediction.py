"""Define the one form into which every prediction record is converted, and its bounds.

Texts are untrusted. A reply longer than MAX_REPLY keeps its tail, which contains the last answer;
lone surrogates become question marks (facelet.pipeline.input_gate).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple, TypeGuard

from facelet.pipeline.input_gate import MAX_NAME, clean_name, clean_text, has_surrogate

Record = Mapping[str, object]
"""A JSON object of a prediction file."""

Form = Literal["chat", "text", "rendered", "column"]
"""How a record spells a question: as messages; as one text; as the text that a tool sent, with
signs of a chat template around it; as a column of the data that may contain a part of it."""

MAX_REPLY = 1 << 20
"""Longest reply in characters that is parsed; of a longer one, the tail is."""

MAX_TURNS = 10_000
"""Most replies of one transcript that are replayed."""

MAX_SAMPLE = 2**31 - 1
"""Largest sample index."""

NEXT = -1
"""Sample index of a record that comes from a file without any: the next of its row and model."""

SURROGATE = "a lone surrogate was replaced by ?: the character that it was part of is lost"
"""How a reply was damaged that JSON spells and UTF-8 cannot write."""


class UnreadableRecord(ValueError):  # noqa: N818 - an outcome, not a fault
    """A record that is no prediction; the message says why, for the report."""


@contextmanager
def catch_field_errors() -> Iterator[None]:
    """Turn what a reader raises on a field of another type into an UnreadableRecord."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        why = f"a field has an unexpected type or value: {error!r:.200}"
        raise UnreadableRecord(why) from error


class AskedQuestion(NamedTuple):
    """The question that a record says the model was asked; it is compared, never believed.

    Attributes:
        form: how the record spells it.
        texts: the texts of the users' messages before the first reply.
        shown: number of pictures before the first reply.
        pixels: number and pixel hash of the pictures with a hash.
        pictures: number and PNG in base 64 of the pictures with bytes.
        later: the texts of the users' messages after each reply.
    """

    form: Form
    texts: tuple[str, ...]
    shown: int = 0
    pixels: tuple[tuple[int, str], ...] = ()
    pictures: tuple[tuple[int, str], ...] = ()
    later: tuple[tuple[str, ...], ...] = ()


class AnsweredQuestion(NamedTuple):
    """The build and the questions that a record says it answers.

    Attributes:
        content_hash: the content hash of the build, or None.
        questions: the questions in it; several if it has several fields for them.
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
        final: the final answer of a record that has one beside its transcript; it is graded in
            place of the first reply when the episode asks one question only.
        target: the answer key that a harness logged, or None.
        cut: whether a reply was too long and lost its head.
        asked: what the record says of the question, or None; see
            facelet.pipeline.scoring.ingest.asked_questions.
        spent: tokens and seconds that the record reports; see
            facelet.pipeline.scoring.ingest.token_usage.
        patterns: counts of patterns that the record contains, over all turns, or None.
        reasons: why each reply ended, as its server wrote it, "" where unknown; () where no reason
            is known.
        nulls: number of replies that are null; in `replies` they are "", or there are none.
        later: the texts of the users' messages after each reply, to be compared in its replay.
        refuse: receives the reason if these differ, in place of an entry.
        damage: how the file may have damaged a reply; "" where nothing suggests that.
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
        reasons: why each ended, "" where unknown; () where no reason is known.
    """

    texts: Sequence[str]
    nulls: int = 0
    reasons: tuple[str, ...] = ()


def mapping_at(value: object, *names: str) -> Record:
    """Return the object inside nested objects, under names; {} if any of them is no object."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def text_or_none(value: object) -> str | None:
    """Return a value if it is a text with a character."""
    return value if isinstance(value, str) and value else None


def is_reply_list(values: object) -> TypeGuard[list[str | None]]:
    """Return whether a value is a list of texts and nulls."""
    return isinstance(values, list) and all(
        value is None or isinstance(value, str) for value in values
    )


def list_turns(values: Sequence[str | None]) -> ReplyTurns:
    """Return texts and nulls as the turns of a prediction."""
    return ReplyTurns([value or "" for value in values], values.count(None))


def name_of(value: object, field: str) -> str:
    """Return an id or model name.

    Raises:
        UnreadableRecord: it is no string, empty, or too long.
    """
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise UnreadableRecord(f"{field} must be a string of 1 to {MAX_NAME} characters")
    return clean_name(value)


def model_of(value: object) -> str | None:
    """Return a model's name, or None when there is none that can be used."""
    return clean_name(value) if isinstance(value, str) and value else None


def sample_of(value: object, field: str) -> int:
    """Return a sample index.

    Raises:
        UnreadableRecord: it is no integer from 0 to MAX_SAMPLE.
    """
    if type(value) is not int or not 0 <= value <= MAX_SAMPLE:
        raise UnreadableRecord(f"{field} must be a whole number from 0 to {MAX_SAMPLE}")
    return value


def key_of(value: object, number: str, text: str) -> str | int:
    """Return the key of a row: a document number, or an id; see `sample_of` and `name_of`.

    Args:
        value: the key.
        number: field of a number, for messages.
        text: field of an id.
    """
    return sample_of(value, number) if type(value) is int else name_of(value, text)


def content_text(content: object) -> str:
    """Return the text of a chat message's content: a string, or parts of which some are text.

    Reasoning and tool parts are no part of the answer. Content that is null, as in a refusal or a
    reply that is all reasoning, has the empty text.

    Raises:
        UnreadableRecord: the content is neither.
    """
    if isinstance(content, str):
        return content
    if content is not None and not isinstance(content, list):
        raise UnreadableRecord(
            f"message content is {_json_kind(content)}; it must be a string or parts"
        )
    parts = [{"text": part} if isinstance(part, str) else part for part in content or ()]
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")
    ]
    return "".join(text for text in texts if isinstance(text, str))


def assistant_turns(messages: object) -> ReplyTurns:
    """Return the assistant's turns of a chat transcript, in order.

    A message may say why it ended: `finish_reason` or `stop_reason`.

    Raises:
        UnreadableRecord: it is no list of messages with a role.
    """
    if not isinstance(messages, list):
        raise UnreadableRecord(
            f"messages is {_json_kind(messages)}; it must be a list of chat messages"
        )
    if not all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in messages):
        raise UnreadableRecord("a message has no role; each needs a role and content")
    own = [message for message in messages if message["role"] == "assistant"]
    contents = [message.get("content") for message in own]
    named = [message.get("finish_reason") or message.get("stop_reason") for message in own]
    reasons = [one[:MAX_NAME] if isinstance(one, str) else "" for one in named]
    return ReplyTurns(
        list(map(content_text, contents)),
        contents.count(None),
        tuple(map(clean_text, reasons)) if any(reasons) else (),
    )


def bound_replies(replies: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return replies that can be parsed and written, and whether one lost its head."""
    if len(replies) == 1 and len(replies[0]) <= MAX_REPLY and replies[0].isascii():
        return tuple(replies), False
    cut = any(len(reply) > MAX_REPLY for reply in replies[:MAX_TURNS])
    return tuple(clean_text(reply[-MAX_REPLY:]) for reply in replies[:MAX_TURNS]), cut


def make_prediction(
    key: str | int,
    turns: ReplyTurns,
    *,
    sample: int = 0,
    model: str | None = None,
    final: str | None = None,
    target: object = None,
    asked: AnsweredQuestion | None = None,
) -> Prediction:
    """Return a prediction with its replies bounded.

    Args:
        key: the row's id, or its number.
        turns: the model's replies, turn by turn; no turn at all counts as one that is null.
        sample: the sample index.
        model: the model's name.
        final: the final answer beside a transcript; None for none.
        target: the answer that the file has for the row; None, or no text, for none.
        asked: what the file says of the question.
    """
    texts, cut = bound_replies(turns.texts)
    finals, final_cut = bound_replies([] if final is None else [final])
    damaged = any(map(has_surrogate, (*turns.texts[:MAX_TURNS], final or "")))
    return Prediction(
        key,
        texts,
        sample,
        model,
        final=finals[0] if finals else None,
        target=target if isinstance(target, str) else None,
        cut=cut or final_cut,
        asked=asked,
        reasons=turns.reasons[:MAX_TURNS] if any(turns.reasons) else (),
        nulls=turns.nulls if texts else 1,
        damage=SURROGATE if damaged else "",
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
        null: whether the record contains a reply that is null.
    """
    if isinstance(reason, Mapping):
        inner = mapping_at(reason, "error") or reason
        reason = inner.get("message") or inner.get("type") or inner.get("code")
    text = text_or_none(reason) or "no reply"
    return Prediction(key, (), sample, model, failure=text[:200], nulls=int(null))


def _json_kind(value: object) -> str:
    """Return what a JSON value is, for a message."""
    names = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "a string")
