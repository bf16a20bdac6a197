"""The server with pictures: 64 callers of two workers play labyrinths; memory and replies a second.

    python tests/benchmarks/bench_pictures.py [SECONDS]     # or: make bench-pictures SECONDS=600

Sixteen callers play one row at a time, as the rollouts of a group do, and every won play must have
reward 1. The peer is an application of Starlette with two workers that returns what it receives:
bodies as long as the mean answer of the server, from the same callers in the same run.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_serve import LOAD, memory_mib
from targets import BenchTarget, heading, print_row, summary

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from served import find_free_port, request_json, serve_folder, write_streams

from facelet.pipeline.rollout.row_opener import read_row, rows

PARTS = {"mazes.act": ("labyrinth/act", {"levels": "2-3"})}
CALLERS, GROUP, ROWS = 64, 16, 300
MEMORY, RATIO = 600, 0.4

Post = Callable[[str, Any], Any]


def measure_callers(
    port: int, seconds: float, play: Callable[[int, int, Post], int], watch: Callable[[], float]
) -> tuple[float, float]:
    """Let the callers work; return replies a second and the most that `watch` returned.

    Args:
        port: port of the application.
        seconds: how long they work.
        play: takes the number of a caller, the number of its play and a function that posts;
            returns how many replies it sent.
        watch: measures memory.
    """
    over, sent = threading.Event(), [0] * CALLERS

    def work(caller: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

        def post(path: str, body: Any) -> Any:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
            return json.loads(connection.getresponse().read())

        number = 0
        while not over.is_set():
            sent[caller] += play(caller, number, post)
            number += 1

    threads = [threading.Thread(target=work, args=(k,)) for k in range(CALLERS)]
    begun, most = time.monotonic(), 0.0
    for one in threads:
        one.start()
    while time.monotonic() - begun < seconds:
        time.sleep(1)
        most = max(most, watch())
    over.set()
    for one in threads:
        one.join()
    return sum(sent) / (time.monotonic() - begun), most


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    heading("application", "replies a second", "MiB at most")
    with tempfile.TemporaryDirectory() as name:
        folder = write_streams(Path(name) / "rows", PARTS, ROWS)
        right = {}
        for row in rows(folder):
            read = read_row(row)
            right[read.id] = read.task.reference(read.instance)
        names, lost, lengths = list(right), list[str](), list[int]()

        def play_row(caller: int, number: int, post: Post) -> int:
            name = names[(caller // GROUP + number * (CALLERS // GROUP)) % len(names)]
            session = post("/sessions", {"id": name})["session"]
            for turn, text in enumerate(right[name]):
                answer = post(f"/sessions/{session}/replies", {"text": text, "turn": turn})
                lengths.append(len(str(answer)))
            if answer.get("reward") != 1:
                lost.append(name)
            return len(right[name])

        port = find_free_port()
        with serve_folder(folder, port, "workers=2", "training=true") as process:
            rate, size = measure_callers(port, seconds, play_row, lambda: memory_mib(process))
        print_row("facelet serve", f"{rate:,.0f}", f"{size:,.0f}")

    def echo_text(caller: int, number: int, post: Post) -> int:
        post("/echo", {"text": body, "turn": number})
        return 1

    body = "x" * (sum(lengths) // len(lengths))
    port = find_free_port()
    command = [sys.executable, "-m", "uvicorn", "echo_application:app", f"--port={port}"]
    command += ["--workers=2", "--no-access-log", "--log-level=warning"]
    process = subprocess.Popen(command, cwd=LOAD)
    try:
        request_json(port, "GET", "/health")
        echo, _ = measure_callers(port, min(seconds, 60), echo_text, lambda: 0.0)
    finally:
        process.terminate()
        process.wait(30)
    print_row("echo", f"{echo:,.0f}", "")
    summary(
        [
            BenchTarget("MiB of the server", size, MEMORY, MEMORY, more=False),
            BenchTarget("replies, share of the echo's", rate / echo, RATIO, RATIO),
            BenchTarget("won plays without reward 1", len(lost), 0, 0, more=False),
        ]
    )


if __name__ == "__main__":
    main()
