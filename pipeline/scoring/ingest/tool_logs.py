"""Read predictions from the logs of evaluation tools.

Sources: the sample logs of lm-eval and lmms-eval, the log schema of inspect_ai, the results and
traces of verifiers, the tables of VLMEvalKit, the details of lighteval.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from facelet.pipeline.scoring.ingest.asked_questions import (
    AnsweredQuestion,
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
    bound_replies,
    content_text,
    make_failure,
    make_prediction,
    model_of,
    name_of,
    sample_of,
)

REPLIES = "facelet_replies"
"""Name under which a log's metadata hold all replies of an episode, also those of earlier chats."""


REASONS = "facelet_finish_reasons"
"""Name under which a log's metadata say why each of these replies ended."""


def _document(record: Record) -> str | int:
    doc = record.get("doc")
    if isinstance(doc, Mapping) and isinstance(doc.get("id"), str):
        return name_of(doc["id"], "doc.id")
    return sample_of(record["doc_id"], "doc_id")


def harness(record: Record) -> Iterator[Prediction]:
    """Return what a sample of lm-eval or lmms-eval says, a prediction for each repeat."""
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
        raise UnreadableRecord("resps holds no reply")
    if not all(reply is None or isinstance(reply, str) for reply in replies):
        raise UnreadableRecord(
            "resps holds no text; log-likelihood runs cannot be replayed, use generate_until"
        )
    key = _document(record)
    target, asked = _about(record)
    for sample, reply in enumerate(replies):
        turn = ReplyTurns([reply or ""], int(reply is None))
        yield make_prediction(key, turn, sample=sample, target=target, asked=asked)


def _about(record: Record) -> tuple[str | None, AnsweredQuestion | None]:
    """Return the answer key and the question that a harness log has for a document."""
    doc = record.get("doc")
    doc = doc if isinstance(doc, Mapping) else {}
    target = doc.get("gold", record.get("target"))
    sent: object = record.get("input")
    arguments = record.get("arguments")
    if isinstance(arguments, Mapping):
        first = next(iter(arguments.values()), None)
        sent = first.get("arg_0") if isinstance(first, Mapping) else sent
    elif isinstance(arguments, list) and arguments and isinstance(arguments[0], list | str):
        first = arguments[0]
        sent = first if isinstance(first, str) else next(iter(first), None)
    questions = question_of(doc.get("messages")), question_of(sent, "rendered")
    asked = read_answered_question(doc.get("content_hash"), *questions)
    return target if isinstance(target, str) else None, asked


def lighteval(record: Record) -> Iterator[Prediction]:
    """Return what a row of lighteval's details says, a prediction for each sample.

    The row that was asked goes along in the question, as our tasks for it put it there.
    """
    doc, response = record["doc"], record["model_response"]
    about = doc.get("specific") if isinstance(doc, Mapping) else None
    if not isinstance(about, Mapping) or not isinstance(response, Mapping):
        raise UnreadableRecord("doc.specific holds no id: these are no tasks of facelet harness")
    key = name_of(about.get("id"), "doc.specific.id")
    replies = response.get("text")
    if not isinstance(replies, list) or not replies:
        yield make_failure(key, "model_response holds no text", null=True)
        return
    target, asked = _about({"doc": _object(about.get("row"))})
    for sample, reply in enumerate(replies):
        if reply is not None and not isinstance(reply, str):
            raise UnreadableRecord("model_response.text holds no text")
        turn = ReplyTurns([reply or ""], int(reply is None))
        yield make_prediction(key, turn, sample=sample, target=target, asked=asked)


def _object(value: object) -> Record:
    """Return an object, which may stand in a text as JSON; an empty one for anything else."""
    try:
        held = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        held = None
    return held if isinstance(held, Mapping) else {}


