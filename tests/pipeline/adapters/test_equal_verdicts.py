"""One reply has one verdict, whichever way it is graded: 250 replies through every door.

The replies are those of the corpus in tests/data/replies, one for each row of eight tasks: letters,
yes or no, lists, arrays, records and moves, with reasons, corrections, markers and junk.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest
from asgi import AsgiClient
from doors import mock_model, serve_script, verifiers_environment, verifiers_episodes
from scripted import ChatScript, chat_key

from facelet.pipeline import rollout
from facelet.pipeline.adapters import verl
from facelet.pipeline.adapters._dataset_folder import load_rows, score_reply
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.rewards import Weights
from facelet.pipeline.scoring.scorer import score
from facelet.pipeline.serve.http_app import application_from_settings
from facelet.pipeline.serve.settings import ServeSettings

CORPUS = Path(__file__).parents[2] / "data" / "replies" / "corpus.jsonl"
EACH = 20
TASKS: dict[str, dict[str, Any]] = {
    "cube/verification": {},
    "jigsaw/perception": {},
    "cube/move_effect": {"depth": 3},
    "cube/face_recognition": {"depth": 3},
    "jigsaw/assemble": {"modality": "arrays"},
    "labyrinth/plan": {"targets": "any", "setting": "symbolic"},
    "labyrinth/board_parsing": {},
    "shapes/inverse_writing": {"input": "text", "level": 3},
}

Verdict = tuple[bool, bool]
"""Whether a reply is right, and whether it is in the requested form."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> ChatScript:
    """Return rows, and a model that gives each of them a reply of the corpus to its task."""
    said = defaultdict(list)
    for record in map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines()[1:]):
        if "expected" in record:
            said[record["task"], json.dumps(record["params"])].append(record["reply"])
    home = tmp_path_factory.mktemp("verdicts")
    tasks = {
        name.partition("/")[2]: {"task": name, "params": params, "count": EACH}
        for name, params in TASKS.items()
    }
    (home / "verdicts.yaml").write_text(json.dumps({"verdicts": {"tasks": tasks}}))
    words = (f"suites=[{home / 'verdicts.yaml'}]", "workers=1", "progress=false")
    assert main(["build", *words, f"out={home / 'built'}"]) == 0
    found = ChatScript(home / "built")
    replies = {task: cycle(said[task, json.dumps(params)]) for task, params in TASKS.items()}
    for row in found.rows:
        play = rollout.open_row(row)
        own = next(replies[row["task"]])
        found.plays[row["id"]] = [found.replies.setdefault(chat_key(play.messages), own)]
    return found


