"""Every Eval Ever: what is written is valid under its own schemas, and says what was scored.

The schemas are those of its package, version 0.3.0 (MIT licence, EvalEval).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from facelet.pipeline.cli import main

SCHEMAS = Path(__file__).parents[2] / "data" / "every_eval_ever"

KINDS = (
    ("jigsaw/assemble_easy", "single_turn"),
    ("arcade/bit_query", "multi_turn"),
    ("cube/navigate", "agentic"),
)


def validate_record(record: dict[str, Any], schema: str) -> dict[str, Any]:
    told = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))
    Draft202012Validator(told).validate(record)
    return record


@pytest.mark.parametrize(("task", "kind"), KINDS)
def test_it_is_valid_and_says_what_was_scored(
    task: str, kind: str, publish: Any, tmp_path: Path
) -> None:
    data = publish(task)
    usage = [{"prompt_tokens": 9, "completion_tokens": 4}]
    right, wrong, *_ = data.references
    records = [
        {"id": right, "model": "a/b c", "prediction": data.references[right], "usage": usage},
        {"id": wrong, "model": "a/b c", "prediction": "I do not know. <ANSWER>Z</ANSWER>"},
    ]
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("".join(json.dumps(record) + "\n" for record in records))
    out = tmp_path / "out"
    words = [f"dataset={data.folder}", f"predictions={predictions}", f"out={out}"]
    assert main(["score", *words, "export=every_eval_ever", "missing=ignore", "verify=false"]) == 0
    (path,) = (out / "every_eval_ever" / "data").glob("*/a/b-c/*.json")
    aggregate = validate_record(json.loads(path.read_text()), "eval.schema.json")
    (result,) = aggregate["evaluation_results"]
    assert result["score_details"]["score"] == 0.5
    assert result["score_details"]["details"]["task"] == task
    details = aggregate["detailed_evaluation_results"]
    sheet = out / "every_eval_ever" / details["file_path"]
    assert sheet == path.with_name(f"{path.stem}_samples.jsonl")
    assert hashlib.sha256(sheet.read_bytes()).hexdigest() == details["checksum"]
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert len(lines) == details["total_rows"] == 2
    samples = {
        line["sample_id"]: validate_record(line, "instance_level_eval.schema.json")
        for line in lines
    }
    good, bad = samples[right], samples[wrong]
    assert good["interaction_type"] == bad["interaction_type"] == kind
    assert good["evaluation"]["is_correct"] and not bad["evaluation"]["is_correct"]
    assert good["token_usage"] == {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}
    for sample, said in ((good, data.references[right]), (bad, [records[1]["prediction"]])):
        (where,) = sample["answer_attribution"]
        start, end = map(int, where["source"].rpartition("characters ")[2].split(" to "))
        assert said[where["turn_idx"]][start:end] == where["extracted_value"]
        if kind != "single_turn":
            told = [m["content"] for m in sample["messages"] if m["role"] == "assistant"]
            assert told == said[: len(told)] and told


def test_a_sample_that_is_not_valid_is_found_out() -> None:
    with pytest.raises(Exception, match="required property"):
        validate_record({"schema_version": "0.3.0"}, "instance_level_eval.schema.json")
