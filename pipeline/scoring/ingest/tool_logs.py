"""Read predictions from the logs of evaluation tools.

Sources: the sample logs of lm-eval and lmms-eval, the log schema of inspect_ai, the results and
traces of verifiers, the tables of VLMEvalKit, the details of lighteval.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from facelet.pipeline.scoring.ingest.asked_questions import (
    question_of,
    read_answered_question,
    resolve_attachment,
)
from facelet.pipeline.scoring.ingest.finish_reasons import normalize_reason, reason_in
from facelet.pipeline.scoring.ingest.prediction import (
    NEXT,
    Prediction,
    Record,
    ReplyTurns,
    UnreadableRecord,
    assistant_turns,
    content_text,
    is_reply_list,
    key_of,
    list_turns,
    make_failure,
    make_prediction,
    mapping_at,
    model_of,
    name_of,
    sample_of,
    text_or_none,
)

REPLIES = "facelet_replies"
"""Key of a log's metadata for all replies of an episode, those of earlier chats included."""


REASONS = "facelet_finish_reasons"
"""Key of a log's metadata for why each of these replies ended."""


def harness(record: Record) -> list[Prediction]:
    """Return the predictions of a sample of lm-eval or lmms-eval, one for each repeat."""
    # resps contains one list of repeats for each request of the document; generation has one
    # request. lmms-eval leaves resps out when the filter changed nothing.
    replies = record.get("resps") or record.get("filtered_resps")
    if isinstance(replies, list) and replies and isinstance(replies[0], list):
        replies = replies[0]
    replies, doc = [replies] if isinstance(replies, str) else replies, mapping_at(record, "doc")
    if not isinstance(replies, list) or not replies:
        raise UnreadableRecord("resps contains no reply")
    if not is_reply_list(replies):
        raise UnreadableRecord(
            "resps contains no text; log-likelihood runs cannot be replayed, use generate_until"
        )
    is_named = isinstance(doc.get("id"), str)
    key = name_of(doc["id"], "doc.id") if is_named else sample_of(record["doc_id"], "doc_id")
    return _repeat_predictions(key, replies, record)


def _repeat_predictions(
    key: str | int, replies: Sequence[str | None], record: Record
) -> list[Prediction]:
    """Return a prediction for each repeat of a document, with its answer key and question."""
    doc = mapping_at(record, "doc")
    sent, arguments = record.get("input"), record.get("arguments")
    if isinstance(arguments, Mapping):
        first = next(iter(arguments.values()), None)
        sent = first.get("arg_0") if isinstance(first, Mapping) else sent
    elif isinstance(arguments, list) and arguments and isinstance(arguments[0], list | str):
        first = arguments[0]
        sent = first if isinstance(first, str) else next(iter(first), None)
    questions = question_of(doc.get("messages")), question_of(sent, "rendered")
    asked = read_answered_question(doc.get("content_hash"), *questions)
    return [
        make_prediction(
            key,
            list_turns([reply]),
            sample=sample,
            target=doc.get("gold", record.get("target")),
            asked=asked,
        )
        for sample, reply in enumerate(replies)
    ]


def lighteval(record: Record) -> list[Prediction]:
    """Return the predictions of a row of lighteval's details, one for each sample.

    The question contains the row that was asked, since our lighteval tasks put it there.
    """
    about = mapping_at(record, "doc").get("specific")
    if not isinstance(about, Mapping):
        raise UnreadableRecord(
            "doc.specific contains no id: these are not tasks of facelet harness"
        )
    key = name_of(about.get("id"), "doc.specific.id")
    replies = mapping_at(record, "model_response").get("text")
    if not isinstance(replies, list) or not replies:
        return [make_failure(key, "model_response contains no text", null=True)]
    if not is_reply_list(replies):
        raise UnreadableRecord("model_response.text is no list of texts")
    return _repeat_predictions(key, replies, {"doc": _parse_object(about.get("row"))})


def _parse_object(value: object) -> Record:
    """Return an object, which may be spelled as JSON in a text; {} for anything else."""
    try:
        return mapping_at(json.loads(value) if isinstance(value, str) else value)
    except (ValueError, RecursionError):
        return {}


