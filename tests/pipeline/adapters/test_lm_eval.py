"""lm-evaluation-harness itself runs the generated tasks; its figures and samples are Facelet's."""

from __future__ import annotations

import base64
import json

import pytest
from scripted import WRONG

from facelet.pipeline.cli import main
from facelet.renderers.api import encode_png

pytestmark = pytest.mark.adapters


def model_of(script, shown):
    """Return a model of the harness that finds the row whose chat it is shown."""
    from lm_eval.api.model import LM

    replies = {}
    for chat, reply in script.replies.items():
        parts = [part for _, inside in chat for part in inside]
        urls = tuple(part for part in parts if part.startswith("data:image"))
        text = "\n\n".join("<image>" if part in urls else part for part in parts)
        replies[text, urls] = reply

    class Model(LM):
        MULTIMODAL = True

        def generate_until(self, requests, disable_tqdm=False):
            return [self.answer(*request.args) for request in requests]

        def answer(self, text, kwargs, pictures=None):
            shown.append((text, pictures))
            assert kwargs["until"] == []
            urls = [
                "data:image/png;base64," + base64.b64encode(encode_png(image)).decode()
                for image in (pictures or {"visual": []})["visual"]
            ]
            return replies[text, tuple(urls)]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError("these tasks generate")

        loglikelihood_rolling = loglikelihood

    return Model()


def evaluate(script, tmp_path, monkeypatch, model, tasks="facelet_suite"):
    import datasets
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    assert main(["harness", f"dataset={script.folder}", f"out={tmp_path / 'tasks'}"]) == 0
    manager = TaskManager(include_path=str(tmp_path / "tasks"), include_defaults=False)
    return simple_evaluate(
        model, tasks=[tasks], task_manager=manager, bootstrap_iters=0, log_samples=True
    )


def logged(found, tmp_path):
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
    found = evaluate(script, tmp_path, monkeypatch, model_of(script, shown))
    truth = script.truth(tmp_path / "live.jsonl")
    files = logged(found, tmp_path)
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
    found = evaluate(script, tmp_path, monkeypatch, "dummy", task)
    assert found["results"][task]["acc,none"] == found["results"][task]["strict_acc,none"] == 0
    assert script.scores(*logged(found, tmp_path))["suite.assemble_easy"]["accuracy"] == 0
