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
    bound_replies,
    content_text,
    make_failure,
    make_prediction,
    model_of,
    name_of,
    parse_reply_list,
    sample_of,
)
from facelet.pipeline.scoring.ingest.recorded_patterns import read_annotations


@dataclass(frozen=True, slots=True)
class RecordFormat:
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


def _read_native(record: Record) -> tuple[Prediction]:
    key = name_of(record["id"], "id")
    sample = sample_of(record.get("sample_idx", 0), "sample_idx")
    model = model_of(record.get("model"))
    if error := error_of(record.get("error")):
        return (make_failure(key, error, sample=sample, model=model),)
    value = record.get("prediction")
    asked = None
    if not _SAID.isdisjoint(record):
        asked = read_answered_question(record.get("content_hash"), *iterate_carried(record))
    if isinstance(value, str):
        texts, cut = bound_replies((value,))
        return (Prediction(key, texts, sample, model, cut=cut, asked=asked),)
    if (turns := parse_reply_list(value)) is not None:
        return (make_prediction(key, turns, sample=sample, model=model, asked=asked),)
    if value is not None:
        raise UnreadableRecord("prediction must be a string, or a list of strings (one a turn)")
    if record.get("messages") is not None:
        turns = assistant_turns(record["messages"])
        found = make_prediction(key, turns, sample=sample, model=model, asked=asked)
        return (found._replace(patterns=read_annotations(record["messages"])),)
    return (make_failure(key, "prediction is null", sample=sample, model=model, null=True),)


def _read_openai(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    response = record.get("response")
    if record.get("error") or not isinstance(response, Mapping):
        yield make_failure(key, record.get("error"))
        return
    body = response.get("body", response)
    code = response.get("status_code", 200)
    if isinstance(code, int) and code >= 400:
        yield make_failure(key, body)
        return
    if not isinstance(body, Mapping):
        raise UnreadableRecord("response has no body")
    model = model_of(body.get("model"))
    about = body.get("metadata")
    if body.get("status") == "failed":
        yield make_failure(key, body.get("error"))
        return
    named = about.get("content_hash") if isinstance(about, Mapping) else None
    asked = read_answered_question(named, *iterate_requested(record))
    if isinstance(body.get("output"), list):
        messages = [item for item in body["output"] if isinstance(item, Mapping)]
        texts = [item.get("content") for item in messages if item.get("type") == "message"]
        whole = "".join(map(content_text, texts))
        turn = ReplyTurns(
            [whole], int(not texts or texts == [None]), (_responses_reason(body, texts),)
        )
        yield make_prediction(key, turn, model=model, asked=asked)
        return
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise UnreadableRecord("response.body has no choices")
    for place, choice in enumerate(choices):
        if not isinstance(choice, Mapping):
            raise UnreadableRecord("a choice is no object")
        message, ended, null = choice.get("message"), reason_in(choice), 0
        if isinstance(message, Mapping):
            text = content_text(message.get("content"))
            null = int(message.get("content") is None)
            ended = "refusal" if message.get("refusal") else ended
        elif isinstance(choice.get("text"), str):
            text = choice["text"]
        else:
            raise UnreadableRecord("a choice has neither message nor text")
        index = choice.get("index")
        sample = sample_of(place if index is None else index, "choices[].index")
        yield make_prediction(
            key, ReplyTurns([text], null, (ended,)), sample=sample, model=model, asked=asked
        )


def _responses_reason(body: Record, contents: Sequence[object]) -> str:
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
    return normalize_reason(inside) or normalize_reason(body.get("status"))


def _read_anthropic(record: Record) -> Iterator[Prediction]:
    key = name_of(record["custom_id"], "custom_id")
    result = record["result"]
    if not isinstance(result, Mapping):
        raise UnreadableRecord("result is no object")
    if result.get("type") != "succeeded":
        yield make_failure(key, result.get("error") or result.get("type"))
        return
    message = result.get("message")
    if not isinstance(message, Mapping):
        raise UnreadableRecord("result has no message")
    content = message.get("content")
    turn = ReplyTurns([content_text(content)], int(content in (None, [])), (reason_in(message),))
    asked = read_answered_question(None, *iterate_requested(record))
    yield make_prediction(key, turn, model=model_of(message.get("model")), asked=asked)


def _read_gemini(record: Record) -> Iterator[Prediction]:
    key = name_of(record["key"], "key")
    response = record.get("response")
    if record.get("error") or not isinstance(response, Mapping):
        yield make_failure(key, record.get("error"))
        return
    model = model_of(response.get("modelVersion"))
    asked = read_answered_question(None, *iterate_requested(record))
    candidates = response.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        # A prompt that a filter stops has no candidate.
        feedback = response.get("promptFeedback")
        why = normalize_reason(feedback.get("blockReason")) if isinstance(feedback, Mapping) else ""
        turn = ReplyTurns([""], 1, ("blocked" if why else "",))
        yield make_prediction(key, turn, model=model, asked=asked)
        return
    for place, candidate in enumerate(candidates):
        if not isinstance(candidate, Mapping):
            raise UnreadableRecord("a candidate is no object")
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        said = [
            part for part in parts or () if not isinstance(part, Mapping) or not part.get("thought")
        ]
        turn = ReplyTurns([content_text(said)], int(not parts), (reason_in(candidate),))
        index = candidate.get("index")
        sample = sample_of(place if index is None else index, "candidates[].index")
        yield make_prediction(key, turn, sample=sample, model=model, asked=asked)


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
        lambda record: (tool_logs.verifiers(record),),
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
class FieldNames:
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

    def _read_record(self, record: Record) -> tuple[Prediction]:
        key = _find_nested_field(record, self.id or "id")
        if type(key) is not int:
            key = name_of(key, self.id or "id")
        model = model_of(_find_nested_field(record, self.model)) if self.model else None
        sample = sample_of(record.get("sample_idx", 0), "sample_idx")
        value = _find_nested_field(record, self.text or "prediction")
        if value is None:
            return (make_failure(key, "no reply", sample=sample, model=model, null=True),)
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise UnreadableRecord(f"{self.text or 'prediction'} is neither a text nor a list")
        turns, chat = parse_reply_list(value), None
        if turns is None:
            turns, chat = assistant_turns(value), value
        asked = read_answered_question(
            record.get("content_hash"), *iterate_carried(record), question_of(chat)
        )
        return (make_prediction(key, turns, sample=sample, model=model, asked=asked),)


def _find_nested_field(record: Record, name: str) -> object:
    """Return a field of a record, one inside another where the name has dots.

    Raises:
        Unreadable: there is none.
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
        Unreadable: it is no object.
    """
    if type(value) is not dict and not isinstance(value, Mapping):
        raise UnreadableRecord("not a JSON object")
    return value


def detect_format(value: object) -> RecordFormat:
    """Return the format of a record.

    Raises:
        Unreadable: it is no object, or of no known format.
    """
    record = record_of(value)
    for candidate in FORMATS:
        if candidate.matches(record):
            return candidate
    keys = ", ".join(repr(str(key)[:30]) for key in list(record)[:8])
    raise UnreadableRecord(f"no known prediction format; its keys are {keys or 'none'}")
