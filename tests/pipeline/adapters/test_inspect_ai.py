"""inspect_ai, with its own mock model: what it shows, logs and scores is Facelet's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from doors import log_figures, mock_model
from scripted import WRONG

pytestmark = pytest.mark.adapters


def evaluate_script(script, tmp_path, name="suite", **more):
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import build_task

    (log,) = run(
        build_task(name, str(script.folder), **more),
        model=mock_model(script),
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def test_figures_are_those_of_the_scorer(script, tmp_path):
    log = evaluate_script(script, tmp_path)
    truth = script.truth(tmp_path / "live.jsonl")
    found = log_figures(log)
    assert {name: found[name] for name in truth} == {
        name: config["accuracy"] for name, config in truth.items()
    }
    assert 0 < min(found[name] for name in ("suite.act", "suite.reflection", "all"))
    (path,) = (tmp_path / "logs").glob("*.eval")
    assert script.scores(path) == truth


def test_a_solver_of_ones_own_is_scored_too(script, tmp_path):
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.solver import generate

    from facelet.pipeline.adapters.inspect_ai import build_task

    whole = build_task("suite.assemble_easy", str(script.folder))
    other = Task(dataset=whole.dataset, solver=generate(), scorer=whole.scorer)
    (log,) = run(other, model=mock_model(script), log_dir=str(tmp_path), display="none")
    accuracy = script.truth(tmp_path / "live.jsonl")["suite.assemble_easy"]["accuracy"]
    assert log_figures(log)["suite.assemble_easy"] == accuracy


def test_limit_takes_rows_of_every_config(script, tmp_path):
    log = evaluate_script(script, tmp_path, limit=1)
    taken = Counter(sample.metadata["config"] for sample in log.samples)
    assert set(taken.values()) == {1} and len(taken) == 5
    assert WRONG in {reply for one in log.samples for reply in one.metadata["facelet_replies"]}


def test_tasks_are_found_by_name_once_installed(tmp_path, monkeypatch, script):
    from inspect_ai import eval as run
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai._util.registry import registry_find, registry_info

    found = registry_find(lambda info: info.type == "task")
    names = {registry_info(one).name for one in found}
    assert {"facelet/cube_bench", "facelet/marble.maze", "facelet/evolarena.bit_query"} <= names
    monkeypatch.chdir(tmp_path)
    shutil.copytree(script.folder, "data/out/facelet-smoke-marble")
    shutil.move(
        "data/out/facelet-smoke-marble/suite.assemble_easy",
        "data/out/facelet-smoke-marble/marble.assemble_easy",
    )
    with pytest.raises(PrerequisiteError, match="unknown config"):
        run("facelet/marble.maze", model=mock_model(script), display="none")
    (log,) = run("facelet/marble.assemble_easy", model=mock_model(script), display="none", limit=1)
    assert log.status == "success" and log.eval.task == "facelet/marble.assemble_easy"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("dataset=nowhere", "no dataset folder 'nowhere'; build one with `facelet build out=...`"),
        ("split=tset", "unknown split 'tset' (did you mean 'test'?); known: test"),
        ("limit=0", "limit is 0; use a whole number from 1, or None for all rows"),
        ("limit=few", "limit is 'few'; use a whole number from 1, or None for all rows"),
    ],
)
def test_a_wrong_word_on_the_command_line_ends_with_a_line(word, said, script, tmp_path):
    command = [Path(sys.executable).with_name("inspect"), "eval", "facelet/marble.maze"]
    words = [f"dataset={script.folder}", word]
    ended = subprocess.run(
        [*command, "--model", "mockllm/model", *(part for one in words for part in ("-T", one))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "500"},
    )
    assert ended.returncode == 1
    assert said in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
