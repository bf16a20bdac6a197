"""The loop in the README, run as it stands with a stand-in for the client that it imports."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from facelet.pipeline import environment
from facelet.pipeline.scoring.scorer import ScoreSettings, score

README = Path(__file__).parents[3] / "README.md"


def block(word="environment.open_row"):
    """Return the one code block that holds a word."""
    found = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    (code,) = [text for text in found if word in text]
    return code


class Client:
    """Answers as the chat completions API does; finds its row by what it is asked."""

    replies: dict[str, list[str]]

    def __init__(self):
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, *, model, messages):
        assert model == "gpt-5"
        said = sum(message["role"] == "assistant" for message in messages)
        content = self.replies[json.dumps(messages[:2])][said]
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=content))])


@pytest.mark.parametrize("name", ["move_prediction", "act"])
def test_the_loop_runs_as_shown(publish, acting, name, tmp_path, monkeypatch, capsys):
    published = acting if name == "act" else publish("cube/move_prediction")
    config = "cube_bench.move_prediction"
    folder = tmp_path / "data" / "out" / "facelet-paper"
    folder.mkdir(parents=True)
    (folder / config).symlink_to(published.folder / f"suite.{name}")
    client = type("OpenAI", (Client,), {})
    client.replies = {
        json.dumps(environment.open_row(row).messages): published.references[row["id"]]
        for row in published.rows
    }
    openai = ModuleType("openai")
    openai.OpenAI = client
    monkeypatch.setitem(sys.modules, "openai", openai)
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    exec(compile(block(), str(README), "exec"), namespace)
    assert capsys.readouterr().out.split() == [
        word for row in published.rows for word in (row["id"], "correct")
    ]
    before = (tmp_path / "predictions.jsonl").read_text()
    exec(compile(block("environment.run("), str(README), "exec"), namespace)
    assert (tmp_path / "predictions.jsonl").read_text() == before, "all was done already"
    (tmp_path / "predictions.jsonl").unlink()
    exec(compile(block("environment.run("), str(README), "exec"), namespace)
    results = score(folder, [tmp_path / "predictions.jsonl"], ScoreSettings(resamples=100)).results
    (model,) = results["models"]
    assert model["model"] == "gpt-5"
    assert model["configs"][config]["splits"]["test"]["counts"]["correct"] == len(published.rows)


def test_the_loop_is_short():
    code = [line for line in block().splitlines() if line and "import" not in line]
    assert len(code) <= 11
