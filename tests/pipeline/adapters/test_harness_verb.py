"""`facelet harness` leaves out episodes, and what it writes is YAML as documented."""

from __future__ import annotations

import pytest
import yaml

from facelet.pipeline.cli import main

SINGLE = ("face_recognition", "assemble_easy")
LONG = ("suite.act", "suite.bit_query", "suite.reflection")


class FunctionLoader(yaml.SafeLoader):
    """Reads a function as its name."""


FunctionLoader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def write_harness(script, out, *words):
    assert main(["harness", f"dataset={script.folder}", f"out={out}", *words]) == 0
    return {path.name: yaml.load(path.read_text(), FunctionLoader) for path in out.glob("*.yaml")}


@pytest.mark.parametrize("tool", ["lm-eval", "lmms-eval"])
def test_tasks_name_functions_that_are_there(tool, script, tmp_path, capsys):
    files = write_harness(script, tmp_path / "a", f"tool={tool}")
    names = [f"facelet_suite_{name}" for name in SINGLE]
    assert set(files) == {"_facelet_suite.yaml", *(f"{name}.yaml" for name in names)}
    assert sorted(files["_facelet_suite.yaml"]["task"]) == sorted(names)
    assert all(name in capsys.readouterr().out for name in [", ".join(LONG)])
    module = (tmp_path / "a" / "facelet_rows.py").read_text()
    adapter = tool.replace("-", "_")
    assert f"from facelet.pipeline.adapters.{adapter} import" in module
    for name in names:
        task = files[f"{name}.yaml"]
        assert task["task"] == name and task["dataset_name"] == name.replace(
            "facelet_suite_", "suite."
        )
        assert task["generation_kwargs"]["until"] == []  # else the harness cuts at a blank line
        called = [value for value in task.values() if str(value).startswith("facelet_rows.")]
        assert len(called) >= 2 and all(call.partition(".")[2] in module for call in called)
    pictured = "doc_to_image" if tool == "lm-eval" else "doc_to_visual"
    assert pictured in files["facelet_suite_face_recognition.yaml"]


def test_rows_of_the_hub_have_a_revision(script, tmp_path, capsys):
    files = (
        write_harness(script, tmp_path / "b", "hub=me/data", "revision=v1", "configs=suite.act")
        or {}
    )
    assert not files  # an episode alone: nothing is left
    files = write_harness(script, tmp_path / "c", "hub=me/data", "revision=v1")
    task = files["facelet_suite_assemble_easy.yaml"]
    assert task["dataset_path"] == "me/data" and task["dataset_kwargs"] == {"revision": "v1"}
    assert main(["harness", f"dataset={script.folder}", f"out={tmp_path / 'c'}"]) == 2
    assert main(["harness", f"dataset={script.folder}", "tool=other"]) == 2
    assert "lm-eval, lmms-eval" in capsys.readouterr().err
