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

from facelet.pipeline.scoring.patterns import annotated
from facelet.pipeline.scoring.predictions import (
    NEXT,
    Asked,
    Prediction,
    Unreadable,
    asked_of,
    assistant_turns,
    bounded,
    content_text,
    model_of,
    name_of,
    sample_of,
)

Record = Mapping[str, Any]

REPLIES = "facelet_replies"
"""Name under which a log's metadata hold all replies of an episode, also those of earlier chats."""


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
    asked: Asked | None = None,
) -> Prediction:
    texts, cut = bounded(replies)
    return Prediction(key, texts, sample, model, target=target, cut=cut, asked=asked)


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
    asked = None
    if "messages" in record or "content_hash" in record or "prompt" in record:
        prompt = record.get("messages") or record.get("prompt")
        asked = asked_of(prompt, record.get("content_hash"))
    if isinstance(value, str):
        texts, cut = bounded((value,))
        return (Prediction(key, texts, sample, model, cut=cut, asked=asked),)
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return (_prediction(key, value, sample=sample, model=model, asked=asked),)
    if value is not None:
        raise Unreadable("prediction must be a string, or a list of strings (one a turn)")
    if record.get("messages") is not None:
        turns = assistant_turns(record["messages"])
        found = _prediction(key, turns, sample=sample, model=model, asked=asked)
        return (found._replace(patterns=annotated(record["messages"])),)
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
    about = body.get("metadata")
    asked = asked_of(None, about.get("content_hash")) if isinstance(about, Mapping) else None
    if isinstance(body.get("output"), list):
        messages = [item for item in body["output"] if isinstance(item, Mapping)]
        texts = [
            content_text(item.get("content")) for item in messages if item.get("type") == "message"
        ]
        yield _prediction(key, ["".join(texts)], model=model, asked=asked)
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
        yield _prediction(key, [text], sample=sample, model=model, asked=asked)


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
    target, asked = _about(record)
    for sample, reply in enumerate(replies):
        yield _prediction(key, [reply], sample=sample, target=target, asked=asked)


def _about(record: Record) -> tuple[str | None, Asked | None]:
    """Return the answer key and the question that a harness log has for a document."""
    doc = record.get("doc")
    doc = doc if isinstance(doc, Mapping) else {}
    target = doc.get("gold", record.get("target"))
    prompt: Any = record.get("input")
    arguments = record.get("arguments")
    if isinstance(arguments, Mapping):
        first = next(iter(arguments.values()), None)
        prompt = first.get("arg_0") if isinstance(first, Mapping) else prompt
    elif isinstance(arguments, list) and arguments and isinstance(arguments[0], list | str):
        first = arguments[0]
        prompt = first if isinstance(first, str) else next(iter(first), None)
    asked = asked_of(doc.get("messages") or prompt, doc.get("content_hash"))
    return target if isinstance(target, str) else None, asked


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
    target, about = record.get("target"), record.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    said = about.get(REPLIES)
    if isinstance(said, list) and said and all(isinstance(text, str) for text in said):
        texts, turns_cut = bounded([_attachment(text, attached or {}) for text in said])
        final = None
    yield Prediction(
        key,
        texts,
        sample,
        model,
        final=final,
        target=target if isinstance(target, str) and target else None,
        cut=cut or turns_cut,
        asked=asked_of(record.get("input"), about.get("content_hash")),
    )


def _verifiers(record: Record) -> Prediction:
    about = record.get("info")
    about = about if isinstance(about, Mapping) else {}
    key = about.get("id", record.get("example_id"))
    key = sample_of(key, "example_id") if type(key) is int else name_of(key, "info.id")
    completion = record["completion"]
    turns = [completion] if isinstance(completion, str) else assistant_turns(completion)
    return _prediction(
        key,
        turns,
        sample=NEXT,
        model=model_of(record.get("model")),
        target=record["answer"] if isinstance(record.get("answer"), str) else None,
        asked=asked_of(record.get("prompt"), about.get("content_hash")),
    )


def _traces(record: Record) -> Iterator[Prediction]:
    # An episode of verifiers 0.4 holds the traces of its agents; a trace, a graph of messages.
    for trace in record["traces"]:
        task = trace.get("task") if isinstance(trace, Mapping) else None
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping) or not isinstance(trace.get("nodes"), list):
            raise Unreadable("a trace has no task, data or nodes")
        key = name_of(data["id"], "task.data.id") if data.get("id") else data.get("idx")
        key = key if isinstance(key, str) else sample_of(key, "task.data.idx")
        agent = trace.get("agent")
        config = agent.get("config") if isinstance(agent, Mapping) else None
        model = model_of(config.get("model")) if isinstance(config, Mapping) else None
        nodes = [node for node in trace["nodes"] if isinstance(node, Mapping)]
        turns = assistant_turns([node.get("message") for node in nodes if node.get("sampled")])
        if not turns:
            yield _failed(key, "the trace has no reply", sample=NEXT, model=model)
            continue
        asked = asked_of(data.get("prompt"), data.get("content_hash"))
        yield _prediction(key, turns, sample=NEXT, model=model, asked=asked)


def _vlmevalkit(record: Record) -> Prediction:
    key = record["index"]
    key = sample_of(key, "index") if type(key) is int else name_of(key, "index")
    value = record["prediction"]
    if value is None:
        return _failed(key, "prediction is null")
    if isinstance(value, int | float):
        value = str(value)  # A cell that holds a number only is a number.
    if not isinstance(value, str):
        raise Unreadable("prediction must be a string")
    target = record.get("answer")
    return _prediction(
        key,
        [value],
        target=target if isinstance(target, str) and target else None,
        asked=asked_of(record.get("question"), record.get("content_hash")),
    )


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
    Format(
        "verifiers",
        lambda record: "completion" in record and ("example_id" in record or "info" in record),
        lambda record: (_verifiers(record),),
        '{"example_id", "info": {"id"}, "prompt", "completion"}',
    ),
    Format(
        "verifiers traces",
        lambda record: isinstance(record.get("traces"), list) and "task" in record,
        _traces,
        '{"task", "traces": [{"task": {"data": {"id"}}, "nodes"}]} (traces.jsonl)',
    ),
    Format(
        "vlmevalkit",
        lambda record: "index" in record and "prediction" in record and "id" not in record,
        lambda record: (_vlmevalkit(record),),
        '{"index", "prediction"}, the index an id or a number (.xlsx, .tsv, .json)',
    ),
)
"""All formats, in the order in which they are tried."""

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
            return (_failed(key, "no reply", sample=sample, model=model),)
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise Unreadable(f"{self.text or 'prediction'} is neither a text nor a list")
        if not all(isinstance(turn, str) for turn in value):
            value = assistant_turns(value)
        asked = asked_of(None, record.get("content_hash"))
        return (_prediction(key, value, sample=sample, model=model, asked=asked),)


def _inside(record: Record, name: str) -> Any:
    """Return a field of a record, one inside another where the name has dots.

    Raises:
        Unreadable: there is none.
    """
    if name in record:
        return record[name]
    value: Any = record
    for step in name.split("."):
        if not isinstance(value, Mapping) or step not in value:
            raise Unreadable(f"the record has no field {name}")
        value = value[step]
    return value


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
