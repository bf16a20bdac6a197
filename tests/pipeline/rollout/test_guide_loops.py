"""The loops of the guide to playing, run as they stand with a stand-in for the client."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from describing import describe_folder

from facelet.pipeline import rollout
from facelet.pipeline.scoring.scorer import ScoreSettings, score

GUIDE = Path(__file__).parents[3] / "conf" / "docs" / "play.md"


def code_blocks():
    """Return the code blocks."""
    return re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)


def block(word="environment.open_row"):
    """Return the first code block that holds a word: the loops stand before what varies them."""
    code = next(text for text in code_blocks() if word in text)
    return code


class FakeClient:
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
    describe_folder(folder)
    client = type("OpenAI", (FakeClient,), {})
    client.replies = {
        json.dumps(rollout.open_row(row).messages): published.references[row["id"]]
        for row in published.rows
    }
    openai = ModuleType("openai")
    openai.OpenAI = client
    monkeypatch.setitem(sys.modules, "openai", openai)
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    exec(compile(block(), str(GUIDE), "exec"), namespace)
    assert capsys.readouterr().out.split() == [
        word for row in published.rows for word in (row["id"], "correct")
    ]
    before = (tmp_path / "predictions.jsonl").read_text()
    exec(compile(block("environment.run("), str(GUIDE), "exec"), namespace)
    assert (tmp_path / "predictions.jsonl").read_text() == before, "all was done already"
    (tmp_path / "predictions.jsonl").unlink()
    exec(compile(block("environment.run("), str(GUIDE), "exec"), namespace)
    results = score(folder, [tmp_path / "predictions.jsonl"], ScoreSettings(resamples=100)).results
    (model,) = results["models"]
    assert model["model"] == "gpt-5"
    assert model["configs"][config]["splits"]["test"]["counts"]["correct"] == len(published.rows)


class ReflectionClient:
    """Answers the turns of a reflection by what they ask, from a script for each puzzle.

    Attributes:
        script: draft and re-answer for each text of a puzzle.
        seen: all texts that were sent.
    """

    def __init__(self, script):
        self.script, self.seen = script, []
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, *, model, messages):
        assert [message["role"] for message in messages] == ["system", "user"]
        parts = messages[1]["content"]
        said = "\n".join(part["text"] for part in parts if part["type"] == "text")
        self.seen.append(messages[0]["content"] + said)
        (puzzle,) = [key for key in self.script if key in said]
        draft, final = self.script[puzzle]
        if "You chose the option:" in said:
            assert f"You chose the option: {draft[8]}." in said
            content = f"Reflection on {draft}."
        elif "--- reflection ---" in said:
            assert f"\nReflection on {draft}.\n" in said
            content = final
        else:
            content = draft
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=content))])


KINDS = ["right, right", "right, wrong", "wrong, right", "wrong, wrong", "wrong, right"]


@pytest.fixture
def reflected(publish, tmp_path):
    """Return a folder of reflections, a client with a script, and the rows."""
    published = publish("cube/reflection", depth=2, items=10)
    folder = tmp_path / "data" / "out" / "facelet-paper"
    folder.mkdir(parents=True)
    (folder / "cube_bench.move_prediction").symlink_to(published.folder / "suite.reflection")
    describe_folder(folder)
    script = {}
    for row, kind in zip(published.rows, KINDS * 2, strict=True):
        letters = {"right": row["answer"], "wrong": "A" if row["answer"] != "A" else "B"}
        puzzle = "\n".join(
            f"{letter}: {option}" for letter, option in zip("ABCD", row["options"], strict=True)
        )
        script[puzzle] = [f"<ANSWER>{letters[one]}</ANSWER>" for one in kind.split(", ")]
    return folder, ReflectionClient(script), published.rows


def score_figures(folder, path):
    results = score(folder, [path], ScoreSettings(resamples=100)).results
    report = results["models"][0]["configs"]["cube_bench.move_prediction"]["splits"]["test"]
    (cell,) = [cell for cell in report["cells"] if cell["by"] == {} and cell["difficulty"] is None]
    return {name: figure["value"] for name, figure in cell["figures"].items()}, report, results


# Of 10 drafts 4 are right, 2 of which stay so; of the 6 wrong ones 4 are corrected.
BY_HAND = {
    "initial_accuracy": 4 / 10,
    "final_accuracy": 6 / 10,
    "gain": 2 / 10,
    "error_fix_rate": 4 / 6,
    "overthink_rate": 2 / 4,
    "accuracy": 6 / 10,
}


def test_reflection_played_through_the_loop_gives_the_figures_by_hand(
    reflected, tmp_path, monkeypatch
):
    folder, client, _ = reflected
    openai = ModuleType("openai")
    openai.OpenAI = lambda: client
    monkeypatch.setitem(sys.modules, "openai", openai)
    monkeypatch.chdir(tmp_path)
    exec(compile(block(), str(GUIDE), "exec"), {"__name__": "__main__"})
    assert len(client.seen) == 30 and not any("{" in text or "}" in text for text in client.seen)
    found = score_figures(folder, tmp_path / "predictions.jsonl")[0]
    assert {name: found[name] for name in BY_HAND} == pytest.approx(BY_HAND)


def answer_chats(client, chats):
    """Answer many chats at once, as a batch engine does."""
    answers = [client.create(model="gpt-5", messages=chat) for chat in chats]
    return [answer.choices[0].message.content for answer in answers]


def test_the_batch_loop_gives_the_same(reflected, tmp_path, monkeypatch):
    folder, client, _ = reflected
    monkeypatch.chdir(tmp_path)
    (code,) = [text for text in code_blocks() if "waiting" in text]
    exec(
        code.replace("cube_bench.reflection", "cube_bench.move_prediction"),
        {"batch": lambda chats: answer_chats(client, chats)},
    )
    found = score_figures(folder, tmp_path / "predictions.jsonl")[0]
    assert {name: found[name] for name in BY_HAND} == pytest.approx(BY_HAND)


def test_a_later_pass_without_the_first_is_refused(reflected, tmp_path):
    """The answers of the last pass alone look like drafts; they are refused, with the reason."""
    _, client, rows = reflected
    folder = reflected[0]
    lines, whole = [], []
    for row in rows:
        replies = []
        for _ in range(3):
            play = rollout.open_row(row, replies=replies)
            replies += answer_chats(client, [play.messages])
        lines.append({"id": row["id"], "prediction": replies[-1]})
        whole.append(rollout.open_row(row, replies=replies).transcript("m"))
    path = tmp_path / "last.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(ValueError, match="1 of the 3 replies"):
        score_figures(folder, path)
    path.write_text("\n".join(map(json.dumps, [*lines[:2], *whole[2:]])))
    found, report, results = score_figures(folder, path)
    assert results["inputs"][0]["broken"] == 2 and report["counts"]["missing"] == 2
    assert found["accuracy"] == pytest.approx(5 / 10)


def test_the_loop_is_short():
    code = [line for line in block().splitlines() if line and "import" not in line]
    assert len(code) <= 11
