"""Cut, filtered, null and empty replies are counted apart, whatever format says so."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
import score_verb as cli

from facelet.pipeline.scoring.grade.graded_columns import ReplyEndings
from facelet.pipeline.scoring.ingest.finish_reasons import normalize_reason
from facelet.pipeline.scoring.render import figure_tables, markdown
from facelet.pipeline.scoring.scorer import ScoreSettings, score

ID = "toy.letters/d01/000000"
TEXT = "Answer: A"


def choice_record(text, ended, **more):
    return {"index": 0, "finish_reason": ended, "message": {"content": text, **more}}


def openai(*choices):
    return {"custom_id": ID, "response": {"body": {"choices": list(choices)}}}


def responses_record(content, **more):
    output = [{"type": "message", "role": "assistant", "content": content}]
    return {"custom_id": ID, "response": {"body": {"output": output, **more}}}


def anthropic(content, ended):
    message = {"content": content, "stop_reason": ended}
    return {"custom_id": ID, "result": {"type": "succeeded", "message": message}}


def gemini(parts, ended):
    content = {"role": "model", "parts": parts}
    return {"key": ID, "response": {"candidates": [{"content": content, "finishReason": ended}]}}


def inspect_sample(text, ended):
    message = {"role": "assistant", "content": text}
    output = {"choices": [{"message": message, "stop_reason": ended}], "completion": text}
    chat = [{"role": "user", "content": ""}, message]
    return {"id": ID, "epoch": 1, "output": output, "messages": chat}


def harness(reply, **more):
    return {"doc_id": 0, "doc": {"id": ID}, "resps": [[reply]], "filter": "none", **more}


def trace_record(message):
    task = {"data": {"id": ID}}
    return {
        "task": {},
        "traces": [{"task": task, "nodes": [{"sampled": True, "message": message}]}],
    }


SAID = [{"type": "output_text", "text": TEXT}]
LIMIT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
HELD = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
BLOCKED = {"key": ID, "response": {"promptFeedback": {"blockReason": "SAFETY"}}}

# A record, then how many of its replies are told, cut, filtered, null, empty.
CASES = {
    "plain": ({"id": ID, "prediction": TEXT}, (0, 0, 0, 0, 0)),
    "plain stop": ({"id": ID, "prediction": TEXT, "finish_reason": "stop"}, (1, 0, 0, 0, 0)),
    "plain cut": ({"id": ID, "prediction": TEXT, "finish_reason": "length"}, (1, 1, 0, 0, 0)),
    "plain null": ({"id": ID, "prediction": None}, (0, 0, 0, 1, 0)),
    "plain null, cut": (
        {"id": ID, "prediction": None, "finish_reason": "length"},
        (1, 1, 0, 1, 0),
    ),
    "plain empty": ({"id": ID, "prediction": ""}, (0, 0, 0, 0, 1)),
    "plain blank": ({"id": ID, "prediction": " \n"}, (0, 0, 0, 0, 1)),
    "plain list of null": ({"id": ID, "prediction": [None]}, (0, 0, 0, 1, 0)),
    "no turns": ({"id": ID, "prediction": []}, (0, 0, 0, 1, 0)),
    "plain done_reason": ({"id": ID, "prediction": TEXT, "done_reason": "length"}, (1, 1, 0, 0, 0)),
    "a reason that is no text": ({"id": ID, "prediction": TEXT, "finish_reason": 3}, (0,) * 5),
    "an error": ({"id": ID, "error": "429"}, (0, 0, 0, 0, 0)),
    "transcript": (
        {
            "id": ID,
            "messages": [{"role": "assistant", "content": None}],
            "finish_reasons": ["length"],
        },
        (1, 1, 0, 1, 0),
    ),
    "message": (
        {"id": ID, "messages": [{"role": "assistant", "content": TEXT, "finish_reason": "length"}]},
        (1, 1, 0, 0, 0),
    ),
    "openai cut": (openai(choice_record(TEXT, "length")), (1, 1, 0, 0, 0)),
    "openai filtered": (openai(choice_record(None, "content_filter")), (1, 0, 1, 1, 0)),
    "openai refusal": (openai(choice_record(None, "stop", refusal="No.")), (1, 0, 1, 1, 0)),
    "openai empty": (openai(choice_record("", "stop")), (1, 0, 0, 0, 1)),
    "openai null, cut": (openai(choice_record(None, "length")), (1, 1, 0, 1, 0)),
    "vllm": (openai(choice_record(TEXT, "length", reasoning_content="so")), (1, 1, 0, 0, 0)),
    "completions": (openai({"text": TEXT, "finish_reason": "length"}), (1, 1, 0, 0, 0)),
    "responses": (responses_record(SAID, status="completed"), (1, 0, 0, 0, 0)),
    "responses cut": (responses_record(SAID, **LIMIT), (1, 1, 0, 0, 0)),
    "responses filtered": (responses_record(SAID, **HELD), (1, 0, 1, 0, 0)),
    "responses refusal": (
        responses_record([{"type": "refusal", "refusal": "No."}], status="completed"),
        (1, 0, 1, 0, 1),
    ),
    "responses null": (
        {"custom_id": ID, "response": {"body": {"output": [{"type": "reasoning"}], **LIMIT}}},
        (1, 1, 0, 1, 0),
    ),
    "anthropic cut": (anthropic([{"type": "text", "text": TEXT}], "max_tokens"), (1, 1, 0, 0, 0)),
    "anthropic refusal": (anthropic([], "refusal"), (1, 0, 1, 1, 0)),
    "anthropic context": (anthropic(TEXT, "model_context_window_exceeded"), (1, 1, 0, 0, 0)),
    "gemini": (gemini([{"text": TEXT}], "STOP"), (1, 0, 0, 0, 0)),
    "gemini cut": (gemini([{"text": TEXT}], "MAX_TOKENS"), (1, 1, 0, 0, 0)),
    "gemini filtered": (gemini([], "SAFETY"), (1, 0, 1, 1, 0)),
    "gemini prompt": (BLOCKED, (1, 0, 1, 1, 0)),
    "inspect cut": (inspect_sample(TEXT, "max_tokens"), (1, 1, 0, 0, 0)),
    "inspect context": (inspect_sample(TEXT, "model_length"), (1, 1, 0, 0, 0)),
    "inspect filtered": (inspect_sample("", "content_filter"), (1, 0, 1, 0, 1)),
    "inspect unknown": (inspect_sample(TEXT, "unknown"), (0, 0, 0, 0, 0)),
    "lm-eval": (harness(TEXT), (0, 0, 0, 0, 0)),
    "lm-eval null": (harness(None), (0, 0, 0, 1, 0)),
    "lm-eval cut": (harness(TEXT, finish_reason="length"), (1, 1, 0, 0, 0)),
    "verifiers": (
        {"example_id": 0, "info": {"id": ID}, "completion": TEXT, "is_truncated": True},
        (1, 1, 0, 0, 0),
    ),
    "traces": (trace_record({"role": "assistant", "content": None}), (0, 0, 0, 1, 0)),
    "traces cut": (
        trace_record({"role": "assistant", "content": TEXT, "finish_reason": "length"}),
        (1, 1, 0, 0, 0),
    ),
}
NAMES = ("reason_told", "cut", "filtered", "null", "empty")


@pytest.mark.parametrize("case", CASES)
def test_every_format_says_how_a_reply_ended(case, publish, letter_rows, jsonl):
    record, expected = CASES[case]
    data = publish({"toy/letters": letter_rows(1)})
    path = jsonl([record])
    results = score(data, [path]).results
    assert results["inputs"][0]["broken"] == 0, results["inputs"][0]["broken_examples"]
    (model,) = results["models"]
    assert tuple(model["replies"][name] for name in NAMES) == expected
    assert model["replies"]["replies"] == (0 if "error" in record else 1)
    split = model["configs"]["toy.letters"]["splits"]["test"]
    assert split["replies"] == model["replies"]
    # The verdict is that of the text alone.
    right = json.dumps(record).count(TEXT) > 0
    assert split["counts"]["correct"] == right
    assert split["cells"][0]["figures"]["accuracy"]["value"] == right


def test_replies_of_a_play_are_counted_one_by_one(publish, jsonl, tmp_path, capsys):
    data = publish({"toy/turns": [{}, {}, {}]})
    name = "toy.turns/d01/{:06d}".format
    records = [
        {"id": name(0), "prediction": ["ping", "pong"], "finish_reasons": ["stop", "length"]},
        {"id": name(1), "prediction": ["ping", None], "finish_reasons": [None, "length", "x"]},
        {"id": name(2), "prediction": ["", "pong"], "finish_reason": "SAFETY"},
        # A duplicate is not judged, and not counted.
        {"id": name(2), "prediction": ["", ""], "finish_reason": "length"},
    ]
    out = tmp_path / "out"
    records = [*records[2:], *records[:2]]  # in another order than the rows
    words = [f"dataset={data}", f"predictions={jsonl(records)}", f"out={out}"]
    assert cli.run_score([*words, "duplicates=first"]) == 0
    (model,) = json.loads((out / "results.json").read_text())["models"]
    counts = {"replies": 6, "reason_told": 4, "cut": 2, "filtered": 1, "null": 1, "empty": 1}
    counts["damaged"] = 0
    assert model["replies"] == counts
    said = capsys.readouterr().out
    row = "| all       | 6       | 4           | 2   | 1        | 1    | 1     | 0       |"
    assert row in (out / "tables.md").read_text()
    assert "of 6 replies 2 cut, 1 filtered, 1 null, 1 empty (4 say why they ended)" in said
    items = pq.read_table(out / "items.parquet").to_pylist()
    assert [item["finish_reasons"] for item in items] == [
        ["stop", "length"], ["", "length"], ["", "SAFETY"], []
    ]  # fmt: skip
    assert [item["replies_cut"] for item in items] == [1, 1, 0, None]
    assert [item["replies_null"] for item in items] == [0, 1, 0, None]


def test_counts_are_by_config_and_in_total(publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(2), "toy/turns": [{}]})
    records = [
        {"id": ID, "prediction": TEXT, "finish_reason": "length"},
        {"id": "toy.turns/d01/000000", "prediction": ["ping", ""], "finish_reason": "length"},
    ]
    (model,) = score(data, [jsonl(records)]).results["models"]
    each = [split["splits"]["test"]["replies"] for split in model["configs"].values()]
    assert [one["cut"] for one in each] == [1, 1]
    assert model["replies"]["cut"] == 2 and model["replies"]["replies"] == 3


@pytest.mark.parametrize(
    ("ended", "line"),
    [
        ([None, None], "of 2 replies none is null or empty; none says whether it was cut"),
        (["stop", None], "of the 1 that say why they ended, none is cut or filtered"),
        (["stop", "stop"], "of 2 replies none is null or empty; none is cut or filtered"),
    ],
)
def test_the_summary_says_what_is_not_known(ended, line, publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(2)})
    records = [
        {"id": f"toy.letters/d{n + 1:02d}/{n:06d}", "prediction": TEXT, "finish_reason": why}
        for n, why in enumerate(ended)
    ]
    results = score(data, [jsonl(records)]).results
    assert line in markdown.render_summary(results)
    assert "How replies ended" in figure_tables.render_tables(results)


def test_failures_that_name_no_model_keep_their_reason(publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(2)})
    records = [
        {"id": "toy.letters/d02/000001", "prediction": TEXT, "model": "m"},
        {"id": ID, "prediction": None, "finish_reason": "content_filter"},
    ]
    (model,) = score(data, [jsonl(records)]).results["models"]
    assert (model["replies"]["null"], model["replies"]["filtered"]) == (1, 1)


def test_a_final_answer_has_the_last_reason(publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(1)})
    record = inspect_sample(TEXT, "max_tokens")
    record["messages"] = [{"role": "assistant", "content": None}, *record["messages"]]
    (model,) = score(data, [jsonl([record])], ScoreSettings()).results["models"]
    counts = {"replies": 1, "reason_told": 1, "cut": 1, "filtered": 0, "null": 0, "empty": 0}
    counts["damaged"] = 0
    assert model["replies"] == counts


def test_an_episode_of_inspect_has_a_reason_a_reply(publish, jsonl):
    data = publish({"toy/turns": [{}]})
    kept = {"facelet_replies": ["ping", ""], "facelet_finish_reasons": ["max_tokens", "stop"]}
    record = {**inspect_sample("", "stop"), "id": "toy.turns/d01/000000", "metadata": kept}
    (model,) = score(data, [jsonl([record])]).results["models"]
    counts = {"replies": 2, "reason_told": 2, "cut": 1, "filtered": 0, "null": 0, "empty": 1}
    counts["damaged"] = 0
    assert model["replies"] == counts


def test_words_of_strangers_are_bounded(publish, letter_rows, jsonl):
    assert (
        normalize_reason("x" * 1000) == "x" * 40
        and normalize_reason("Unknown") == ""
        and normalize_reason(["stop"]) == ""
    )
    data = publish({"toy/letters": letter_rows(1)})
    records = [
        {"id": ID, "prediction": TEXT, "sample_idx": n, "finish_reason": f"why {n}"}
        for n in range(400)
    ]
    scores = score(data, [jsonl(records)])
    ledger = scores.populations[0].settled.ledger
    assert len(ledger.endings.words) <= 256
    assert scores.results["models"][0]["replies"]["reason_told"] == 400
    assert all(isinstance(one, ReplyEndings) for one in ledger.endings.distinct_endings())
