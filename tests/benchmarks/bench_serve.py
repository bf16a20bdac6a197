"""The server under load of wrk: replies and steps a second, their tails, memory of open sessions.

    make bench-serve            # or: python tests/benchmarks/bench_serve.py seconds=10 peer=PYTHON

Two workers and wrk share the cores of this machine, over loopback. Replies come 64 in a request;
steps are those of a text game. First as fast as it goes, then at half of the stated load for the
99th percentile. A second figure counts the processor time of the server alone, which a busy machine
changes less. `peer` names a Python that has openenv-core: an environment on it that only echoes
is measured in the same run, also with two workers. Needs wrk (apt install wrk).

`kills=10` kills a worker every ten seconds of one more load, of `seconds`. Every answer of wrk's
must then be the first one to the letter, six players count rewards that are not due, and sessions
that were open before are played to their ends after it. `only=kills` measures nothing else.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from targets import BenchTarget, heading, print_row, summary

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from served import find_free_port, list_workers, play_row, request_json, serve_folder, write_streams

from facelet.pipeline import family_modules
from facelet.pipeline.rollout.row_opener import rows

LOAD = Path(__file__).parent / "load"
PARTS = {
    "cubes.move_effect": ("cube/move_effect", {"levels": "1-5", "told": {"table": "small"}}),
    "mazes.plan": ("labyrinth/plan", {"turns": 2, "setting": "symbolic"}),
    "games.bit_query": ("arcade/bit_query", {"levels": "1-3"}),
}
LATE = 10
"""Seconds after which an answer counts as an error (`timeout`); the tail tells of shorter waits."""
BATCH, REPLIES, STEPS, SESSIONS = 64, 6000, 1500, 16384
PLAYERS, HELD = 6, 500
"""Players that count rewards while workers are killed, and sessions that wait until it is over."""
SAID = "I look at it for a while. " * 20 + "<ANSWER>B</ANSWER>"


@dataclass(frozen=True)
class LoadFigures:
    """What wrk measured, and what it cost.

    Attributes:
        rate: requests a second that were answered; those that were refused do not count.
        tail: milliseconds of the 99th percentile; infinite where any was refused, as a refusal
            takes no time.
        errors: answers that were errors, and connections that broke.
        kinds: the errors by kind, in words.
        own: answered requests in a second of the server's processor time.
    """

    rate: float
    tail: float
    errors: int
    kinds: str
    own: float


def run_wrk(
    server: subprocess.Popen[bytes],
    port: int,
    script: str,
    seconds: float,
    connections: int,
    *told: str,
) -> LoadFigures:
    """Load a server with a script for some seconds."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--latency"]
    command += ["--timeout", f"{LATE}s", "-s", str(LOAD / script)]
    command += [f"http://127.0.0.1:{port}", "--", *told]
    spent = processor_seconds(server)
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    spent = processor_seconds(server) - spent
    rate = float(re.search(r"Requests/sec:\s*([\d.]+)", said)[1])
    amount, unit = re.search(r"99%\s*([\d.]+)(us|ms|s)", said).groups()
    tail = float(amount) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    sockets = re.search(r"Socket errors: (.*)", said)
    kinds = dict(re.findall(r"(\w+) (\d+)", sockets[1])) if sockets else {}
    refused = int((re.findall(r"Non-2xx or 3xx responses: (\d+)", said) or ["0"])[0])
    kinds["refused"] = str(refused)
    errors = sum(map(int, kinds.values()))
    shown = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if int(count))
    requests = int(re.search(r"(\d+) requests in", said)[1])
    rate *= 1 - refused / max(requests, 1)
    tail = float("inf") if refused else tail
    return LoadFigures(rate, tail, errors, shown or "0", (requests - refused) / max(spent, 0.01))


def run_paced(
    server: subprocess.Popen[bytes], port: int, script: str, seconds: float, rate: float, *told: str
) -> LoadFigures:
    """Load a server at about a rate: each of 16 connections waits between its requests."""
    text = (LOAD / script).read_text() + f"function delay() return {16_000 / rate:.0f} end\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(text)
        file.flush()
        return run_wrk(server, port, file.name, seconds, 16, *told)


