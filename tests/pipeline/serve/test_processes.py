"""The server as processes: killed workers, a restart, the WebSocket, a flood of connections."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from served import find_free_port, list_workers, play_row, request_json, serve_folder
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

pytestmark = pytest.mark.slow


def test_workers_that_are_killed_cost_no_session_and_no_reward(served, reference):
    port, wrong = find_free_port(), list[str]()
    names = [name for name in reference if "bit_query" in name]
    over = threading.Event()
    rounds = [0] * 6

    def play_sessions(k: int) -> None:
        while not over.is_set():
            name = random.choice(names)
            play_row(port, name, reference[name], wrong)
            rounds[k] += 1

    with serve_folder(served, port, "workers=2", "training=true") as process:
        players = [threading.Thread(target=play_sessions, args=(k,)) for k in range(6)]
        for one in players:
            one.start()
        killed, deadline = 0, time.time() + 60
        while killed < 4 and time.time() < deadline:
            time.sleep(3)
            workers = list_workers(process)
            if len(workers) == 2:
                os.kill(workers[killed % 2], signal.SIGKILL)
                killed += 1
        time.sleep(3)
        over.set()
        for one in players:
            one.join()
    assert wrong == [] and killed == 4
    assert min(rounds) >= 1 and sum(rounds) >= 20


def test_a_worker_that_dies_before_it_answers_is_replaced_at_once(served):
    """The supervisor asks each worker whether it is well, and waits for no answer of the dead."""
    port = find_free_port()
    with serve_folder(served, port, "workers=2") as process:
        first = list_workers(process)
        os.kill(first[0], signal.SIGSTOP)
        time.sleep(2)  # it was asked
        os.kill(first[0], signal.SIGKILL)
        killed = time.time()
        while time.time() < killed + 40 and len(list_workers(process)) < 2:
            time.sleep(0.2)
        assert len(list_workers(process)) == 2 and first[0] not in list_workers(process)


def test_a_restart_is_a_replay(served, reference, tmp_path):
    port = find_free_port()
    name = next(name for name in reference if "bit_query" in name)
    said, state = reference[name], f"state={tmp_path / 'sessions'}"
    with serve_folder(served, port, state) as process:
        session = request_json(port, "POST", "/sessions", {"id": name})["session"]
        path = f"/sessions/{session}/replies"
        before = request_json(port, "POST", path, {"text": said[0], "turn": 0})
        process.kill()
    with serve_folder(served, port, state, "workers=2"):
        assert request_json(port, "POST", path, {"text": said[0], "turn": 0}) == before
        for turn, text in enumerate(said[1:], 1):
            told = request_json(port, "POST", path, {"text": text, "turn": turn})
        assert told["done"] and told["reward"] == 1


def test_workers_end_with_a_server_that_is_killed(served):
    port = find_free_port()
    with serve_folder(served, port, "workers=2") as process:
        workers = list_workers(process)
        assert len(workers) == 2
        process.kill()
        deadline = time.time() + 10
        while time.time() < deadline and any(map(is_alive, workers)):
            time.sleep(0.1)
        assert not any(map(is_alive, workers))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_all_of_it_over_one_websocket(served, reference, monkeypatch):
    monkeypatch.setenv("FACELET_SERVE_TOKEN", "abc")
    port = find_free_port()
    name = next(name for name in reference if "bit_query" in name)
    with serve_folder(served, port):
        with pytest.raises(Exception, match="40"), connect(f"ws://127.0.0.1:{port}/ws"):
            pass
        headers = {"Authorization": "Bearer abc"}
        with connect(f"ws://127.0.0.1:{port}/ws", additional_headers=headers) as door:

            def ask_socket(**said: Any) -> Any:
                door.send(json.dumps(said))
                return json.loads(door.recv())

            session = ask_socket(op="open", id=name)["session"]
            for turn, text in enumerate(reference[name]):
                told = ask_socket(op="reply", session=session, text=text, turn=turn)
            assert told["done"] and told["reward"] == 1 and told["code"] == 200
            assert ask_socket(op="state", session=session)["turn"] == len(reference[name])
            assert ask_socket(op="close", session=session)["closed"]
            assert ask_socket(op="close", session=session)["code"] == 404
            assert "op must be one of" in ask_socket(op="dance")["error"]
            door.send(b"bytes")
            with pytest.raises(ConnectionClosed):
                door.recv()


def test_a_flood_leaves_it_alive(served, reference):
    """Connections that say nothing, and bodies that never end, stop nobody else."""
    port = find_free_port()
    name = next(iter(reference))
    with serve_folder(served, port, "body=65536", "workers=2"):
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
        for k, one in enumerate(idle):
            if k % 2:
                one.sendall(b"POST /verify HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{")
            else:
                one.sendall(b"\xff\x00 nonsense \r\n\r\n")
        told = request_json(
            port, "POST", "/verify", {"items": [{"id": name, "reply": reference[name][0]}]}
        )
        assert "reward" in told["results"][0]
        big = request_json(port, "POST", "/verify", {"items": ["x" * 70000]}, tries=3)
        assert big["http"] == 413
        for one in idle:
            one.close()
        assert request_json(port, "GET", "/healthz")["status"] == "ok"


FILES = 256
"""File descriptors of a server that is flooded."""


@contextmanager
def serve_few_files(served: Path, port: int, *words: str) -> Iterator[None]:
    """A server whose workers may open few files; this process may open many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= 12 * FILES, "the test needs more file descriptors"
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
        stack.enter_context(serve_folder(served, port, *words))
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        yield