def inspect(record: Record) -> list[Prediction]:
    """Return the prediction of a sample of an inspect_ai log."""
    key = key_of(record["id"], "id", "id")
    sample = max(sample_of(record.get("epoch", 1), "epoch") - 1, 0)
    output = mapping_at(record, "output")
    model = model_of(record.get("model")) or model_of(output.get("model"))
    if error := record.get("error") or output.get("error"):
        return [make_failure(key, error, sample=sample, model=model)]
    final, ended, choices = output.get("completion"), reason_in(output), output.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        ended = ended or reason_in(choices[0])
        message = choices[0].get("message")
        if not isinstance(final, str):
            final = content_text(message.get("content")) if isinstance(message, Mapping) else None
    turns, nulls, _ = assistant_turns(record.get("messages") or [])
    if not isinstance(final, str):
        if not turns:
            why = "the sample has no output"
            return [make_failure(key, why, sample=sample, model=model, null=True)]
        final = turns[-1]
    apart, about = mapping_at(record, "attachments"), mapping_at(record, "metadata")
    final = resolve_attachment(final, apart)
    turns = turns or [final]
    questions = [question_of(record.get("input"), attached=apart)]
    kept = about.get(REPLIES)
    if isinstance(kept, list) and kept and all(isinstance(text, str) for text in kept):
        turns, nulls, final = kept, 0, None
    else:
        # A solver may have changed the question; of an episode, the messages are its last chat.
        questions.append(question_of(record.get("messages"), attached=apart))
    reasons = (*[""] * (len(turns) - 1), ended)
    kept = about.get(REASONS)
    if isinstance(kept, list) and len(kept) == len(turns):
        reasons = tuple(map(normalize_reason, kept))
    texts = [resolve_attachment(turn, apart) for turn in turns]
    return [
        make_prediction(
            key,
            ReplyTurns(texts, nulls, reasons),
            sample=sample,
            model=model,
            final=final,
            target=text_or_none(record.get("target")),
            asked=read_answered_question(about.get("content_hash"), *questions),
        )
    ]


def verifiers(record: Record) -> list[Prediction]:
    """Return the prediction of a saved result of verifiers."""
    about, completion = _parse_object(record.get("info")), record["completion"]
    chat = None if isinstance(completion, str) else completion
    questions = question_of(record.get("prompt")), question_of(chat)
    return [
        make_prediction(
            key_of(about.get("id", record.get("example_id")), "example_id", "info.id"),
            ReplyTurns([completion]) if isinstance(completion, str) else assistant_turns(chat),
            sample=NEXT,
            model=model_of(record.get("model")),
            target=record.get("answer"),
            asked=read_answered_question(about.get("content_hash"), *questions),
        )
    ]


def traces(record: Record) -> list[Prediction]:
    """Return the predictions of an episode of verifiers 0.4, one for each trace of an agent."""
    found = record["traces"]
    return [_read_trace(trace) for trace in (found if isinstance(found, list) else ())]


def _read_trace(trace: object) -> Prediction:
    """Return the prediction of a trace: a graph of messages."""
    data, nodes = mapping_at(trace, "task", "data"), mapping_at(trace).get("nodes")
    if not data or not isinstance(nodes, list):
        raise UnreadableRecord("a trace has no task, data or nodes")
    key: str | int
    if data.get("id"):
        key = name_of(data["id"], "task.data.id")
    else:
        index = data.get("idx")
        key = index if isinstance(index, str) else sample_of(index, "task.data.idx")
    model = model_of(mapping_at(trace, "agent", "config").get("model"))
    sampled = [mapping_at(node) for node in nodes if mapping_at(node).get("sampled")]
    turns = assistant_turns([node.get("message") for node in sampled])
    if not turns.texts:
        return make_failure(key, "the trace has no reply", sample=NEXT, model=model, null=True)
    asked = read_answered_question(data.get("content_hash"), question_of(data.get("prompt")))
    return make_prediction(key, turns, sample=NEXT, model=model, asked=asked)


def vlmevalkit(record: Record) -> list[Prediction]:
    """Return the prediction of a row of VLMEvalKit's tables."""
    key, value = key_of(record["index"], "index", "index"), record["prediction"]
    if value is None:
        return [make_failure(key, "prediction is null", null=True)]
    if isinstance(value, int | float):
        value = str(value)  # A cell with a number only is a number.
    if not isinstance(value, str):
        raise UnreadableRecord("prediction must be a string")
    question = question_of(record.get("question"), "column")
    return [
        make_prediction(
            key,
            ReplyTurns([value]),
            target=text_or_none(record.get("answer")),
            asked=read_answered_question(record.get("content_hash"), question),
        )
    ]
