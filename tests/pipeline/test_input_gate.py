"""What strangers send, changed at random: no status 500, and every good item is answered.

Rows of every task, bodies of every route, frames of a WebSocket, lines of predictions and of
puzzles are changed as `tests/shared/mutation.py` does. FACELET_MUTATIONS sets how many, over all;
`make test-hostile` takes 100,000.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgi import AsgiClient
from making import make_item
from mutation import NAMES, encode_value, mutate_bytes, mutate_value, nest_value
from served import write_streams

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.pipeline import family_modules, input_gate
from facelet.pipeline.cli import main
from facelet.pipeline.dataset.row_composer import RowPlace, compose_row
from facelet.pipeline.rollout.row_opener import rows
from facelet.pipeline.serve.episode_service import EpisodeService
from facelet.pipeline.serve.http_app import build_application
from facelet.pipeline.serve.row_source import open_source
from facelet.pipeline.serve.session_store import SessionStore
from facelet.pipeline.serve.settings import ServeSettings

MUTATIONS = int(os.environ.get("FACELET_MUTATIONS", "2000"))
PARTS = {
    "games.bit_query": ("arcade/bit_query", {"levels": "1"}),
    "mazes.maze_easy": ("labyrinth/plan", {"turns": 2, "setting": "visual"}),
}
SOLVED = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"


def share_of(part: float) -> int:
    return max(1, int(part * MUTATIONS))


@contextmanager
def limited_memory(size: int) -> Iterator[None]:
    """Let this process have at most so many bytes of addresses more in the block."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server in this process, and replies that win its rows."""
    root = tmp_path_factory.mktemp("gate")
    folder = write_streams(root / "data", PARTS, 3)
    settings = ServeSettings(
        dataset=str(folder), state=str(root / "state"), log="none", training=True, sessions=10**6
    )
    store = SessionStore(
        root / "state", most=10**6, idle=1e9, lifetime=1e9, most_over=10**6, kept=1e9
    )
    service = EpisodeService(open_source(settings), store, settings, "")
    won = {}
    for row in rows(folder):
        task = family_modules.load_task(row["task"])
        won[row["id"]] = task.reference(task.decode(row))
    app = build_application(service, settings, "")
    return SimpleNamespace(
        folder=folder, app=app, client=AsgiClient(app, {}), won=won, row=next(rows(folder))
    )


@pytest.fixture(scope="module")
def task_rows(resource: Callable[..., Any]) -> list[tuple[dict[str, Any], list[str]]]:
    """A row of every task, as JSON, and the replies that win it."""
    found = []
    for task in task_registry.tasks().values():
        params = task.params()
        instance = make_item(task, params, resource(task.needs(params)), (0, "gate"), 0)[0]
        difficulty = params.difficulty()
        place = RowPlace("a.b", "a", "test", difficulty, difficulty.label)
        row, _ = compose_row(task, instance, place, (0, None), Draw((0, "gate"), 0, 0))
        found.append((json.loads(json.dumps(row)), [*task.reference(instance)]))
    return found


