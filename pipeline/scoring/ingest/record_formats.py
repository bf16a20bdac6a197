"""Detect the format of a prediction record and read its predictions.

The table FORMATS is tried in order on each record, so files of any mixture are read. A record is a
JSON object (one line of a JSON Lines file, one element of a list, one sample of a log). Sources:
the OpenAI and Anthropic batch references and vLLM's run-batch; for logs of evaluation tools see
facelet.pipeline.scoring.ingest.tool_logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.scoring.ingest import tool_logs
from facelet.pipeline.scoring.ingest.asked_questions import (
    iterate_carried,
    iterate_requested,
    question_of,
    read_answered_question,
)
from facelet.pipeline.scoring.ingest.finish_reasons import error_of, normalize_reason, reason_in
from facelet.pipeline.scoring.ingest.prediction import (
    Prediction,
    Record,
    ReplyTurns,
    UnreadableRecord,
    assistant_turns,
    content_text,
    is_reply_list,
    list_turns,
    make_failure,
    make_prediction,
    mapping_at,
    model_of,
    name_of,
    sample_of,
)
from facelet.pipeline.scoring.ingest.reasoning_patterns import read_annotations


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """One kind of prediction record.

    Attributes:
        name: its name in the report.
        matches: returns whether a record is of this kind, by its keys.
        read: returns the record's predictions; raises UnreadableRecord when it contains none.
        fields: the fields that identify it, for messages and help.
    """

    name: str
    matches: Callable[[Record], bool]
    read: Callable[[Record], Iterable[Prediction]]
    fields: str


_SAID = frozenset({"messages", "content_hash", "prompt", "request", "body", "params"})
"""Keys of plain records that may say what was asked."""


def _read_native(record: Record) -> list[Prediction]:
    key = name_of(record["id"], "id")
    sample = sample_of(record.get("sample_idx", 0), "sample_idx")
    model = model_of(record.get("model"))
    if error := error_of(record.get("error")):
        return [make_failure(key, error, sample=sample, model=model)]
    value, messages = record.get("prediction"), record.get("messages")
    if value is None and messages is None:
        return [make_failure(key, "prediction is null", sample=sample, model=model, null=True)]
    asked = patterns = None
    if not _SAID.isdisjoint(record):
        asked = read_answered_question(record.get("content_hash"), *iterate_carried(record))
    replies = [value] if isinstance(value, str) else value
    if value is None:
        turns, patterns = assistant_turns(messages), read_annotations(messages)
    elif is_reply_list(replies):
        turns = list_turns(replies)
    else:
        raise UnreadableRecord("prediction must be a string, or a list of strings (one a turn)")
    found = make_prediction(key, turns, sample=sample, model=model, asked=asked)
    return [found if patterns is None else found._replace(patterns=patterns)]


def _read_openai(record: Record) -> list[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    response, error = record.get("response"), record.get("error")
    if error or not isinstance(response, Mapping):
        return [make_failure(key, error)]
    body, code = response.get("body", response), response.get("status_code", 200)
    if isinstance(code, int) and code >= 400:
        return [make_failure(key, body)]
    if not isinstance(body, Mapping):
        raise UnreadableRecord("response has no body")
    if body.get("status") == "failed":
        return [make_failure(key, body.get("error"))]
    model, choices = model_of(body.get("model")), body.get("choices")
    content_hash = mapping_at(body, "metadata").get("content_hash")
    asked = read_answered_question(content_hash, *iterate_requested(record))
    if isinstance(body.get("output"), list):
        return [make_prediction(key, _read_responses_turn(body), model=model, asked=asked)]
    if not isinstance(choices, list) or not choices:
        raise UnreadableRecord("response.body has no choices")
    return [
        make_prediction(key, _read_choice(choice), sample=sample, model=model, asked=asked)
        for sample, choice in _number_choices(choices, "choice")
    ]


def _number_choices(choices: Sequence[object], name: str) -> Iterator[tuple[int, Record]]:
    """Yield the sample index of each choice, and the choice.

    Raises:
        UnreadableRecord: a choice is no object, or its index no number.
    """
    for place, choice in enumerate(choices):
        if not isinstance(choice, Mapping):
            raise UnreadableRecord(f"a {name} is no object")
        index = choice.get("index")
        yield sample_of(place if index is None else index, f"{name}s[].index"), choice


def _read_choice(choice: Record) -> ReplyTurns:
    """Return the reply of a choice of a chat or text completion."""
    message, text = choice.get("message"), choice.get("text")
    if isinstance(message, Mapping):
        content = message.get("content")
        ended = "refusal" if message.get("refusal") else reason_in(choice)
        return ReplyTurns([content_text(content)], int(content is None), (ended,))
    if not isinstance(text, str):
        raise UnreadableRecord("a choice has neither message nor text")
    return ReplyTurns([text], 0, (reason_in(choice),))


def _read_responses_turn(body: Record) -> ReplyTurns:
    """Return the reply in a body of the Responses API."""
    items = [item for item in body["output"] if isinstance(item, Mapping)]  # type: ignore[attr-defined]
    contents = [item.get("content") for item in items if item.get("type") == "message"]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    inside = mapping_at(body, "incomplete_details").get("reason")
    ended = normalize_reason(inside) or normalize_reason(body.get("status"))
    if any(isinstance(part, Mapping) and part.get("type") == "refusal" for part in parts):
        ended = "refusal"
    null = int(not contents or contents == [None])
    return ReplyTurns(["".join(map(content_text, contents))], null, (ended,))


def _read_anthropic(record: Record) -> list[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    result = mapping_at(record, "result")
    if result.get("type") != "succeeded":
        return [make_failure(key, result.get("error") or result.get("type"))]
    message = result.get("message")
    if not isinstance(message, Mapping):
        raise UnreadableRecord("result has no message")
    content = message.get("content")
    turn = ReplyTurns([content_text(content)], int(content in (None, [])), (reason_in(message),))
    asked = read_answered_question(None, *iterate_requested(record))
    return [make_prediction(key, turn, model=model_of(message.get("model")), asked=asked)]


def _read_gemini(record: Record) -> list[Prediction]:
    key = name_of(record["key"], "key")
    response, error = record.get("response"), record.get("error")
    if error or not isinstance(response, Mapping):
        return [make_failure(key, error)]
    model = model_of(response.get("modelVersion"))
    asked = read_answered_question(None, *iterate_requested(record))
    candidates = response.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        # A prompt that a filter stops has no candidate.
        why = normalize_reason(mapping_at(response, "promptFeedback").get("blockReason"))
        turn = ReplyTurns([""], 1, ("blocked" if why else "",))
        return [make_prediction(key, turn, model=model, asked=asked)]
    return [
        make_prediction(key, _read_candidate(candidate), sample=sample, model=model, asked=asked)
        for sample, candidate in _number_choices(candidates, "candidate")
    ]


def _read_candidate(candidate: Record) -> ReplyTurns:
    """Return the reply of a candidate of the Gemini API, without its thoughts."""
    parts = mapping_at(candidate, "content").get("parts")
    said = [
        part
        for part in (parts if isinstance(parts, list) else ())
        if not isinstance(part, Mapping) or not part.get("thought")
    ]
    return ReplyTurns([content_text(said)], int(not parts), (reason_in(candidate),))


FORMATS: tuple[RecordFormat, ...] = (
    RecordFormat(
        "native",
        lambda record: (
            "id" in record
            and ("prediction" in record or "messages" in record or "error" in record)
            and "custom_id" not in record
            and "epoch" not in record
        ),
        _read_native,
        '{"id", "prediction" or "messages"}, optionally "model", "sample_idx", "error"',
    ),
    RecordFormat(
        "anthropic batch",
        lambda record: (
            "custom_id" in record
            and isinstance(result := record.get("result"), Mapping)
            and isinstance(result.get("type"), str)
        ),
        _read_anthropic,
        '{"custom_id", "result": {"type", "message"}}',
    ),
    RecordFormat(
        "openai batch",
        lambda record: "custom_id" in record and ("response" in record or "error" in record),
        _read_openai,
        '{"custom_id", "response": {"status_code", "body"}, "error"} (and vLLM)',
    ),
    RecordFormat(
        "gemini batch",
        lambda record: (
            isinstance(record.get("key"), str)
            and ("response" in record or "error" in record)
            and "custom_id" not in record
            and "id" not in record
        ),
        _read_gemini,
        '{"key", "response": {"candidates"}, "error"}',
    ),
    RecordFormat(
        "lm-eval",
        lambda record: "doc_id" in record and "resps" in record and "filter" in record,
        tool_logs.harness,
        '{"doc_id", "doc", "resps", "filter"}',
    ),
    RecordFormat(
        "lmms-eval",
        lambda record: (
            "doc_id" in record
            and ("resps" in record or "filtered_resps" in record)
            and "filter" not in record
        ),
        tool_logs.harness,
        '{"doc_id", "resps" or "filtered_resps"}',
    ),
    RecordFormat(
        "inspect_ai",
        lambda record: (
            "id" in record and "epoch" in record and ("output" in record or "messages" in record)
        ),
        tool_logs.inspect,
        'samples of {"id", "epoch", "output", "messages"} (.json and .eval logs)',
    ),
    RecordFormat(
        "verifiers",
        lambda record: "completion" in record and ("example_id" in record or "info" in record),
        tool_logs.verifiers,
        '{"example_id", "info": {"id"}, "prompt", "completion"}',
    ),
    RecordFormat(
        "verifiers traces",
        lambda record: isinstance(record.get("traces"), list) and "task" in record,
        tool_logs.traces,
        '{"task", "traces": [{"task": {"data": {"id"}}, "nodes"}]} (traces.jsonl)',
    ),
    RecordFormat(
        "lighteval",
        lambda record: (
            isinstance(record.get("doc"), Mapping)
            and isinstance(record.get("model_response"), Mapping)
        ),
        tool_logs.lighteval,
        '{"doc": {"specific": {"id"}}, "model_response": {"text"}} (details_*.parquet)',
    ),
    RecordFormat(
        "vlmevalkit",
        lambda record: "index" in record and "prediction" in record and "id" not in record,
        tool_logs.vlmevalkit,
        '{"index", "prediction"}, the index an id or a number (.xlsx, .tsv, .json)',
    ),
)
"""All formats, in the order in which they are tried."""

BATCHES = frozenset({"openai batch", "anthropic batch", "gemini batch"})
"""Names of the formats of batch APIs, whose failures name no model."""

HARNESSES = frozenset({"lm-eval", "lmms-eval"})
"""Names of the formats that have one record for each document and filter."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Names of fields for records of an unknown format; "" for none.

    A name may have dots, for a field inside another.

    Attributes:
        id: field of the row's id.
        text: field of the reply: a text, a list of them, or chat messages.
        model: field of the model's name.
    """

    id: str = ""
    text: str = ""
    model: str = ""

    @property
    def list_required_columns(self) -> tuple[str, ...]:
        """The columns that a table must have."""
        return tuple(name for name in (self.id, self.text, self.model) if name)

    def to_format(self) -> RecordFormat | None:
        """Return the format of records with these fields, None if none is named."""
        if not self.list_required_columns:
            return None
        return RecordFormat(
            "fields", lambda record: True, self._read_record, ", ".join(self.list_required_columns)
        )

    def _read_record(self, record: Record) -> list[Prediction]:
        field = self.id or "id"
        key = _find_nested_field(record, field)
        key = key if type(key) is int else name_of(key, field)
        model = model_of(_find_nested_field(record, self.model)) if self.model else None
        sample = sample_of(record.get("sample_idx", 0), "sample_idx")
        if (value := _find_nested_field(record, self.text or "prediction")) is None:
            return [make_failure(key, "no reply", sample=sample, model=model, null=True)]
        replies = [value] if isinstance(value, str) else value
        if not isinstance(replies, list):
            raise UnreadableRecord(f"{self.text or 'prediction'} is neither a text nor a list")
        plain = is_reply_list(replies)
        chat = None if plain else question_of(replies)
        asked = read_answered_question(record.get("content_hash"), *iterate_carried(record), chat)
        turns = list_turns(replies) if plain else assistant_turns(replies)
        return [make_prediction(key, turns, sample=sample, model=model, asked=asked)]


def _find_nested_field(record: Record, name: str) -> object:
    """Return a field of a record, one inside another where the name has dots.

    Raises:
        UnreadableRecord: there is none.
    """
    if name in record:
        return record[name]
    value: object = record
    for step in name.split("."):
        if not isinstance(value, Mapping) or step not in value:
            raise UnreadableRecord(f"the record has no field {name}")
        value = value[step]
    return value


def record_of(value: object) -> Record:
    """Return a value as a record.

    Raises:
        UnreadableRecord: it is no object.
    """
    if not isinstance(value, Mapping):
        raise UnreadableRecord("not a JSON object")
    return value


def detect_format(value: object) -> RecordFormat:
    """Return the format of a record.

    Raises:
        UnreadableRecord: it is no object, or of no known format.
    """
    record = record_of(value)
    for candidate in FORMATS:
        if candidate.matches(record):
            return candidate
    keys = ", ".join(repr(str(key)[:30]) for key in list(record)[:8])
    raise UnreadableRecord(f"no known prediction format; its keys are {keys or 'none'}")
