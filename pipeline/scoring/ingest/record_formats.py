"""Formats: which kinds of prediction record there are, how each is told, and what it says.

The table FORMATS is tried in order on each record, so files of any mixture are read. A record is a
JSON object (one line of a JSON Lines file, one element of a list, one sample of a log). Sources:
the OpenAI and Anthropic batch references and vLLM's run-batch; for logs of evaluation tools see
facelet.pipeline.scoring.taking.tool_logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.scoring.taking import tool_logs
from facelet.pipeline.scoring.taking.finish_reasons import error_of, reason, reason_in
from facelet.pipeline.scoring.taking.patterns import annotated
from facelet.pipeline.scoring.taking.predictions import (
    Prediction,
    Record,
    Turns,
    Unreadable,
    assistant_turns,
    bounded,
    content_text,
    failed,
    listed,
    model_of,
    name_of,
    predicted,
    sample_of,
)
from facelet.pipeline.scoring.taking.questions import asked_of, carried, question_of, requested


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


_SAID = frozenset({"messages", "content_hash", "prompt", "request", "body", "params"})
"""Keys of plain records that may say what was asked."""


def _native(record: Record) -> tuple[Prediction]:
    key = name_of(record["id"], "id")
    sample = sample_of(record.get("sample_idx", 0), "sample_idx")
    model = model_of(record.get("model"))
    if error := error_of(record.get("error")):
        return (failed(key, error, sample=sample, model=model),)
    value = record.get("prediction")
    asked = None
    if not _SAID.isdisjoint(record):
        asked = asked_of(record.get("content_hash"), *carried(record))
    if isinstance(value, str):
        texts, cut = bounded((value,))
        return (Prediction(key, texts, sample, model, cut=cut, asked=asked),)
    if (turns := listed(value)) is not None:
        return (predicted(key, turns, sample=sample, model=model, asked=asked),)
    if value is not None:
        raise Unreadable("prediction must be a string, or a list of strings (one a turn)")
    if record.get("messages") is not None:
        turns = assistant_turns(record["messages"])
        found = predicted(key, turns, sample=sample, model=model, asked=asked)
        return (found._replace(patterns=annotated(record["messages"])),)
    return (failed(key, "prediction is null", sample=sample, model=model, null=True),)


def _openai(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    response = record.get("response")
    if record.get("error") or not isinstance(response, Mapping):
        yield failed(key, record.get("error"))
        return
    body = response.get("body", response)
    code = response.get("status_code", 200)
    if isinstance(code, int) and code >= 400:
        yield failed(key, body)
        return
    if not isinstance(body, Mapping):
        raise Unreadable("response has no body")
    model = model_of(body.get("model"))
    about = body.get("metadata")
    if body.get("status") == "failed":
        yield failed(key, body.get("error"))
        return
    named = about.get("content_hash") if isinstance(about, Mapping) else None
    asked = asked_of(named, *requested(record))
    if isinstance(body.get("output"), list):
        messages = [item for item in body["output"] if isinstance(item, Mapping)]
        texts = [item.get("content") for item in messages if item.get("type") == "message"]
        whole = "".join(map(content_text, texts))
        turn = Turns([whole], int(not texts or texts == [None]), (_responded(body, texts),))
        yield predicted(key, turn, model=model, asked=asked)
        return
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unreadable("response.body has no choices")
    for place, choice in enumerate(choices):
        if not isinstance(choice, Mapping):
            raise Unreadable("a choice is no object")
        message, ended, null = choice.get("message"), reason_in(choice), 0
        if isinstance(message, Mapping):
            text = content_text(message.get("content"))
            null = int(message.get("content") is None)
            ended = "refusal" if message.get("refusal") else ended
        elif isinstance(choice.get("text"), str):
            text = choice["text"]
        else:
            raise Unreadable("a choice has neither message nor text")
        index = choice.get("index")
        sample = sample_of(place if index is None else index, "choices[].index")
        yield predicted(key, Turns([text], null, (ended,)), sample=sample, model=model, asked=asked)


def _responded(body: Record, contents: Sequence[object]) -> str:
    """Return why a reply of the Responses API ended.

    Args:
        body: the body of the response.
        contents: the contents of its messages.
    """
    parts = [part for content in contents if isinstance(content, list) for part in content]
    if any(isinstance(part, Mapping) and part.get("type") == "refusal" for part in parts):
        return "refusal"
    details = body.get("incomplete_details")
    inside = details.get("reason") if isinstance(details, Mapping) else None
    return reason(inside) or reason(body.get("status"))


def _anthropic(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    result = record["result"]
    if not isinstance(result, Mapping):
        raise Unreadable("result is no object")
    if result.get("type") != "succeeded":
        yield failed(key, result.get("error") or result.get("type"))
        return
    message = result.get("message")
    if not isinstance(message, Mapping):
        raise Unreadable("result has no message")
    content = message.get("content")
    turn = Turns([content_text(content)], int(content in (None, [])), (reason_in(message),))
    asked = asked_of(None, *requested(record))
    yield predicted(key, turn, model=model_of(message.get("model")), asked=asked)


def _gemini(record: Record) -> Iterator[Prediction]:
    key = name_of(record["key"], "key")
    response = record.get("response")
    if record.get("error") or not isinstance(response, Mapping):
        yield failed(key, record.get("error"))
        return
    model = model_of(response.get("modelVersion"))
    asked = asked_of(None, *requested(record))
    candidates = response.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        # A prompt that a filter stops has no candidate.
        feedback = response.get("promptFeedback")
        why = reason(feedback.get("blockReason")) if isinstance(feedback, Mapping) else ""
        turn = Turns([""], 1, ("blocked" if why else "",))
        yield predicted(key, turn, model=model, asked=asked)
        return
    for place, candidate in enumerate(candidates):
        if not isinstance(candidate, Mapping):
            raise Unreadable("a candidate is no object")
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        said = [
            part for part in parts or () if not isinstance(part, Mapping) or not part.get("thought")
        ]
        turn = Turns([content_text(said)], int(not parts), (reason_in(candidate),))
        index = candidate.get("index")
        sample = sample_of(place if index is None else index, "candidates[].index")
        yield predicted(key, turn, sample=sample, model=model, asked=asked)


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
            and isinstance(result := record.get("result"), Mapping)
            and isinstance(result.get("type"), str)
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
        "gemini batch",
        lambda record: (
            isinstance(record.get("key"), str)
            and ("response" in record or "error" in record)
            and "custom_id" not in record
            and "id" not in record
        ),
        _gemini,
        '{"key", "response": {"candidates"}, "error"}',
    ),
    Format(
        "lm-eval",
        lambda record: "doc_id" in record and "resps" in record and "filter" in record,
        tool_logs.harness,
        '{"doc_id", "doc", "resps", "filter"}',
    ),
    Format(
        "lmms-eval",
        lambda record: (
            "doc_id" in record
            and ("resps" in record or "filtered_resps" in record)
            and "filter" not in record
        ),
        tool_logs.harness,
        '{"doc_id", "resps" or "filtered_resps"}',
    ),
    Format(
        "inspect_ai",
        lambda record: (
            "id" in record and "epoch" in record and ("output" in record or "messages" in record)
        ),
        tool_logs.inspect,
        'samples of {"id", "epoch", "output", "messages"} (.json and .eval logs)',
    ),
    Format(
        "verifiers",
        lambda record: "completion" in record and ("example_id" in record or "info" in record),
        lambda record: (tool_logs.verifiers(record),),
        '{"example_id", "info": {"id"}, "prompt", "completion"}',
    ),
    Format(
        "verifiers traces",
        lambda record: isinstance(record.get("traces"), list) and "task" in record,
        tool_logs.traces,
        '{"task", "traces": [{"task": {"data": {"id"}}, "nodes"}]} (traces.jsonl)',
    ),
    Format(
        "lighteval",
        lambda record: (
            isinstance(record.get("doc"), Mapping)
            and isinstance(record.get("model_response"), Mapping)
        ),
        tool_logs.lighteval,
        '{"doc": {"specific": {"id"}}, "model_response": {"text"}} (details_*.parquet)',
    ),
    Format(
        "vlmevalkit",
        lambda record: "index" in record and "prediction" in record and "id" not in record,
        lambda record: (tool_logs.vlmevalkit(record),),
        '{"index", "prediction"}, the index an id or a number (.xlsx, .tsv, .json)',
    ),
)
"""All formats, in the order in which they are tried."""

BATCHES = frozenset({"openai batch", "anthropic batch", "gemini batch"})
"""Names of the formats of batch APIs, whose failures name no model."""

HARNESSES = frozenset({"lm-eval", "lmms-eval"})
"""Names of the formats that have one record for each document and filter."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of fields for records of a kind that is not known; "" for none.

    A name may have dots, for a field inside another.

    Attributes:
        id: where the row's id stands.
        text: where the reply stands: a text, a list of them, or chat messages.
        model: where the model's name stands.
    """

    id: str = ""
    text: str = ""
    model: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that a table must have."""
        return tuple(name for name in (self.id, self.text, self.model) if name)

    def format(self) -> Format | None:
        """Return the format of records with these fields, None if none is named."""
        if not self.names:
            return None
        return Format("fields", lambda record: True, self._read, ", ".join(self.names))

    def _read(self, record: Record) -> tuple[Prediction]:
        key = _inside(record, self.id or "id")
        if type(key) is not int:
            key = name_of(key, self.id or "id")
        model = model_of(_inside(record, self.model)) if self.model else None
        sample = sample_of(record.get("sample_idx", 0), "sample_idx")
        value = _inside(record, self.text or "prediction")
        if value is None:
            return (failed(key, "no reply", sample=sample, model=model, null=True),)
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise Unreadable(f"{self.text or 'prediction'} is neither a text nor a list")
        turns, chat = listed(value), None
        if turns is None:
            turns, chat = assistant_turns(value), value
        asked = asked_of(record.get("content_hash"), *carried(record), question_of(chat))
        return (predicted(key, turns, sample=sample, model=model, asked=asked),)


def _inside(record: Record, name: str) -> object:
    """Return a field of a record, one inside another where the name has dots.

    Raises:
        Unreadable: there is none.
    """
    if name in record:
        return record[name]
    value: object = record
    for step in name.split("."):
        if not isinstance(value, Mapping) or step not in value:
            raise Unreadable(f"the record has no field {name}")
        value = value[step]
    return value


def record_of(value: object) -> Record:
    """Return a value as a record.

    Raises:
        Unreadable: it is no object.
    """
    if type(value) is not dict and not isinstance(value, Mapping):
        raise Unreadable("not a JSON object")
    return value


def detect(value: object) -> Format:
    """Return the format of a record.

    Raises:
        Unreadable: it is no object, or of no known format.
    """
    record = record_of(value)
    for candidate in FORMATS:
        if candidate.matches(record):
            return candidate
    keys = ", ".join(repr(str(key)[:30]) for key in list(record)[:8])
    raise Unreadable(f"no known prediction format; its keys are {keys or 'none'}")
