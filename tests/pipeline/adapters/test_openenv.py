"""OpenEnv: its own server serves the episodes; sessions side by side over its WebSocket."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.adapters
pytest.importorskip("openenv", reason="it needs other versions; `make test-extras EXTRAS=openenv`")


def episodes():
    import facelet

    made = facelet.stream("arcade/bit_query", seed=3, levels="1")
    return [next(made) for _ in range(3)]


def reference(row):
    from facelet.pipeline import families

    task = families.task(row["task"])
    return task.reference(task.decode(row))


def test_two_sessions_are_played_side_by_side():
    from fastapi.testclient import TestClient

    from facelet.pipeline.adapters import openenv

    rows = episodes()
    app = openenv.application(stream="arcade/bit_query", levels="1", seed=3)
    with TestClient(app) as client, client.websocket_connect("/ws") as one:
        with client.websocket_connect("/ws") as two:

            def ask(door, kind, **data):
                said = {"type": kind, "data": data} if data else {"type": kind}
                door.send_text(json.dumps(said))
                return json.loads(door.receive_text())["data"]

            first = ask(one, "reset", seed=1)["observation"]
            other = ask(two, "reset", episode_id=rows[2]["id"])["observation"]
            assert (first["id"], other["id"]) == (rows[1]["id"], rows[2]["id"])
            assert first["messages"][0]["role"] == "system"
            for reply in reference(rows[1]):
                told = ask(one, "step", text=reply)
                ask(two, "step", text="no")
            assert told["done"] and told["reward"] == 1
            assert told["observation"]["status"] == "correct"
            state = ask(two, "state")
            assert state["step_count"] == len(reference(rows[1])) and not state["done"]


def test_rows_must_be_named():
    from facelet.pipeline.adapters import openenv

    with pytest.raises(ValueError, match="either a dataset or a stream"):
        openenv.environments()
