"""A folder of rows, a server of its own processes, and who asks it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import facelet
from facelet.pipeline import family_modules
from facelet.pipeline.dataset.row_columns import arrow_schema


def write_streams(
    folder: Path, parts: Mapping[str, tuple[str, Mapping[str, Any]]], count: int
) -> Path:
    """Write rows that streams make, a config each: its task and what its stream is told."""
    for config, (task, told) in parts.items():
        made = list(islice(facelet.stream(task, images=True, **told), count))
        path = folder / config / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        kind = arrow_schema(family_modules.load_task(task).columns)
        pq.write_table(pa.Table.from_pylist(made, schema=kind), path)
    return folder


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def serve_folder(served: Path, port: int, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server of its own processes, which end with the block."""
    command = [str(Path(sys.executable).with_name("facelet")), "serve", f"dataset={served}"]
    process = subprocess.Popen([*command, f"port={port}", "log=none", *words])
    try:
        for _ in range(600):
            try:
                request_json(port, "GET", "/healthz", tries=1)
                break
            except OSError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def request_json(port: int, method: str, path: str, body: Any = None, tries: int = 200) -> Any:
    """Return the JSON of an answer; a connection that breaks is tried again."""
    data = None if body is None else json.dumps(body).encode()
    for k in range(tries):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {**json.load(error), "http": error.code}
        except (OSError, HTTPException):
            if k == tries - 1:
                raise
            time.sleep(0.05)
    raise AssertionError


def list_workers(process: subprocess.Popen[bytes]) -> list[int]:
    """The workers of a server: children that were spawned to serve."""
    found = subprocess.run(
        ["ps", "-ww", "--ppid", str(process.pid), "-o", "pid=", "-o", "args="],
        capture_output=True,
        text=True,
    )
    lines = [line.split(None, 1) for line in found.stdout.splitlines()]
    return [int(pid) for pid, args in lines if "spawn_main" in args]


def play_row(port: int, name: str, said: list[str], wrong: list[str]) -> None:
    """Play a row as its reference does, and once more badly; note every reward that is not due."""
    for replies, due in ((said, 1), (["no"] * 40, 0)):
        session = request_json(port, "POST", "/sessions", {"id": name})["session"]
        told: dict[str, Any] = {}
        for turn, text in enumerate(replies):
            told = request_json(
                port, "POST", f"/sessions/{session}/replies", {"text": text, "turn": turn}
            )
            if told.get("turn") != turn + 1:
                wrong.append(f"{name} turn {turn}: {told}")
                return
            if told["done"]:
                break
        if told.get("reward") != due:
            wrong.append(f"{name}: {told} where {due} is due")