def time_health(port: int) -> float:
    """Return the seconds of one request for the health of the server, on a new connection."""
    begun = time.perf_counter()
    assert request_json(port, "GET", "/healthz", tries=1)["status"] == "ok"
    return time.perf_counter() - begun


HALVES = (
    b"",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /",
)
"""Requests that do not end: nothing, half a header, half a body, half a second request."""


def test_half_requests_are_dropped_in_time(served, reference):
    """Even one that sends a byte of its header now and then; a slow body and a WebSocket go on."""
    port, name = find_free_port(), next(iter(reference))
    with serve_folder(served, port):
        begun, dropped = time.time(), dict[int, float]()
        body = json.dumps({"items": [{"id": name, "reply": reference[name][0]}]}).encode()
        ends = [socket.create_connection(("127.0.0.1", port)) for _ in (*HALVES, 0, 1)]
        for one, half in zip(ends, (*HALVES, b"GET / HTTP/1.1\r\n", b""), strict=True):
            one.sendall(half)
            one.settimeout(0.01)
        trickle, slow = ends[-2:]
        head = f"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        slow.sendall(head.encode() + body[:1])
        sent = 1
        with connect(f"ws://127.0.0.1:{port}/ws") as door:
            while time.time() < begun + 18:
                time.sleep(1)
                slow.sendall(body[sent : sent + 1])
                sent += 1
                try:
                    trickle.sendall(b"x")
                except OSError:
                    dropped.setdefault(len(HALVES), time.time() - begun)
                for k, one in enumerate(ends[:-1]):
                    try:
                        while one.recv(65536):
                            pass
                        dropped.setdefault(k, time.time() - begun)
                    except TimeoutError:
                        pass
                    except OSError:
                        dropped.setdefault(k, time.time() - begun)
            door.send(json.dumps({"op": "rows"}))
            assert json.loads(door.recv())["code"] == 200
        slow.sendall(body[sent:])
        slow.settimeout(30)
        assert b"200 OK" in slow.recv(65536)
    assert sorted(dropped) == list(range(len(HALVES) + 1))
    assert max(dropped.values()) < 15, dropped


@pytest.mark.parametrize("half", HALVES[:3])
def test_it_is_healthy_with_ten_times_more_connections_than_files(served, reference, half):
    port, name = find_free_port(), next(iter(reference))
    seconds: list[float] = []
    with serve_few_files(served, port):
        idle: list[socket.socket] = []
        for k in range(10 * FILES):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            idle.append(one)
            if k >= 20 and half:
                try:
                    idle[k - 20].sendall(half)
                except OSError:
                    pass  # replaced already
            if k % (2 * FILES) == 2 * FILES - 1:
                seconds.append(time_health(port))
        item = {"id": name, "reply": reference[name][0]}
        assert request_json(port, "POST", "/verify", {"items": [item]}, tries=1)["results"]
        for one in idle:
            one.close()
    assert len(seconds) == 5 and max(seconds) < 1, seconds


def test_a_flood_of_websockets_leaves_room(served, reference):
    """Those within the bound are served, the others refused, and those that close leave room."""
    port = find_free_port()
    with serve_few_files(served, port), ExitStack() as stack:
        doors, refused = [], 0
        for _ in range(FILES):
            try:
                doors.append(stack.enter_context(connect(f"ws://127.0.0.1:{port}/ws")))
            except Exception as error:
                assert "40" in str(error) or "50" in str(error)
                refused += 1
        assert 16 <= len(doors) < FILES // 2 and refused
        assert time_health(port) < 1
        for door in doors:
            door.send(json.dumps({"op": "rows"}))
            assert json.loads(door.recv())["code"] == 200
        for door in doors:
            door.close()
        with connect(f"ws://127.0.0.1:{port}/ws") as door:
            door.send(json.dumps({"op": "rows"}))
            assert json.loads(door.recv())["code"] == 200
