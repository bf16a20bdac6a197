"""lmms-eval itself runs the generated tasks, with its own dummy model; its samples are scored."""

from __future__ import annotations

import pytest
from harnesses import run_lmms_eval, scripted_lmms_eval_model

pytestmark = pytest.mark.adapters


def sample_files(found, tmp_path):
    """Return the harness's own sample files."""
    from lmms_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(tmp_path / "logs"))
    tracker.general_config_tracker.model_name_sanitized = "m"
    tracker.date_id = "20260101_000000"
    for name, samples in found["samples"].items():
        tracker.save_results_samples(task_name=name, samples=samples)
    return sorted((tmp_path / "logs").rglob("*_samples_*.jsonl"))


def test_its_dummy_model_is_right_about_nothing(script, tmp_path, monkeypatch):
    task = "facelet_suite_face_recognition"
    found = run_lmms_eval(script, tmp_path, monkeypatch, "dummy", task)
    assert found["results"][task]["acc,none"] == found["results"][task]["strict_acc,none"] == 0
    assert {sample["filtered_resps"][0] for sample in found["samples"][task]} == {"A"}


@pytest.mark.parametrize("chats", [False, True])
def test_its_samples_score_as_they_are(chats, script, tmp_path, monkeypatch):
    model = scripted_lmms_eval_model(script, chats)
    found = run_lmms_eval(script, tmp_path, monkeypatch, model, "facelet_suite")
    files = sample_files(found, tmp_path)
    truth = script.truth(tmp_path / "live.jsonl")
    scored = script.scores(*files)
    assert len(files) == 2 and scored == {name: truth[name] for name in scored}
