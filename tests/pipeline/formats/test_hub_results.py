"""Files for model cards: the Hub's own reader takes them, and they say what was scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from facelet.pipeline.cli import main
from facelet.pipeline.formats import hub_results


def test_the_hub_reads_what_was_scored(publish: Any, tmp_path: Path) -> None:
    data = publish("jigsaw/assemble_easy")
    lines = [
        {"id": row, "model": "a/b", "prediction": replies if number else ["I do not know."]}
        for number, (row, replies) in enumerate(data.references.items())
    ]
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "out"
    words = [f"dataset={data.folder}", f"predictions={predictions}", f"out={out}", "verify=false"]
    assert main(["score", *words, "export=hub_results", "hub=org/facelet"]) == 0
    path = out / "hub_results" / "a--b" / ".eval_results" / "org--facelet.yaml"
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text()))
    right = 100 * (len(lines) - 1) / len(lines)
    assert (entry.dataset_id, entry.task_id) == ("org/facelet", "suite.assemble_easy")
    assert entry.value == pytest.approx(right, abs=0.01)
    assert entry.notes is not None and f"{len(lines)} items; 95% interval " in entry.notes
    with pytest.raises(ValueError, match="is not a dataset of the Hub"):
        hub_results.export_results(out, "facelet", out)
