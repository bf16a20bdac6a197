"""Formats: which kinds of prediction record there are, how each is told, and what it says.

The table FORMATS is tried in order on each record, so files of any mixture are read. A record is a
JSON object (one line of a JSON Lines file, one element of a list, one sample of a log). Sources:
the OpenAI and Anthropic batch references, vLLM's run-batch, the sample logs of lm-eval and
lmms-eval, and the log schema of inspect_ai.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from facelet.pipeline.scoring.predictions import (
    Prediction,
    Unreadable,
    assistant_turns,
    bounded,
    content_text,
    model_of,
    name_of,
    sample_of,
)

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of prediction record.

    Attributes:
        name: as the report names it.
        matches: whether a record is of this kind, by its keys.
        read: the record's predictions; raises Unreadable when it holds none.
        fields: what identifies it, for messages and help.
    """

    name: str
    matches: Callable[[Record], bool]
    read: Callable[[Record], Iterable[Prediction]]
    fields: str


def _prediction(
    key: str | int,
    replies: list[str],
    *,
    sample: int = 0,
    model: str | None = None,
    target: str | None = None,
) -> Prediction:
    texts, cut = bounded(replies)
    return Prediction(key, texts, sample, model, target=target, cut=cut)


def _failed(
    key: str | int, reason: Any, *, sample: int = 0, model: str | None = None
) -> Prediction:
    if isinstance(reason, Mapping):
        inner = reason.get("error")
        reason = inner if isinstance(inner, Mapping) else reason
        reason = reason.get("message") or reason.get("type") or reason.get("code")
    text = reason if isinstance(reason, str) and reason else "no reply"
    return Prediction(key, (), sample, model, failure=text[:200])


def _native(record: Record) -> tuple[Prediction]:
    key = name_of(record["id"], "id")
    sample = sample_of(record.get("sample_idx", 0), "sample_idx")
    model = model_of(record.get("model"))
    if record.get("error"):
        return (_failed(key, record["error"], sample=sample, model=model),)
    value = record.get("prediction")
    if isinstance(value, str):
        texts, cut = bounded((value,))
        return (Prediction(key, texts, sample, model, cut=cut),)
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return (_prediction(key, value, sample=sample, model=model),)
    if value is not None:
        raise Unreadable("prediction must be a string, or a list of strings (one a turn)")
    if record.get("messages") is not None:
        turns = assistant_turns(record["messages"])
        return (_prediction(key, turns, sample=sample, model=model),)
    return (_failed(key, "prediction is null", sample=sample, model=model),)