def test_every_good_item_among_changed_rows_is_graded(web: Any, task_rows: Any) -> None:
    chance, batch = random.Random(1), 16
    good = [{"id": name, "replies": said} for name, said in web.won.items()]
    for _ in range(share_of(0.4) // batch + 1):
        items: list[Any] = []
        for _ in range(batch):
            row, said = chance.choice(task_rows)
            items.append({"row": mutate_value(row, chance), "replies": said})
            items.append(chance.choice(good))
        with limited_memory(2 << 30):
            status, body = web.client.request_bytes(
                "POST", "/verify", encode_value({"items": items})
            )
        found = json.loads(body)
        assert status == 200, found
        assert [one.get("reward") for one in found["results"][1::2]] == [1] * batch


def list_requests(web: Any) -> list[tuple[str, Any]]:
    """Return a path and a body of every route that takes one."""
    games, mazes = ([name for name in web.won if part in name] for part in ("bit", "labyrinth"))
    session = web.client.ask("POST", "/sessions", {"id": games[0]})[1]["session"]
    said = {"type": "message", "content": [{"type": "output_text", "text": "hi"}]}
    row = {"row": json.loads(json.dumps(web.row)), "replies": web.won[web.row["id"]]}
    return [
        ("/verify", {"items": [{"id": mazes[0], "reply": "U"}, row]}),
        ("/verify", {"id": mazes[0], "response": {"output": [said], "usage": {"input_tokens": 3}}}),
        ("/verify", {"id": mazes[0], "response": {"choices": [{"message": {"content": "hi"}}]}}),
        ("/sessions", {"id": games[0]}),
        ("/sessions", {"number": 4}),
        (f"/sessions/{session}/replies", {"text": "1 2", "turn": 0}),
        ("/rows", {"ids": games[:2]}),
        ("/rows", {"count": 2}),
        ("/seed_session", {"id": games[0], "verifier_metadata": {"id": games[1]}}),
        ("/reply", {"text": "hi"}),
    ]


def change_body(body: Any, chance: random.Random) -> bytes:
    data = encode_value(body)
    return (
        mutate_bytes(data, chance)
        if chance.random() < 0.4
        else encode_value(mutate_value(body, chance))
    )


def test_no_changed_body_is_an_internal_error(web: Any) -> None:
    chance, requests = random.Random(2), list_requests(web)
    for number in range(share_of(0.3)):
        path, body = chance.choice(requests)
        data = change_body(body, chance)
        status, answer = web.client.request_bytes("POST", path, data)
        assert status in (200, 201, 400, 404, 409, 422), (status, answer, data)
        json.loads(answer.decode(), parse_constant=pytest.fail)
        if number % 50 == 0:
            name, said = chance.choice(list(web.won.items()))
            found = web.client.ask("POST", "/verify", {"items": [{"id": name, "replies": said}]})
            assert found[1]["results"][0]["reward"] == 1


def test_a_reply_with_half_a_character_is_taken(web: Any) -> None:
    name = next(name for name in web.won if "bit" in name)
    session = web.client.ask("POST", "/sessions", {"id": name})[1]["session"]
    status, told = web.client.ask("POST", f"/sessions/{session}/replies", {"text": "a\ud800b"})
    assert status == 200 and told["turn"] == 1
    status, told = web.client.ask("GET", f"/sessions/{session}")
    assert status == 200 and "a?b" in json.dumps(told)


def test_every_good_frame_among_changed_ones_is_answered(web: Any) -> None:
    chance = random.Random(3)
    game = next(name for name in web.won if "bit" in name)
    name, said = next((name, said) for name, said in web.won.items() if "labyrinth" in name)
    session = web.client.ask("POST", "/sessions", {"id": game})[1]["session"]
    kinds = [
        {"op": "open", "id": game},
        {"op": "reply", "session": session, "text": "1 2", "turn": 0},
        {"op": "state", "session": session},
        {"op": "verify", "items": [{"id": name, "reply": "x"}]},
        {"op": "rows", "count": 1},
    ]
    good = encode_value({"op": "verify", "items": [{"id": name, "replies": said}]})
    frames = []
    for _ in range(share_of(0.2)):
        data = change_body(chance.choice(kinds), chance)
        frames += [data.decode("utf-8", "replace"), good.decode()]
    answers: list[dict[str, Any]] = []
    told = [{"type": "websocket.connect"}]
    told += [{"type": "websocket.receive", "text": frame} for frame in frames]
    told.append({"type": "websocket.disconnect", "code": 1000})
    waiting = iter(told)

    async def receive_frame() -> dict[str, Any]:
        return next(waiting)

    async def note_answer(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            answers.append(json.loads(message["text"]))

    scope = {
        "type": "websocket",
        "path": "/ws",
        "raw_path": b"/ws",
        "query_string": b"",
        "root_path": "",
        "scheme": "ws",
        "client": ("10.0.0.1", 1),
        "server": ("test", 80),
        "subprotocols": [],
        "headers": [(b"host", b"localhost:80")],
    }
    asyncio.run(web.app(scope, receive_frame, note_answer))
    assert len(answers) == len(frames)
    assert all(one["code"] in (200, 201, 400, 404, 409, 422) for one in answers)
    assert all(one["results"][0]["reward"] == 1 for one in answers[1::2])


def test_every_good_line_of_predictions_is_scored(web: Any, tmp_path: Path) -> None:
    """Each changed line has an id of its own, so that no good line is contradicted."""
    chance = random.Random(4)
    lines = [
        encode_value({"id": name, "model": "good", "prediction": said})
        for name, said in web.won.items()
    ]
    for number in range(share_of(0.05)):
        record = {
            "id": f"else/{number}",
            "model": "bad",
            "prediction": "A",
            "sample_idx": 0,
            "messages": [{"role": "assistant", "content": "A", "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        }
        lines.append(change_body(record, chance).replace(b"\n", b" "))
    (tmp_path / "p.jsonl").write_bytes(b"\n".join(lines))
    words = [f"dataset={web.folder}", f"predictions={tmp_path}/p.jsonl", f"out={tmp_path}/s"]
    assert main(["score", *words, "resamples=100", "verify=false"]) == 0
    results = json.loads((tmp_path / "s" / "results.json").read_text())
    (good,) = [one for one in results["models"] if one["model"] == "good"]
    splits = [split for config in good["configs"].values() for split in config["splits"].values()]
    assert sum(split["counts"]["correct"] for split in splits) == len(web.won)


def test_every_good_line_of_puzzles_becomes_a_row(tmp_path: Path) -> None:
    chance, lines, count = random.Random(5), [], 0
    for number in range(share_of(0.05)):
        lines.append(change_body({"id": f"x{number}", "scramble": "R U F2", "n": 3}, chance))
        if number % 20 == 0:
            lines.append(encode_value({"id": f"good{number}", "scramble": "R U F2"}))
            count += 1
    text = b"\n".join(line.replace(b"\n", b" ") for line in lines)
    (tmp_path / "theirs.jsonl").write_bytes(text)
    words = ["format=puzzles", "task=cube/move_prediction", "table=small"]
    assert main(["import", *words, f"file={tmp_path}/theirs.jsonl", f"out={tmp_path}/d"]) in (0, 1)
    found = [row["id"] for row in rows(tmp_path / "d")]
    assert sum("/good" in name and name.endswith("-00") for name in found) == count


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_passes_can_be_shown_and_stays_its_own(name: str) -> None:
    clean = input_gate.clean_name(name)
    assert clean.isprintable() and clean.encode() and clean != input_gate.clean_name(name + "x")
    assert input_gate.clean_name("gpt-4 (é, 模型)") == "gpt-4 (é, 模型)"
    assert len(input_gate.clean_name(name * 300)) == input_gate.MAX_NAME


def test_a_value_that_fits_nowhere_becomes_one_that_no_field_takes() -> None:
    kept = {"x": [(1 << 63) - 1, -(1 << 63), nest_value(60), "\U0001f600"], "y": True}
    said = {"large": 1 << 63, "huge": 1 << 5000, "deep": nest_value(80), "\ud800": "\udfff"}
    found = input_gate.parse_object(json.dumps(kept | said | {"nan": [float("nan")]}))
    deep = found.pop("deep")
    while deep:
        (deep,) = deep  # type: ignore[assignment, misc, str-unpack]
    assert deep is None
    assert found == kept | {"large": None, "huge": None, "?": "?", "nan": [None]}
