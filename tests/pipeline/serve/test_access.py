"""Who may ask: tokens, pages of other sites, attempts for a row, WebSockets, and a full disk."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from starlette.routing import WebSocketRoute

from facelet.pipeline.request_origin import explain_foreign_request
from facelet.pipeline.serve import request_guard


def list_routes(one: Any) -> list[tuple[str, str]]:
    """Return method and path of every route of the application, WebSockets as WS."""
    routes = one.client.app._app.routes
    return [
        (method, re.sub(r"\{.*?\}", "x", route.path))
        for route in routes
        for method in (["WS"] if isinstance(route, WebSocketRoute) else sorted(route.methods))
    ]


def talk_websocket(one: Any, *said: dict[str, Any], **headers: str) -> list[Any]:
    """Send messages over one WebSocket; return what came back, an int for an early end."""
    scope = {"type": "websocket", "path": "/ws", "root_path": "", "query_string": b""}
    scope |= {"client": ("10.0.0.1", 1), "subprotocols": []}
    told = {"host": "localhost", **headers}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in told.items()]
    waiting: list[dict[str, Any]] = [{"type": "websocket.connect"}]
    waiting += [{"type": "websocket.receive", "text": json.dumps(each)} for each in said]
    found: list[Any] = []

    async def receive_message() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "websocket.disconnect", "code": 1000}

    async def send_message(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            found.append(json.loads(message["text"]))
        elif message["type"] == "websocket.close":
            found.append(message["code"])

    asyncio.run(one.client.app(scope, receive_message, send_message))
    return found


def test_every_route_but_health_needs_the_token(worker):
    one = worker(token="secret")
    routes = list_routes(one)
    assert ("WS", "/ws") in routes and len(routes) >= 15
    for method, path in routes:
        for said in ({}, {"authorization": "Bearer"}, {"authorization": "Bearer secre"}):
            if method == "WS":
                assert talk_websocket(one, {"op": "rows"}, **said) == [1008], said
            else:
                status, text = one.client.request_bytes(method, path, b"{}", **said)
                assert status == (200 if path == "/healthz" else 401), (method, path, said)
                assert status == 200 or b"Authorization" in text or method == "HEAD"
    (answer,) = talk_websocket(one, {"op": "rows"}, authorization="Bearer secret")
    assert answer["code"] == 200


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("localhost", None, True),
        ("LOCALHOST:8000", None, True),
        ("127.0.0.1:8000", None, True),
        ("127.4.5.6", None, True),
        ("[::1]:8000", None, True),
        ("localhost:8000", "http://localhost:8000", True),
        ("localhost:8000", "http://localhost:8001", False),
        ("localhost:8000", "https://evil.example", False),
        ("localhost:8000", "null", False),
        ("localhost:8000", "", False),
        ("evil.example", None, False),
        ("evil.example", "http://evil.example", False),
        ("localhost.evil.example", None, False),
        ("evil.example@localhost", None, True),  # a browser sends no such host
        ("127.0.0.1.evil.example:8000", None, False),
        ("10.0.0.1", None, False),
        ("[::1", None, False),
        ("", None, False),
    ],
)
def test_pages_of_other_sites_are_refused(worker, host, origin, allowed):
    one = worker()
    told = {"host": host} | ({} if origin is None else {"origin": origin})
    for method, path in list_routes(one):
        if method == "WS":
            refused = talk_websocket(one, {"op": "rows"}, **told) == [1008]
        else:
            refused = one.client.request_bytes(method, path, b"{}", **told)[0] == 403
        assert refused is not allowed, (method, path)


def test_a_token_stands_for_the_host(worker):
    """A proxy keeps the name of the site; no page of another site has the token."""
    one = worker(token="secret")
    told = {"host": "trainer.example", "authorization": "Bearer secret"}
    assert one.client.request_bytes("GET", "/", **told)[0] == 200
    assert explain_foreign_request("trainer.example", None, local=False) is None
    assert explain_foreign_request("a.example", "http://b.example", local=False) is not None


def finish(text):
    part = {"type": "output_text", "text": text}
    return {"output": [{"type": "message", "role": "assistant", "content": [part]}]}


def test_a_row_is_no_oracle(worker, reference):
    """Each way to a grade counts, on every worker; what is sent again does not count again."""
    name, other = [name for name in reference if "labyrinth" in name][:2]
    two = [worker(attempts=4) for _ in range(2)]

    def verify(k, reply, row=name):
        return two[k].ask("POST", "/verify", {"items": [{"id": row, "reply": reply}]})[1]["results"]

    for k in (0, 1, 0):
        assert verify(k, "first")[0]["reward"] == 0
    assert (
        "reward"
        in talk_websocket(two[1], {"op": "verify", "items": [{"id": name, "reply": "2"}]})[0][
            "results"
        ][0]
    )
    body = {"id": name, "response": finish("third")}
    assert two[0].ask("POST", "/verify", body)[1]["reward"] == 0
    session = two[1].ask("POST", "/sessions", {"id": name})[1]["session"]
    # Four are used: nothing more is graded, by any of these ways, but what was graded before.
    right = reference[name][0]
    for k in (0, 1):
        assert "answered 4 times" in verify(k, right)[0]["error"]
        assert "training=true" in verify(k, right)[0]["error"]
        assert verify(k, "first")[0]["reward"] == 0
        (answer,) = talk_websocket(
            two[k], {"op": "verify", "items": [{"id": name, "reply": right}]}
        )
        assert "reward" not in answer["results"][0]
        status, told = two[k].ask("POST", "/verify", {"id": name, "response": finish(right)})
        assert status == 400 and "reward" not in told and "4 times" in told["error"]
        status, told = two[k].ask("POST", "/sessions", {"id": name})
        assert status == 429 and "session" not in told
        assert two[k].ask("POST", "/seed_session", {"id": name})[0] == 429
        assert talk_websocket(two[k], {"op": "open", "id": name})[0]["code"] == 429
        assert verify(k, reference[other][0], other)[0]["reward"] == 1  # another row
    assert two[0].ask("GET", "/healthz")[1]["sessions"] == 1
    path = f"/sessions/{session}/replies"
    assert two[0].ask("POST", path, {"text": right, "turn": 0})[1]["reward"] == 1
    # Many in one request, a worker that starts later, another token, and a trainer.
    items = [{"id": other, "reply": str(k)} for k in range(9)]
    results = worker(attempts=4).ask("POST", "/verify", {"items": items})[1]["results"]
    assert ["reward" in one for one in results] == [True] * 3 + [False] * 6
    caller = worker(attempts=4, token="new")
    status, text = caller.client.request_bytes(
        "POST", "/verify", json.dumps({"items": items}).encode(), authorization="Bearer new"
    )
    assert ["reward" in one for one in json.loads(text)["results"]] == [True] * 4 + [False] * 5
    results = worker(attempts=4, training=True).ask("POST", "/verify", {"items": items})[1][
        "results"
    ]
    assert all("reward" in one for one in results)


def test_unknown_rows_leave_no_trace(worker, reference):
    one = worker()
    items = [{"id": f"no/{k}", "reply": "x"} for k in range(50)]
    one.ask("POST", "/verify", {"items": items})
    assert one.service.store._db.execute("SELECT COUNT(*) FROM attempts").fetchone() == (0,)


def test_websockets_are_bounded(worker, monkeypatch):
    one = worker()
    one.client.app._sockets_left = 1
    for _ in range(3):  # each ends before the next begins
        assert talk_websocket(one, {"op": "rows"})[0]["code"] == 200
    one.client.app._sockets_left = 0
    assert talk_websocket(one, {"op": "rows"}) == [1008]
    assert one.client.app._sockets_left == 0
    assert one.ask("GET", "/")[0] == 200


def test_bodies_that_arrive_at_once_are_bounded(worker, monkeypatch):
    monkeypatch.setattr(request_guard, "BODIES", 2)
    one = worker(body=1024)
    body = [b" " * 1000, b"{}"]
    assert one.client.request_bytes("POST", "/rows", body)[0] == 200
    one.client.app._held = 1500  # of others
    status, text = one.client.request_bytes("POST", "/rows", body)
    assert status == 503 and b"retry" in text
    assert one.client.app._held == 1500
    one.client.app._held = 0
    assert one.client.request_bytes("POST", "/rows", [b" " * 1000, b" " * 1000])[0] == 413
    assert one.client.app._held == 0


def test_a_full_disk_refuses_and_recovers(worker, reference):
    """Nothing is half written, the server stays healthy, and goes on once there is room."""
    one, name = worker(), next(name for name in reference if "bit_query" in name)
    database = one.service.store._db
    session = one.ask("POST", "/sessions", {"id": name})[1]["session"]
    path = f"/sessions/{session}/replies"
    assert one.ask("POST", path, {"text": reference[name][0], "turn": 0})[0] == 200
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count={pages}")
    told, sent = 200, 1
    while told == 200 and sent < 60:
        status, said = one.ask("POST", path, {"text": "x" * 4000, "turn": sent})
        told, sent = status, sent + (status == 200)
    assert told == 503 and "full" in said["error"] and "retry" in said["error"]
    assert one.ask("POST", path, {"text": "x" * 4000, "turn": sent})[0] == 503
    assert one.ask("GET", "/healthz") == (200, {"status": "ok", "sessions": 1})
    assert one.ask("GET", f"/sessions/{session}")[1]["turn"] == sent
    database.execute("PRAGMA max_page_count=1000000")
    assert one.ask("POST", path, {"text": "x" * 4000, "turn": sent})[1]["turn"] == sent + 1
