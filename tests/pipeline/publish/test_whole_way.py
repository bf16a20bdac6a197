"""From nothing to a version on the Hub, loaded back, asked of a model by every door, scored."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any

import pytest
from hub_client import LOAD, client_environment, run_facelet, run_python
from huggingface_hub import snapshot_download
from loopback_hub import TOKEN, LoopbackHub
from model_server import WRONG, serve

from facelet.generators.core import task_registry
from facelet.pipeline import rollout
from facelet.pipeline.adapters._dataset_folder import score_reply
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.row_opener import read_row

__all__ = ["serve"]

TASKS = ("cube/move_effect", "cube/reflection", "labyrinth/plan", "labyrinth/board_parsing")
BUILD = (
    "profile=smoke",
    "suites=[cube_bench,marble]",
    f"tasks=[{','.join(TASKS)}]",
    "depths=1-2",
    "count=4",
    "seed=11",
    "progress=false",
)


def accuracies(folder: Path, file: Path, out: Path) -> dict[str, float]:
    """Return what `facelet score` says of a file, by config."""
    assert main(["score", f"dataset={folder}", f"predictions={file}", f"out={out}"]) == 0
    (model,) = json.loads((out / "results.json").read_text())["models"]
    return {
        name: next(
            cell["figures"]["accuracy"]["value"]
            for cell in config["splits"]["test"]["cells"]
            if not cell["by"]
        )
        for name, config in model["configs"].items()
    }


@pytest.mark.slow
def test_from_nothing_to_equal_figures(
    server: LoopbackHub, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, env = tmp_path / "built", client_environment(server, tmp_path / "hub")
    assert main(["build", *BUILD, f"out={built}"]) == 0
    sent = run_facelet(env, "publish", str(built), "repo=org/name", "version=1.0.0", "confirm=yes")
    assert sent.returncode == 0, sent.stderr

    # Loaded back: as rows, and as the folder that is scored.
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    folder = Path(
        snapshot_download(
            "org/name",
            repo_type="dataset",
            revision="v1.0.0",
            endpoint=server.url,
            token=TOKEN,
            local_dir=tmp_path / "loaded",
        )
    )
    rows = list(rollout.rows(folder))
    config = "marble.maze"
    loaded = json.loads(run_python(env, LOAD, "org/name", config, "test", "v1.0.0"))
    ours = [row for row in rows if row["id"].startswith(f"{config}/")]
    assert [row[0] for row in loaded] == [row["id"] for row in ours]

    # A model that knows two rows of three.
    script: dict[str, str] = {}
    for number, row in enumerate(rows):
        play, read = rollout.open_row(row), read_row(row)
        right = [*read.task.reference(read.instance)] if number % 3 else []
        while not play.done:
            said = right[len(play.replies)] if len(play.replies) < len(right) else WRONG
            play.reply(script.setdefault(json.dumps(play.messages), said))
    player = serve(SimpleNamespace(rows=[], references={}))
    player.reply = lambda messages: script[json.dumps(messages)]
    file = tmp_path / "run.jsonl"
    words = ("model=openai/m", f"base_url={player.url}", f"dataset={folder}", "yes=true")
    assert main(["run", *words, f"out={file}"]) == 0
    found = accuracies(folder, file, tmp_path / "scores")
    assert set(found) == {row["id"].rpartition("/")[0].rpartition("/")[0] for row in rows}
    assert 0 < min(found.values()) and max(found.values()) < 1

    # The same replies through the other doors.
    rollout.run(rows, player.reply, tmp_path / "live.jsonl", name="m", workers=2)
    assert accuracies(folder, tmp_path / "live.jsonl", tmp_path / "live") == found
    assert accuracies(folder, play_batches(folder, player, tmp_path), tmp_path / "batch") == found
    single = {row["task"] for row in rows} - {"cube/reflection"}
    for name, value in found.items():
        own = [row for row in rows if row["id"].startswith(f"{name}/")]
        if own[0]["task"] in single:
            said = [player.reply(rollout.open_row(row).messages) for row in own]
            right = [score_reply(row, text)["acc"] for row, text in zip(own, said, strict=True)]
            assert mean(right) == value
    assert single < set(task_registry.task_names())


def play_batches(folder: Path, player: Any, root: Path) -> Path:
    """Return a file of the plays that were asked in batches, a pass a turn."""
    out, said = root / "batch1", ""
    for number in range(1, 9):
        words = [f"answers={said}"] if said else []
        assert main(["requests", "model=m", f"dataset={folder}", f"out={out}", *words]) == 0
        lines = []
        for path in sorted(out.glob("requests-*.jsonl")):
            for line in map(json.loads, path.read_text().splitlines()):
                message = {"role": "assistant", "content": player.reply(line["body"]["messages"])}
                body = {"model": "m", "choices": [{"index": 0, "message": message}]}
                answer = {"status_code": 200, "body": body}
                lines.append({"custom_id": line["custom_id"], "response": answer, "error": None})
        if not lines:
            return out / "transcripts.jsonl"
        answers = root / f"answers{number}.jsonl"
        answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = f"{said},{answers}" if said else str(answers)
        out = root / f"batch{number + 1}"
    raise AssertionError("the plays do not end")
