"""lm-evaluation-harness itself runs the generated tasks; its figures and samples are Facelet's."""

from __future__ import annotations

import json

import pytest
from harnesses import run_lm_eval, scripted_lm_eval_model
from scripted import WRONG

pytestmark = pytest.mark.adapters


def sample_files(found, tmp_path):
    """Return the harness's own sample files."""
    from lm_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(tmp_path / "logs"))
    tracker.general_config_tracker.model_name_sanitized = "m"
    tracker.date_id = "2026-01-01T00-00-00.000000"
    for name, samples in found["samples"].items():
        tracker.save_results_samples(task_name=name, samples=samples)
    return sorted((tmp_path / "logs").rglob("samples_*.jsonl"))


def test_figures_are_those_of_the_scorer(script, tmp_path, monkeypatch):
    shown = []
    model = scripted_lm_eval_model(script, shown)
    found = run_lm_eval(script, tmp_path, monkeypatch, model, "facelet_suite")
    truth = script.truth(tmp_path / "live.jsonl")
    files = sample_files(found, tmp_path)
    scored = script.scores(*files)
    assert len(files) == len(scored) == 2 and any(pictures for _, pictures in shown)
    for config, figures in scored.items():
        task = "facelet_" + config.replace(".", "_")
        assert found["results"][task]["acc,none"] == figures["accuracy"]
        assert figures == truth[config]
    assert {figures["accuracy"] > 0 for figures in scored.values()} == {True}
    ids = [json.loads(line)["doc"]["id"] for path in files for line in path.open()]
    assert len(ids) == len(set(ids)) == len(shown)
    assert WRONG in {found["samples"][name][1]["resps"][0][0] for name in found["samples"]}


def test_the_dummy_model_of_the_harness_is_right_about_nothing(script, tmp_path, monkeypatch):
    task = "facelet_suite_assemble_easy"
    found = run_lm_eval(script, tmp_path, monkeypatch, "dummy", task)
    assert found["results"][task]["acc,none"] == found["results"][task]["strict_acc,none"] == 0
    assert script.scores(*sample_files(found, tmp_path))["suite.assemble_easy"]["accuracy"] == 0