def inspect(record: Record) -> Iterator[Prediction]:
    """Return what a sample of an inspect_ai log says."""
    key = record["id"]
    key = sample_of(key, "id") if type(key) is int else name_of(key, "id")
    epoch = sample_of(record.get("epoch", 1), "epoch")
    output = record.get("output")
    output = output if isinstance(output, Mapping) else {}
    sample = max(epoch - 1, 0)
    model = model_of(record.get("model")) or model_of(output.get("model"))
    if record.get("error") or output.get("error"):
        yield make_failure(
            key, record.get("error") or output.get("error"), sample=sample, model=model
        )
        return
    final, ended = output.get("completion"), reason_in(output)
    choices = output.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        ended = ended or reason_in(choices[0])
        message = choices[0].get("message")
        if not isinstance(final, str):
            final = content_text(message.get("content")) if isinstance(message, Mapping) else None
    said_so = assistant_turns(record.get("messages") or [])
    turns, nulls = said_so.texts, said_so.nulls
    if not isinstance(final, str):
        if not turns:
            yield make_failure(
                key, "the sample has no output", sample=sample, model=model, null=True
            )
            return
        final = turns[-1]
    attached = record.get("attachments")
    apart = attached if isinstance(attached, Mapping) else {}
    final = resolve_attachment(final, apart)
    turns = [resolve_attachment(turn, apart) for turn in turns]
    (final,), cut = bound_replies([final])
    texts, turns_cut = bound_replies(turns or [final])
    target, about = record.get("target"), record.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    said = about.get(REPLIES)
    if isinstance(said, list) and said and all(isinstance(text, str) for text in said):
        texts, turns_cut = bound_replies([resolve_attachment(text, apart) for text in said])
        final, nulls = None, 0
    questions = [question_of(record.get("input"), attached=apart)]
    if final is not None:
        # A solver may have changed what was asked; of an episode, these are the last chat only.
        questions.append(question_of(record.get("messages"), attached=apart))
    reasons = (*[""] * (len(texts) - 1), ended)
    kept = about.get(REASONS)
    if isinstance(kept, list) and len(kept) == len(texts):
        reasons = tuple(map(normalize_reason, kept))
    yield Prediction(
        key,
        texts,
        sample,
        model,
        final=final,
        target=target if isinstance(target, str) and target else None,
        cut=cut or turns_cut,
        asked=read_answered_question(about.get("content_hash"), *questions),
        reasons=reasons if any(reasons) else (),
        nulls=nulls,
    )


def verifiers(record: Record) -> Prediction:
    """Return what a saved result of verifiers says."""
    about = _object(record.get("info"))
    key = about.get("id", record.get("example_id"))
    key = sample_of(key, "example_id") if type(key) is int else name_of(key, "info.id")
    completion = record["completion"]
    target = record.get("answer")
    turns = ReplyTurns([completion]) if isinstance(completion, str) else assistant_turns(completion)
    questions = (
        question_of(record.get("prompt")),
        question_of(None if isinstance(completion, str) else completion),
    )
    return make_prediction(
        key,
        turns,
        sample=NEXT,
        model=model_of(record.get("model")),
        target=target if isinstance(target, str) else None,
        asked=read_answered_question(about.get("content_hash"), *questions),
    )


def traces(record: Record) -> Iterator[Prediction]:
    """Return what an episode of verifiers 0.4 says, a prediction for each trace."""
    # An episode of verifiers 0.4 holds the traces of its agents; a trace, a graph of messages.
    found = record["traces"]
    for trace in found if isinstance(found, list) else ():
        task = trace.get("task") if isinstance(trace, Mapping) else None
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping) or not isinstance(trace.get("nodes"), list):
            raise UnreadableRecord("a trace has no task, data or nodes")
        key = name_of(data["id"], "task.data.id") if data.get("id") else data.get("idx")
        key = key if isinstance(key, str) else sample_of(key, "task.data.idx")
        agent = trace.get("agent")
        config = agent.get("config") if isinstance(agent, Mapping) else None
        model = model_of(config.get("model")) if isinstance(config, Mapping) else None
        nodes = [node for node in trace["nodes"] if isinstance(node, Mapping)]
        turns = assistant_turns([node.get("message") for node in nodes if node.get("sampled")])
        if not turns.texts:
            yield make_failure(key, "the trace has no reply", sample=NEXT, model=model, null=True)
            continue
        asked = read_answered_question(data.get("content_hash"), question_of(data.get("prompt")))
        yield make_prediction(key, turns, sample=NEXT, model=model, asked=asked)


def vlmevalkit(record: Record) -> Prediction:
    """Return what a row of VLMEvalKit's tables says."""
    key = record["index"]
    key = sample_of(key, "index") if type(key) is int else name_of(key, "index")
    value = record["prediction"]
    if value is None:
        return make_failure(key, "prediction is null", null=True)
    if isinstance(value, int | float):
        value = str(value)  # A cell that holds a number only is a number.
    if not isinstance(value, str):
        raise UnreadableRecord("prediction must be a string")
    target = record.get("answer")
    return make_prediction(
        key,
        [value],
        target=target if isinstance(target, str) and target else None,
        asked=read_answered_question(
            record.get("content_hash"), question_of(record.get("question"), "column")
        ),
    )
