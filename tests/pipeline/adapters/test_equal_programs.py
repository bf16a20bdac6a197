"""The programs of four tools ask one server the same 200 rows, and print the same figures.

Each program is typed as a user types it, in a process of its own. inspect_ai has a venv beside that
of the other tools (`make test-adapters`), since it needs a newer client than verifiers allows.
lighteval 0.13 asks the network for files of its own tasks when it starts, and is not run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doors import SEED, log_figures, mean_by_config
from harnesses import harness_figures
from model_server import ModelServer
from scripted import Accuracies, ChatScript, answer_row

import facelet
from facelet.pipeline import rollout
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.chat_messages import chat_text

pytestmark = pytest.mark.adapters

ROWS = 200

SUITE = """
same:
  tasks:
    assembled: {task: jigsaw/assemble_easy, count: 100}
    planned: {task: labyrinth/plan, params: {turns: 1, setting: symbolic}, count: 100}
"""

INSPECT_TASK = """
from inspect_ai import task
from facelet.pipeline.adapters.inspect_ai import build_task

@task
def same():
    return build_task("same", FOLDER)
"""


class TextServer(ModelServer):
    """A model's server that finds the reply by the text of the chat."""

    def __init__(self) -> None:
        self.replies: dict[str, str] = {}
        super().__init__(SimpleNamespace(rows=[], references={}))

    def reply(self, messages: Any) -> str:
        return self.replies[find_text(messages)]


def find_text(messages: Any) -> str:
    """Return the words of a chat; tools differ in the blank lines between its parts."""
    return " ".join(chat_text(messages).split())


class Programs:
    """Where the programs run.

    Attributes:
        script: the dataset.
        url: address of the server.
        home: folder of the programs' files.
    """

    def __init__(self, script: ChatScript, url: str, home: Path) -> None:
        self.script, self.url, self.home = script, url, home

    def run(self, *words: str, prefix: str = sys.prefix) -> None:
        """Run a program of a venv.

        Args:
            words: the program and its words.
            prefix: the venv.
        """
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
        source = str(Path(facelet.__file__).parents[1])
        more = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": self.url, "PYTHONPATH": source}
        more |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(self.home / "hub"), "NO_COLOR": "1"}
        done = subprocess.run(
            [f"{prefix}/bin/{words[0]}", *words[1:]],
            cwd=self.home,
            env=kept | more,
            capture_output=True,
            text=True,
            timeout=1800,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"

    def write_tasks(self, tool: str) -> Path:
        """Write the tasks of a harness; return their folder."""
        out = self.home / f"{tool}_tasks"
        self.run(
            "facelet", "harness", f"tool={tool}", f"dataset={self.script.folder}", f"out={out}"
        )
        return out


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    """Build 200 rows, and serve a model that answers them in every manner."""
    home = tmp_path_factory.mktemp("same")
    (home / "same.yaml").write_text(SUITE)
    words = (f"suites=[{home / 'same.yaml'}]", f"seed={SEED}", "workers=1", "progress=false")
    assert main(["build", *words, f"out={home / 'built'}"]) == 0
    script, server = ChatScript(home / "built"), TextServer()
    rows = script.rows
    for number, row in enumerate(rows):
        other = rows[number - 1 if number % 100 else number + 1]["gold"]
        said = answer_row(number, [row["gold"]], [other], row["gold"])[0]
        asked = find_text(rollout.open_row(row).messages)
        script.plays[row["id"]] = [server.replies.setdefault(asked, said)]
    assert len(script.plays) == ROWS
    yield Programs(script, server.url, home)
    server.http.shutdown()
    server.http.server_close()


def read_inspect(programs: Programs) -> Accuracies:
    from inspect_ai.log import read_eval_log

    task = programs.home / "same.py"
    task.write_text(INSPECT_TASK.replace("FOLDER", repr(str(programs.script.folder))))
    words = ("-m", "inspect_ai", "eval", "same.py", "--model", "openai-api/openai/m")
    programs.run("python", *words, "--log-dir", "logs", prefix=f"{sys.prefix}-inspect")
    (log,) = (programs.home / "logs").glob("*.eval")
    return {name: v for name, v in log_figures(read_eval_log(str(log))).items() if "." in name}


def read_lm_eval(programs: Programs) -> Accuracies:
    model = f"model=m,base_url={programs.url}/chat/completions"
    words = ("--model", "local-chat-completions", "--apply_chat_template", "--model_args", model)
    tasks = ("--include_path", str(programs.write_tasks("lm-eval")), "--tasks", "facelet_same")
    programs.run("lm_eval", *words, *tasks, "--output_path", "lm_eval")
    (found,) = (programs.home / "lm_eval").rglob("results_*.json")
    return harness_figures(programs.script, json.loads(found.read_text())["results"])


def read_verifiers(programs: Programs) -> Accuracies:
    rows = ("--env.taskset.dataset", str(programs.script.folder), "--env.taskset.split", "test")
    model = ("-m", "m", "--client.base-url", programs.url, "--no-push", "--no-rich")
    programs.run("vf-eval", "facelet-verifiers", *rows, *model, "--output-dir", "traces")
    (found,) = (programs.home / "traces").rglob("traces.jsonl")
    worth = {}
    for line in found.read_text().splitlines():
        (trace,) = json.loads(line)["traces"]
        worth[trace["task"]["data"]["id"]] = trace["rewards"]["replay"]["score"]
    return mean_by_config(worth)


def read_eval(programs: Programs) -> Accuracies:
    programs.run(
        *("facelet", "eval", "openai/m", str(programs.script.folder), "yes=true"),
        f"base_url={programs.url}",
    )
    (transcripts,) = (programs.home / "built.run").glob("*.jsonl")
    assert (programs.home / "built.report" / transcripts.stem / "index.html").is_file()
    (scores,) = (programs.home / "built.score").glob("*/results.json")
    (model,) = json.loads(scores.read_text())["models"]
    return {
        name: next(
            cell["figures"]["accuracy"]["value"]
            for cell in config["splits"]["test"]["cells"]
            if not cell["by"]
        )
        for name, config in model["configs"].items()
    }


@pytest.mark.parametrize("read_figures", [read_eval, read_inspect, read_lm_eval, read_verifiers])
def test_a_program_prints_the_figures_of_the_scorer(
    read_figures: Callable[[Programs], Accuracies], programs: Programs, tmp_path: Path
) -> None:
    file = tmp_path / "replies.jsonl"
    lines = ({"id": name, "prediction": said} for name, (said,) in programs.script.plays.items())
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    truth = {name: one["accuracy"] for name, one in programs.script.scores(file).items()}
    assert len(truth) == 2 and all(0.3 < value < 0.9 for value in truth.values())
    assert read_figures(programs) == truth