def _openai(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    response = record.get("response")
    if record.get("error") or not isinstance(response, Mapping):
        yield _failed(key, record.get("error"))
        return
    body = response.get("body", response)
    code = response.get("status_code", 200)
    if isinstance(code, int) and code >= 400:
        yield _failed(key, body)
        return
    if not isinstance(body, Mapping):
        raise Unreadable("response has no body")
    model = model_of(body.get("model"))
    if isinstance(body.get("output"), list):
        messages = [item for item in body["output"] if isinstance(item, Mapping)]
        texts = [
            content_text(item.get("content")) for item in messages if item.get("type") == "message"
        ]
        yield _prediction(key, ["".join(texts)], model=model)
        return
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unreadable("response.body has no choices")
    for place, choice in enumerate(choices):
        if not isinstance(choice, Mapping):
            raise Unreadable("a choice is no object")
        message = choice.get("message")
        if isinstance(message, Mapping):
            text = content_text(message.get("content"))
        elif isinstance(choice.get("text"), str):
            text = choice["text"]
        else:
            raise Unreadable("a choice has neither message nor text")
        index = choice.get("index")
        sample = sample_of(place if index is None else index, "choices[].index")
        yield _prediction(key, [text], sample=sample, model=model)


def _anthropic(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    result = record["result"]
    if result.get("type") != "succeeded":
        yield _failed(key, result.get("error") or result.get("type"))
        return
    message = result.get("message")
    if not isinstance(message, Mapping):
        raise Unreadable("result has no message")
    text = content_text(message.get("content"))
    yield _prediction(key, [text], model=model_of(message.get("model")))


def _document(record: Record) -> str | int:
    doc = record.get("doc")
    if isinstance(doc, Mapping) and isinstance(doc.get("id"), str):
        return name_of(doc["id"], "doc.id")
    return sample_of(record["doc_id"], "doc_id")


def _harness(record: Record) -> Iterator[Prediction]:
    # resps holds one list of repeats for each request of the document; generation has one request.
    # lmms-eval leaves resps out when the filter changed nothing.
    replies = record.get("resps")
    if not replies:
        replies = record.get("filtered_resps")
    if isinstance(replies, list) and replies and isinstance(replies[0], list):
        replies = replies[0]
    if isinstance(replies, str):
        replies = [replies]
    if not isinstance(replies, list) or not replies:
        raise Unreadable("resps holds no reply")
    if not all(isinstance(reply, str) for reply in replies):
        raise Unreadable(
            "resps holds no text; log-likelihood runs cannot be replayed, use generate_until"
        )
    key = _document(record)
    target = record.get("target")
    target = target if isinstance(target, str) else None
    for sample, reply in enumerate(replies):
        yield _prediction(key, [reply], sample=sample, target=target)


def _inspect(record: Record) -> Iterator[Prediction]:
    key = record["id"]
    key = sample_of(key, "id") if type(key) is int else name_of(key, "id")
    epoch = sample_of(record.get("epoch", 1), "epoch")
    output = record.get("output")
    output = output if isinstance(output, Mapping) else {}
    sample = max(epoch - 1, 0)
    model = model_of(record.get("model")) or model_of(output.get("model"))
    if record.get("error") or output.get("error"):
        yield _failed(key, record.get("error") or output.get("error"), sample=sample, model=model)
        return
    final = output.get("completion")
    choices = output.get("choices")
    if not isinstance(final, str) and isinstance(choices, list) and choices:
        message = choices[0].get("message") if isinstance(choices[0], Mapping) else None
        final = content_text(message.get("content")) if isinstance(message, Mapping) else None
    turns = assistant_turns(record.get("messages") or [])
    if not isinstance(final, str):
        if not turns:
            yield _failed(key, "the sample has no output", sample=sample, model=model)
            return
        final = turns[-1]
    attached = record.get("attachments")
    if isinstance(attached, Mapping):
        final = _attachment(final, attached)
        turns = [_attachment(turn, attached) for turn in turns]
    (final,), cut = bounded([final])
    texts, turns_cut = bounded(turns or [final])
    yield Prediction(key, texts, sample, model, final=final, cut=cut or turns_cut)


def _attachment(text: str, attached: Mapping[str, Any]) -> str:
    # Long texts of a log stand once, under their hash, and are referred to where they occur.
    if text.startswith("attachment://"):
        value = attached.get(text.removeprefix("attachment://"))
        return value if isinstance(value, str) else text
    return text


FORMATS: tuple[Format, ...] = (
    Format(
        "native",
        lambda record: (
            "id" in record
            and ("prediction" in record or "messages" in record or "error" in record)
            and "custom_id" not in record
            and "epoch" not in record
        ),
        _native,
        '{"id", "prediction" or "messages"}, optionally "model", "sample_idx", "error"',
    ),
    Format(
        "anthropic batch",
        lambda record: (
            "custom_id" in record
            and isinstance(record.get("result"), Mapping)
            and isinstance(record["result"].get("type"), str)
        ),
        _anthropic,
        '{"custom_id", "result": {"type", "message"}}',
    ),
    Format(
        "openai batch",
        lambda record: "custom_id" in record and ("response" in record or "error" in record),
        _openai,
        '{"custom_id", "response": {"status_code", "body"}, "error"} (and vLLM)',
    ),
    Format(
        "lm-eval",
        lambda record: "doc_id" in record and "resps" in record and "filter" in record,
        _harness,
        '{"doc_id", "doc", "resps", "filter"}',
    ),
    Format(
        "lmms-eval",
        lambda record: (
            "doc_id" in record
            and ("resps" in record or "filtered_resps" in record)
            and "filter" not in record
        ),
        _harness,
        '{"doc_id", "resps" or "filtered_resps"}',
    ),
    Format(
        "inspect_ai",
        lambda record: (
            "id" in record and "epoch" in record and ("output" in record or "messages" in record)
        ),
        _inspect,
        'samples of {"id", "epoch", "output", "messages"} (.json and .eval logs)',
    ),
)
"""All formats, in the order in which they are tried."""

HARNESSES = frozenset({"lm-eval", "lmms-eval"})
"""Names of the formats that have one record for each document and filter."""


def detect(record: Any) -> Format:
    """Return the format of a record.

    Raises:
        Unreadable: the record is no object, or of no known format.
    """
    if type(record) is not dict and not isinstance(record, Mapping):
        raise Unreadable("not a JSON object")
    for candidate in FORMATS:
        if candidate.matches(record):
            return candidate
    keys = ", ".join(repr(str(key)[:30]) for key in list(record)[:8])
    raise Unreadable(f"no known prediction format; its keys are {keys or 'none'}")