def server_processes(process: subprocess.Popen[bytes]) -> list[int]:
    """Return a server and all its workers."""
    command = ["ps", "-e", "-o", "pid=", "-o", "ppid="]
    told = subprocess.run(command, capture_output=True, text=True).stdout
    pairs = [tuple(map(int, line.split())) for line in told.splitlines()]
    return [process.pid, *(pid for pid, parent in pairs if parent == process.pid)]


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the seconds of processor time that a server and its workers have taken."""
    ticks = 0
    for pid in server_processes(process):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mib(process: subprocess.Popen[bytes]) -> float:
    """Return the MiB of a server and all its workers, each shared page counted once."""
    size = 0
    for pid in server_processes(process):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        size += int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1])
    return size / 1024


def write_bodies(folder: Path, out: Path) -> None:
    """Write request bodies of BATCH replies each."""
    ids = [row["id"] for row in rows(folder) if row["task"] != "arcade/bit_query"]
    with out.open("w") as file:
        for k in range(32):
            chosen = [ids[(k * BATCH + place) % len(ids)] for place in range(BATCH)]
            items = [{"id": name, "reply": SAID} for name in chosen]
            file.write(json.dumps({"items": items}) + "\n")


def measure_kills(folder: Path, work: Path, seconds: float, every: float) -> list[BenchTarget]:
    """Kill workers under load, print what it cost, and return what must be none."""
    port, wrong, over = find_free_port(), list[str](), threading.Event()
    won = {
        row["id"]: family_modules.load_task(row["task"]).reference(
            family_modules.load_task(row["task"]).decode(row)
        )
        for row in rows(folder)
    }
    games = [name for name in won if "bit_query" in name]
    singles = [name for name in won if name not in games][:BATCH]
    said = [(won[name][0], SAID)[k % 2] for k, name in enumerate(singles)]
    batch = [{"id": name, "reply": reply} for name, reply in zip(singles, said, strict=True)]
    plays, kills = [0] * PLAYERS, 0

    def play_sessions(k: int) -> None:
        choice = random.Random(k)
        while not over.is_set():
            name = choice.choice(games)
            play_row(port, name, won[name], wrong)
            plays[k] += 1

    def finish_sessions(held: dict[str, str]) -> int:
        lost = 0
        for session, name in held.items():
            for turn, text in enumerate(won[name]):
                body = {"text": text, "turn": turn}
                told = request_json(port, "POST", f"/sessions/{session}/replies", body)
            lost += told.get("reward") != 1
        return lost

    with serve_folder(
        folder, port, "workers=2", f"sessions={SESSIONS}", "idle=3600", "training=true"
    ) as process:
        request, answer = work / "request", work / "answer"
        request.write_text(json.dumps({"items": batch}) + "\n")
        answer.write_text(check_answer(port, request.read_bytes().strip()) + "\n")
        held = {}
        for k in range(HELD):
            name = games[k % len(games)]
            session = request_json(port, "POST", "/sessions", {"id": name})["session"]
            request_json(
                port, "POST", f"/sessions/{session}/replies", {"text": won[name][0], "turn": 0}
            )
            held[session] = name
        players = [threading.Thread(target=play_sessions, args=(k,)) for k in range(PLAYERS)]
        for one in players:
            one.start()
        command = ["wrk", "-t1", "-c8", f"-d{seconds:.0f}s", f"--timeout={LATE}s"]
        command += ["-s", str(LOAD / "checked.lua"), f"http://127.0.0.1:{port}"]
        load = subprocess.Popen(
            [*command, "--", str(request), str(answer)], stdout=subprocess.PIPE, text=True
        )
        due = time.monotonic() + every
        while load.poll() is None:
            time.sleep(0.1)
            workers = list_workers(process) if time.monotonic() >= due else []
            if len(workers) == 2:  # the last one was replaced
                os.kill(workers[kills % 2], signal.SIGKILL)
                kills, due = kills + 1, time.monotonic() + every
        told = load.communicate()[0]
        over.set()
        for one in players:
            one.join()
        lost = finish_sessions(held)
    answered = int(re.search(r"(\d+) requests in", told)[1])
    mistaken = int(re.search(r"wrong answers: (\d+)", told)[1])
    broken = re.search(r"Socket errors: (.*)", told)
    heading("workers killed", "replies graded", "episodes played", "connections that broke")
    print_row(
        kills, f"{answered * BATCH:,}", f"{2 * sum(plays):,}", broken[1] if broken else "none"
    )
    for line in wrong[:5]:
        print(line)
    return [
        BenchTarget("workers killed under load", kills, 1, seconds // every // 2),
        BenchTarget("rewards that were not due", mistaken + len(wrong), 0, 0, more=False),
        BenchTarget(f"of {HELD} open sessions, lost", lost, 0, 0, more=False),
    ]


def check_answer(port: int, body: bytes) -> str:
    """Return the text of an answer, in which every second reply must be right."""
    asking = urllib.request.Request(f"http://127.0.0.1:{port}/verify", body, method="POST")
    with urllib.request.urlopen(asking, timeout=60) as answer:
        text = answer.read().decode()
    rewards = [result["reward"] for result in json.loads(text)["results"]]
    assert rewards[::2] == [1.0] * len(rewards[::2]) and len(rewards) == BATCH, rewards
    return text


def measure_peer(python: str, seconds: float) -> LoadFigures:
    """Measure the environment that echoes."""
    port = find_free_port()
    command = [python, "-m", "uvicorn", "echo_environment:app", f"--port={port}", "--workers=2"]
    # Its imports take longer than workers are waited for.
    command += ["--timeout-worker-healthcheck=120", "--no-access-log", "--log-level=warning"]
    process = subprocess.Popen(command, cwd=LOAD)
    try:
        for _ in range(1800):  # its imports take seconds
            try:
                request_json(port, "GET", "/health", tries=1)
                break
            except OSError:
                time.sleep(0.1)
        time.sleep(10)
        return run_wrk(process, port, "echo.lua", seconds, 32)
    finally:
        process.terminate()
        process.wait(30)


def main() -> None:
    """Print all tables."""
    if shutil.which("wrk") is None:
        raise SystemExit("bench_serve needs wrk; install it with: apt install wrk")
    told = dict(word.split("=", 1) for word in sys.argv[1:])
    seconds = float(told.get("seconds", 10))
    targets: list[BenchTarget] = []

    def show_load(name: str, load: LoadFigures) -> LoadFigures:
        print_row(name, f"{load.rate:,.0f}", f"{load.own:,.0f}", f"{load.tail:,.1f}", load.kinds)
        return load

    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        folder, file = write_streams(work / "rows", PARTS, 60), work / "bodies"
        if "kills" in told:
            targets += measure_kills(folder, work, seconds, float(told["kills"]))
        if told.get("only") == "kills":
            summary(targets)
            return
        heading("load", "requests a second", "a processor second", "99% within, ms", "errors")
        write_bodies(folder, file)
        port = find_free_port()
        words = ("workers=2", f"sessions={SESSIONS}", "idle=600", "training=true")
        with serve_folder(folder, port, *words) as process:
            request_json(port, "POST", "/verify", {"items": []})
            time.sleep(3)  # both workers are there
            run_wrk(process, port, "verify.lua", 2, 8, str(file))
            fast = show_load(
                "replies, 64 a request", run_wrk(process, port, "verify.lua", seconds, 8, str(file))
            )
            half = run_paced(process, port, "verify.lua", seconds, REPLIES / 2 / BATCH, str(file))
            show_load("replies, at half of the stated load", half)
            steps = show_load(
                "steps", run_wrk(process, port, "steps.lua", seconds, 32, "My Query: XOR 1 2")
            )
            calm = run_paced(process, port, "steps.lua", seconds, STEPS / 2, "My Query: XOR 1 2")
            show_load("steps, at half of the stated load", calm)
            while request_json(port, "GET", "/healthz")["sessions"] < SESSIONS:
                run_wrk(process, port, "open.lua", 2, 32)
            size = memory_mib(process)
            print_row(f"{SESSIONS:,} open sessions", f"{size:,.0f} MiB", "", "", "")
        targets += [
            BenchTarget("graded replies a second", fast.rate * BATCH, REPLIES, 2 * REPLIES),
            BenchTarget("replies a processor second", fast.own * BATCH, REPLIES / 2, REPLIES),
            BenchTarget("replies, 99% within ms at half load", half.tail, 100, 50, more=False),
            BenchTarget("steps a second", steps.rate, STEPS, 2 * STEPS),
            BenchTarget("steps a processor second", steps.own, STEPS / 2, STEPS),
            BenchTarget("steps, 99% within ms at half load", calm.tail, 100, 50, more=False),
            BenchTarget("MiB with all sessions open", size, 2048, 1024, more=False),
            BenchTarget(
                "errors", fast.errors + half.errors + steps.errors + calm.errors, 0, 0, False
            ),
        ]
    if "peer" in told:
        echo = show_load("peer: echo on openenv-core, steps", measure_peer(told["peer"], seconds))
        ratios = (f"{steps.rate / echo.rate:.2f}", f"{steps.own / echo.own:.2f}")
        print_row("ratio of steps to the peer's", *ratios, "", "")
    summary(targets)


if __name__ == "__main__":
    main()
