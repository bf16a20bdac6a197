"""OpenEnv: its own server serves the episodes; sessions side by side over its WebSocket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from served import find_free_port, request_json

pytestmark = pytest.mark.adapters
pytest.importorskip("openenv", reason="it needs other versions; `make test-extras EXTRAS=openenv`")


SPACE = Path(__file__).parents[3] / "conf" / "docs" / "examples" / "openenv_space"


def episodes():
    import facelet

    made = facelet.stream("arcade/bit_query", seed=3, levels="1")
    return [next(made) for _ in range(3)]


def reference_replies(row):
    from facelet.pipeline import family_modules

    task = family_modules.load_task(row["task"])
    return task.reference(task.decode(row))


def test_two_sessions_are_played_side_by_side():
    from fastapi.testclient import TestClient

    from facelet.pipeline.adapters import openenv

    rows = episodes()
    app = openenv.application(stream="arcade/bit_query", levels="1", seed=3)
    with TestClient(app) as client, client.websocket_connect("/ws") as one:
        with client.websocket_connect("/ws") as two:

            def ask_door(door, kind, **data):
                said = {"type": kind, "data": data} if data else {"type": kind}
                door.send_text(json.dumps(said))
                return json.loads(door.receive_text())["data"]

            first = ask_door(one, "reset", seed=1)["observation"]
            other = ask_door(two, "reset", episode_id=rows[2]["id"])["observation"]
            assert (first["id"], other["id"]) == (rows[1]["id"], rows[2]["id"])
            assert first["messages"][0]["role"] == "system"
            for reply in reference_replies(rows[1]):
                told = ask_door(one, "step", text=reply)
                ask_door(two, "step", text="no")
            assert told["done"] and told["reward"] == 1
            assert told["observation"]["status"] == "correct"
            state = ask_door(two, "state")
            assert state["step_count"] == len(reference_replies(rows[1])) and not state["done"]


def test_rows_must_be_named():
    from facelet.pipeline.adapters import openenv

    with pytest.raises(ValueError, match="either a dataset or a stream"):
        openenv.environment_factory()


def test_the_package_of_a_space_is_played_over_the_wire():
    """Its server passes OpenEnv's own validation; its client plays an episode with pictures."""
    import facelet
    from facelet.pipeline.adapters.openenv import Client, Reply

    port = find_free_port()
    told = {"FACELET_STREAM": "labyrinth/act", "FACELET_LEVELS": "1-2"}
    words = [sys.executable, "-m", "uvicorn", "server.app:app", "--port", str(port)]
    server = subprocess.Popen(words, cwd=SPACE, env={**os.environ, **told})
    try:
        for _ in range(1200):
            try:
                request_json(port, "GET", "/health", tries=1)
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.1)
        tool = Path(sys.executable).with_name("openenv")
        url = f"http://127.0.0.1:{port}"
        done = subprocess.run([tool, "validate", "--url", url], capture_output=True, text=True)
        assert done.returncode == 0 and json.loads(done.stdout)["passed"], done.stdout
        row = facelet.stream("labyrinth/act", levels="1-2")[3]
        with Client(base_url=url).sync() as client:
            seen = client.reset(seed=3)
            assert seen.observation.id == row["id"] and not seen.done
            parts = [part for one in seen.observation.messages[1:] for part in one["content"]]
            assert "image_url" in {part["type"] for part in parts}
            for reply in reference_replies(row):
                seen = client.step(Reply(text=reply))
            assert seen.done and seen.reward == 1 and seen.observation.status == "correct"
            state = client.state()
            assert (state.id, state.done) == (row["id"], True)
    finally:
        server.terminate()
        server.wait(30)