@pytest.fixture(scope="module")
def verdicts(asked: ChatScript, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """Return the verdicts of `facelet score` on plain predictions."""
    home = tmp_path_factory.mktemp("scored")
    lines = [{"id": key, "model": "m", "prediction": said} for key, (said,) in asked.plays.items()]
    (home / "predictions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return scored_verdicts(asked.folder, home / "predictions.jsonl")


def scored_verdicts(folder: Path, file: Path) -> dict[str, Verdict]:
    items = file.with_suffix(".parquet")
    score(folder, [file], items=items)
    table = pq.read_table(items).to_pylist()
    return {one["id"]: (one["status"] == "correct", bool(one["strict"])) for one in table}


def test_the_replies_are_many_and_of_every_verdict(asked, verdicts):
    assert len(verdicts) == len(asked.plays) >= 200
    assert len({said for (said,) in asked.plays.values()}) >= 200
    assert len(set(verdicts.values())) == 4
    counts = Counter(verdicts.values())
    assert min(counts.values()) >= 5, counts


def grade_by_run(asked: ChatScript, out: Path) -> dict[str, Verdict]:
    rollout.run(asked.rows, asked.answer_chat, out / "run.jsonl", name="m")
    lines = map(json.loads, (out / "run.jsonl").read_text().splitlines())
    live = {
        one["id"]: (one["outcome"]["status"] == "correct", one["outcome"]["strict"])
        for one in lines
    }
    assert scored_verdicts(asked.folder, out / "run.jsonl") == live
    return live


def grade_by_server(asked: ChatScript, out: Path) -> dict[str, Verdict]:
    told = {"dataset": str(asked.folder), "state": str(out / "state"), "log": "none"}
    client = AsgiClient(application_from_settings(ServeSettings(**told)), {})
    items = [{"id": key, "reply": said} for key, (said,) in asked.plays.items()]
    status, found = client.ask("POST", "/verify", {"items": items})
    assert status == 200
    return {one["id"]: (one["status"] == "correct", one["strict"]) for one in found["results"]}


def grade_by_session(asked: ChatScript, out: Path) -> dict[str, Verdict]:
    told = {"dataset": str(asked.folder), "state": str(out / "state"), "log": "none"}
    client = AsgiClient(application_from_settings(ServeSettings(**told)), {})
    found = {}
    for key, (said,) in asked.plays.items():
        _, opened = client.ask("POST", "/sessions", {"id": key})
        path = f"/sessions/{opened['session']}/replies"
        _, one = client.ask("POST", path, {"text": said, "turn": 0})
        found[key] = (one["status"] == "correct", one["strict"])
    return found


def grade_by_trl(asked: ChatScript, _: Path) -> dict[str, Verdict]:
    from facelet.pipeline.adapters import trl

    folder, names = str(asked.folder), list(asked.plays)
    chats = [[{"role": "assistant", "content": said}] for (said,) in asked.plays.values()]
    right, form = (
        trl.reward_func(folder, weights)(completions=chats, id=names)
        for weights in (None, Weights(format=1.0))
    )
    return {
        name: (bool(one), bool(other)) for name, one, other in zip(names, right, form, strict=True)
    }


def grade_by_verl(asked: ChatScript, _: Path) -> dict[str, Verdict]:
    extra, found = {"dataset": str(asked.folder)}, {}
    for name, (said,) in asked.plays.items():
        worth = verl.compute_score("", said, name, extra, format=1.0)
        found[name] = (bool(worth["acc"]), bool(worth["score"]))
    return found


def grade_by_harness(asked: ChatScript, grade: Callable[..., Any]) -> dict[str, Verdict]:
    """Return what harnesses average, where a right reply shows its form."""
    return {
        row["id"]: tuple(map(bool, grade(row, asked.plays[row["id"]]).values()))
        for row in load_rows(asked.folder)
    }


@pytest.fixture
def stub_trl(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stands for TRL, of which the reward function calls nothing."""
    if "trl" not in sys.modules:
        monkeypatch.setitem(sys.modules, "trl", ModuleType("trl"))
    if "transformers" not in sys.modules:
        transformers = ModuleType("transformers")
        transformers.TrainerCallback = object  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "transformers", transformers)
    yield
    sys.modules.pop("facelet.pipeline.adapters.trl", None)


@pytest.mark.parametrize(
    "grade",
    [grade_by_run, grade_by_server, grade_by_session, grade_by_trl, grade_by_verl],
)
def test_every_way_of_grading_gives_the_verdict_of_the_scorer(
    grade, asked, verdicts, tmp_path, stub_trl
):
    assert grade(asked, tmp_path) == verdicts


def right_in_form(verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    return {key: (right, right and form) for key, (right, form) in verdicts.items()}


def test_harnesses_average_the_verdicts_of_the_scorer(asked, verdicts):
    assert grade_by_harness(asked, score_reply) == right_in_form(verdicts)


@pytest.mark.adapters
def test_lm_eval_gives_the_verdicts_of_the_scorer(asked, verdicts):
    from facelet.pipeline.adapters.lm_eval import process_results

    assert grade_by_harness(asked, process_results) == right_in_form(verdicts)


@pytest.mark.adapters
def test_inspect_gives_the_verdicts_of_the_scorer(asked, verdicts, tmp_path):
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import build_task

    task = build_task("verdicts", str(asked.folder))
    (log,) = run(task, model=mock_model(asked), log_dir=str(tmp_path), display="none")
    found = {
        sample.id: (
            sample.scores["replay"].value == "C",
            sample.scores["replay"].metadata["strict"],
        )
        for sample in log.samples
    }
    assert found == verdicts


@pytest.mark.adapters
def test_verifiers_gives_the_verdicts_of_the_scorer(asked, verdicts):
    environment, found = verifiers_environment(asked), {}
    with serve_script(asked) as server:
        for episode in verifiers_episodes(environment, server, list(environment.taskset)):
            (trace,) = episode.traces
            told = trace.metrics
            found[trace.task.data.id] = (bool(told["correct"]), bool(told["strict"]))
    assert found == verdicts
