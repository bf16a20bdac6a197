"""Every format of prediction file, from logs as the programs write them."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import MAX_REPLY, UnreadableRecord
from facelet.pipeline.scoring.ingest.record_formats import FORMATS, FieldNames, detect_format
from facelet.pipeline.scoring.scorer import ScoreSettings, score

LOGS = Path(__file__).parent / "logs"
LM_EVAL = "samples_toy_letters_2026-11-20T10-11-12.131415.jsonl"

LM_EVAL_4 = "samples_toy_letters_2026-11-22T10-11-12.131415.jsonl"
"""Of lm-eval 0.4.13; inspect.eval is of inspect_ai 0.3.285, traces.jsonl of verifiers 0.4.0."""

# Every log speaks of the same four rows, whose right letters are A, B, C and D: it says A, it says
# D, it says nothing that could be an answer, and it fails (or, in a harness log, does not occur).
USUAL = ["correct", "wrong", "unparsed", "api_error"]
CASES = [
    ("native.jsonl", "native", "native", USUAL),
    ("openai_batch.jsonl", "openai batch", "gpt-4o-2024-08-06", USUAL),
    ("openai_responses.jsonl", "openai batch", "gpt-5-mini", USUAL),
    ("vllm_run_batch.jsonl", "openai batch", "Qwen/Qwen2.5-VL-7B-Instruct", USUAL),
    ("anthropic_batch.jsonl", "anthropic batch", "claude-sonnet-4-5", USUAL),
    ("inspect.json", "inspect_ai", "openai/gpt-4o", USUAL),
    (LM_EVAL, "lm-eval", "org__model", [*USUAL[:3], "missing"]),
    (f"by_number/{LM_EVAL}", "lm-eval", "by_number", [*USUAL[:3], "missing"]),
    (
        "20261120_101112_samples_facelet_toy_letters.jsonl",
        "lmms-eval",
        "org__model",
        [*USUAL[:3], "missing"],
    ),
    ("inspect.eval", "inspect_ai", "mockllm/model", [*USUAL[:3], "missing"]),
    (LM_EVAL_4, "lm-eval", "org__model", [*USUAL[:3], "missing"]),
    ("traces.jsonl", "verifiers traces", "org/model", [*USUAL[:3], "missing"]),
    ("verifiers.jsonl", "verifiers", "verifiers", [*USUAL[:3], "missing"]),
    ("vlmevalkit/ToyVLM_toy.letters.xlsx", "vlmevalkit", "ToyVLM", [*USUAL[:3], "missing"]),
    ("vlmevalkit/ToyVLM_toy.letters.tsv", "vlmevalkit", "ToyVLM", [*USUAL[:3], "missing"]),
    (
        "openai_batch_errors.jsonl",
        "openai batch",
        "openai_batch_errors",
        ["missing"] * 3 + ["api_error"],
    ),
    (
        "anthropic_batch_failures.jsonl",
        "anthropic batch",
        "anthropic_batch_failures",
        ["api_error", "api_error", "missing", "missing"],
    ),
]


def row_statuses(scores, model):
    """Return the status of each row of the only split, for one model."""
    (population,) = [p for p in scores.populations if p.model == model]
    names = list(scores.results["models"][0]["configs"]["toy.letters"]["splits"]["test"]["counts"])
    return [names[row.nonzero()[0][0]] for row in population.counts]


@pytest.mark.parametrize(("name", "form", "model", "expected"), CASES, ids=[c[0] for c in CASES])
def test_log(name, form, model, expected, publish, letter_rows, tmp_path):
    data = publish({"toy/letters": letter_rows(4)})
    path = tmp_path / ("by_number" if "by_number" in name else "org__model") / Path(name).name
    path.parent.mkdir()
    shutil.copy(LOGS / name, path)
    results = score(data, [path]).results
    (account,) = results["inputs"]
    assert list(account["formats"]) == [form]
    assert account["broken"] == account["unknown_ids"] == 0
    assert [found["model"] for found in results["models"]] == [model]
    scores = score(data, [path], ScoreSettings(model_from="file"))
    assert row_statuses(scores, scores.results["models"][0]["model"]) == expected


def test_rows_of_other_filters_are_counted_and_left_out(publish, letter_rows):
    data = publish({"toy/letters": letter_rows(4)})
    (account,) = score(data, [LOGS / LM_EVAL]).results["inputs"]
    assert (account["predictions"], account["other_filters"]) == (3, 3)


NATIVE = {"id": "x", "prediction": "A"}
REFUSED = [
    (["id"], "not a JSON object"),
    (7, "not a JSON object"),
    (None, "not a JSON object"),
    ({}, "no known prediction format; its keys are none"),
    ({"id": "x"}, "no known prediction format; its keys are 'id'"),
    ({"id": "x", "answer": "A"}, "no known prediction format"),
    ({**NATIVE, "id": 5}, "id must be a string"),
    ({**NATIVE, "id": ""}, "id must be a string"),
    ({**NATIVE, "id": "x" * 201}, "id must be a string"),
    ({**NATIVE, "id": None}, "id must be a string"),
    ({**NATIVE, "prediction": 3}, "prediction must be a string"),
    ({**NATIVE, "prediction": {"text": "A"}}, "prediction must be a string"),
    ({**NATIVE, "prediction": ["A", 3]}, "prediction must be a string"),
    ({**NATIVE, "sample_idx": -1}, "sample_idx must be a whole number"),
    ({**NATIVE, "sample_idx": 2**31}, "sample_idx must be a whole number"),
    ({**NATIVE, "sample_idx": 10**400}, "sample_idx must be a whole number"),
    ({**NATIVE, "sample_idx": True}, "sample_idx must be a whole number"),
    ({**NATIVE, "sample_idx": 1.0}, "sample_idx must be a whole number"),
    ({**NATIVE, "sample_idx": "1"}, "sample_idx must be a whole number"),
    ({"id": "x", "messages": "A"}, "messages is a string"),
    ({"id": "x", "messages": [{"content": "A"}]}, "a message has no role"),
    ({"id": "x", "messages": ["A"]}, "a message has no role"),
    ({"id": "x", "messages": [{"role": "assistant", "content": 3}]}, "content is a number"),
    ({"custom_id": "x", "response": {"body": {}}}, "response.body has no choices"),
    ({"custom_id": "x", "response": {"body": {"choices": []}}}, "response.body has no choices"),
    ({"custom_id": "x", "response": {"body": [1]}}, "response has no body"),
    ({"custom_id": "x", "response": {"body": {"choices": [1]}}}, "a choice is no object"),
    ({"custom_id": "x", "response": {"body": {"choices": [{}]}}}, "neither message nor text"),
    ({"custom_id": 3, "response": {}}, "custom_id must be a string"),
    ({"custom_id": "x", "result": {"type": "succeeded"}}, "result has no message"),
    ({"custom_id": "x", "result": "succeeded"}, "no known prediction format"),
    ({"doc_id": 0, "resps": [], "filter": "none"}, "resps contains no reply"),
    ({"doc_id": 0, "resps": [[["-1.5", "False"]]], "filter": "none"}, "log-likelihood"),
    ({"doc_id": "0", "resps": [["A"]], "filter": "none"}, "doc_id must be a whole number"),
    ({"doc_id": -1, "resps": [["A"]]}, "doc_id must be a whole number"),
    ({"id": "x", "epoch": 0.5, "output": {}}, "epoch must be a whole number"),
    ({"id": [1], "epoch": 1, "output": {}}, "id must be a string"),
]


@pytest.mark.parametrize(("record", "reason"), REFUSED)
def test_refused_records(record, reason):
    with pytest.raises(UnreadableRecord, match=reason.replace(".", r"\.").replace("'", ".")):
        list(detect_format(record).read(record))


def read_record(record):
    (prediction,) = detect_format(record).read(record)
    return prediction


def test_details_of_native_records():
    full = read_record({"id": "x", "prediction": "A", "model": "m", "sample_idx": 3, "note": [1]})
    assert (full.key, full.replies, full.model, full.sample) == ("x", ("A",), "m", 3)
    assert read_record({"id": "x", "prediction": ["a", "b"]}).replies == ("a", "b")
    assert read_record({"id": "x", "prediction": ""}).replies == ("",)
    assert read_record({"id": "x", "prediction": None}).failure == "prediction is null"
    assert read_record({"id": "x", "prediction": "A", "error": "timeout"}).failure == "timeout"
    assert read_record({"id": "x", "prediction": "A", "error": None}).failure is None
    assert read_record({"id": "x", "prediction": "A", "model": 7}).model is None
    turns = [{"role": "user", "content": 1}, {"role": "assistant", "content": None}]
    assert read_record({"id": "x", "messages": turns}).replies == ("",)


def test_several_choices_and_repeats_are_samples():
    choices = [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]
    record = {"custom_id": "x", "response": {"status_code": 200, "body": {"choices": choices}}}
    assert {p.sample: p.replies for p in detect_format(record).read(record)} == {
        1: ("b",),
        0: ("a",),
    }
    record = {"doc_id": 5, "resps": [["a", "b"]], "filter": "none"}
    assert [(p.key, p.sample, p.replies) for p in detect_format(record).read(record)] == [
        (5, 0, ("a",)),
        (5, 1, ("b",)),
    ]


def test_completions_and_bodies_without_a_wrapper():
    record = {"custom_id": "x", "response": {"choices": [{"text": "A"}], "model": "m"}}
    assert (read_record(record).replies, read_record(record).model) == (("A",), "m")


def test_inspect_epochs_transcripts_and_missing_output():
    messages = [
        {"role": "assistant", "content": "draft: B"},
        {"role": "user", "content": "sure?"},
        {"role": "assistant", "content": "A"},
    ]
    full = read_record({"id": "x", "epoch": 3, "messages": messages, "output": {"completion": "A"}})
    assert (full.sample, full.replies, full.final) == (2, ("draft: B", "A"), "A")
    bare = read_record({"id": "x", "epoch": 1, "messages": messages})
    assert bare.final == "A"
    choices = {"choices": [{"message": {"content": [{"type": "text", "text": "C"}]}}]}
    assert read_record({"id": "x", "epoch": 1, "output": choices}).final == "C"
    assert read_record({"id": "x", "epoch": 1, "output": {}}).failure == "the sample has no output"
    assert read_record({"id": 4, "epoch": 1, "output": {"completion": "A"}}).key == 4


def test_texts_that_cannot_be_written_are_made_writable():
    prediction = read_record({"id": "x\ud800", "prediction": "A\udfff\u00e9", "model": "m\ud800"})
    assert prediction.key == "x\\ud800" and prediction.replies == ("A?\u00e9",)
    assert prediction.model == "m\\ud800"


def test_long_replies_keep_their_tail():
    prediction = read_record({"id": "x", "prediction": "z" * MAX_REPLY + "tail"})
    assert prediction.cut and len(prediction.replies[0]) == MAX_REPLY
    assert prediction.replies[0].endswith("ztail")
    assert not read_record({"id": "x", "prediction": "z" * MAX_REPLY}).cut


def test_a_record_is_of_one_format_only():
    samples = [
        {"id": "x", "prediction": "A"},
        {"id": "x", "messages": []},
        {"custom_id": "x", "response": {}, "error": None, "id": "y"},
        {"custom_id": "x", "result": {"type": "expired"}},
        {"doc_id": 1, "resps": [], "filter": "none"},
        {"doc_id": 1, "filtered_resps": []},
        {"id": "x", "epoch": 1, "output": {}, "messages": []},
        {"example_id": 1, "prompt": [], "completion": [], "info": {}},
        {"id": "x", "task": {}, "traces": []},
        {"index": 1, "question": "", "prediction": "A"},
    ]
    for record in samples:
        assert sum(form.matches(record) for form in FORMATS) == 1, record


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda data: pa.compress(data, "zstd", asbytes=True)]
)
@pytest.mark.parametrize(
    "name", ["native.jsonl", "inspect.json", "vlmevalkit/ToyVLM_toy.letters.tsv"]
)
def test_every_text_may_be_packed(name, pack, publish, letter_rows, tmp_path):
    data = publish({"toy/letters": letter_rows(4)})
    found = []
    for number, change in enumerate((bytes, pack, lambda raw: pack(raw) + pack(b""))):
        path = tmp_path / str(number) / Path(name).name
        path.parent.mkdir()
        path.write_bytes(change((LOGS / name).read_bytes()))
        (account,) = score(data, [path]).results["inputs"]
        found.append((account["formats"], account["predictions"], account["broken"]))
    assert found[0][1] > 2 and found[0] == found[1] == found[2]


def test_a_damaged_member_of_a_log_costs_that_member_only(tmp_path):
    raw = bytearray((LOGS / "inspect.eval").read_bytes())
    place = raw.index(b"samples/toy.letters/d02/000001")
    raw[place + 100] ^= 255
    path = tmp_path / "log.eval"
    path.write_bytes(raw)
    first, second, third = (located.value for located in read_records(path))
    assert isinstance(second, UnreadableRecord) and "000001_epoch_1.json" in str(second)
    assert first["id"].endswith("000000") and third["id"].endswith("000002")


FIELDS = [
    (
        '{"row": {"key": "%s"}, "out": {"text": "Answer: A"}, "by": "m"}',
        ("row.key", "out.text", "by"),
    ),
    ('{"key": "%s", "out.text": ["Answer: A"]}', ("key", "out.text", "")),
    ('{"id": "%s", "chat": [{"role": "assistant", "content": "Answer: A"}]}', ("", "chat", "")),
    ('key,said\n%s,"Answer: A"', ("key", "said", "")),
    ("key;said;who\n%s;Answer: A;m", ("key", "said", "who")),
]


@pytest.mark.parametrize(("text", "names"), FIELDS)
def test_fields_of_other_kinds_are_named(text, names, publish, letter_rows, tmp_path):
    data = publish({"toy/letters": letter_rows(4)})
    path = tmp_path / "p.txt"
    path.write_text(text % "toy.letters/d01/000000" + "\n")
    scores = score(data, [path], ScoreSettings(fields=FieldNames(*names)))
    assert scores.results["inputs"][0]["formats"] == {"fields": 1}
    model = "m" if names[2] else "p.txt"
    assert row_statuses(scores, model) == ["correct", "missing", "missing", "missing"]


def test_a_field_that_is_not_there_is_named(publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(4)})
    with pytest.raises(ValueError, match=r"the record has no field a\.b"):
        score(data, [jsonl([{"id": "x"}])], ScoreSettings(fields=FieldNames(text="a.b")))


def test_samples_of_a_file_that_numbers_none_are_counted(publish, letter_rows, tmp_path):
    data = publish({"toy/letters": letter_rows(4)})
    path = tmp_path / "results.jsonl"
    path.write_text((LOGS / "verifiers.jsonl").read_text() * 3)
    (population,) = score(data, [path]).populations
    assert population.samples == 3 and population.is_correct.sum() == 3
