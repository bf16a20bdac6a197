"""Streams: rows a second of one core, and groups of replies that teach nothing, by sampler.

    make bench-stream           # or: python tests/benchmarks/bench_stream.py [SECONDS [TASKS]]

TASKS=arcade/ measures each task whose name begins so instead, at its first levels; TASKS=/ all.
TASKS=first measures the first row of each task and its memory, each in a process of its own; the
limit is 2 processor seconds and twice the mean cost of a row.
Pools of certified states and first rows are left out; the limit is 300 rows of text a second.
Simulated learners answer each row 16 times (tests/shared/learners.py); a group is dead when all
replies are right or all wrong. The peer of each sampler is `uniform` in the same run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from targets import BenchTarget, heading, print_row, summary

import facelet
from facelet.generators.core.params import list_params
from facelet.generators.core.task_registry import tasks
from facelet.pipeline.rollout.streams.frontier_sampler import Frontier, Pools
from facelet.pipeline.rollout.streams.row_stream import Stream
from facelet.pipeline.rollout.streams.samplers import Curriculum, Uniform

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from learners import LEARNERS, dead_group_share

LIMIT = 300
GROUPS, SEEDS = 2000, 3
TEXT = (
    ("labyrinth/plan", {"turns": 2, "setting": "symbolic"}),
    ("cube/move_prediction", {"levels": "1-5"}),
    ("cube/move_effect", {"levels": "1-5"}),
    ("cube/step_by_step", {"levels": "1-5"}),
    ("arcade/bit_query", {"levels": "1-3"}),
    ("arcade/maze_navigation", {"levels": "1-3"}),
)
PICTURES = (("jigsaw/perception", {}), ("labyrinth/plan", {"turns": 2, "setting": "visual"}))


def print_rates(named: str, seconds: float) -> None:
    """Print the rows a second of each task whose name begins so, and of those that are drawn."""
    heading("task, its first three levels", "rows a second a core", "drawn")
    for name in sorted(tasks()):
        if not name.startswith(named.removeprefix("/")):
            continue
        axes = [about for _, about, _ in list_params(tasks()[name].params) if about.axis]
        first = int(axes[0].low or 1) if axes else 1
        told = {"levels": f"{first}-{first + 2}"} if axes else {}
        bare = measure_row_rate(name, told, seconds, images=False)
        pictured = make_stream(name, told, images=True)[0].get("images")
        drawn = measure_row_rate(name, told, seconds, images=True) if pictured else 0
        print_row(name, f"{bare:,.0f}", f"{drawn:,.0f}" if pictured else "")


def make_stream(name: str, told: dict[str, object], images: bool) -> Stream:
    """Return a stream of a task; cubes take the table that is there at once."""
    more = {"told": {"table": "small"}} if name.startswith("cube/") else {}
    return facelet.stream(name, seed=11, images=images, **told, **more)


def measure_row_rate(name: str, told: dict[str, object], seconds: float, images: bool) -> float:
    """Return how many rows of a task one core makes in a second."""
    stream = make_stream(name, told, images)
    for _ in range(20):
        next(stream)
    start, rows = time.process_time(), 0
    while time.process_time() - start < seconds:
        next(stream)
        rows += 1
    return rows / (time.process_time() - start)


FIRST = """
import json, sys, time
import facelet
name, told, seconds = json.loads(sys.argv[1])
stream = facelet.stream(name, seed=11, **told)
next(stream)
first, rows = time.process_time(), 0
while rows < 2 or (rows < 200 and time.process_time() - first < seconds):
    next(stream)
    rows += 1
mean = (time.process_time() - first) / rows
lines = open("/proc/self/status").read().splitlines()
size = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if "kB" in line}
print(json.dumps([first, mean, size["VmRSS"], size["RssShmem"]]))
"""
DEEP = (
    ("cube/move_prediction", {"depth": 16}),
    ("cube/move_prediction", {"depth": 18}),
    ("cube/verification", {"depth": 15}),
    ("cube/move_effect", {"depth": 14}),
)


def print_first_rows(seconds: float) -> None:
    """Print what the first row of each task costs, with its process, and the memory of a stream."""
    print(f"load {os.getloadavg()[0]:.1f}")
    heading("task", "first row, s", "mean row, ms", "limit, s", "MB", "of it tables")
    slow = large = 0
    for name, told in [*((name, {}) for name in sorted(tasks())), *DEEP]:
        asked = json.dumps([name, told, seconds])
        made = subprocess.run(
            [sys.executable, "-c", FIRST, asked], capture_output=True, check=True, text=True
        )
        first, mean, size, tables = json.loads(made.stdout)
        limit = 2 + 2 * mean
        slow, large = slow + (first > limit), large + (size - tables > 150)
        label = " ".join([name, *(f"{key}={value}" for key, value in told.items())])
        print_row(label, f"{first:.2f}", f"{mean * 1000:.1f}", f"{limit:.2f}", size, tables)
    summary(
        [
            BenchTarget(
                "streams whose first row costs more than the limit", slow, 0, 0, more=False
            ),
            BenchTarget("streams above 150 MB beside tables", large, 0, 0, more=False),
        ]
    )


def main() -> None:
    """Print all tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    if sys.argv[2:] == ["first"]:
        print_first_rows(seconds)
        return
    if len(sys.argv) > 2:
        print_rates(sys.argv[2], seconds)
        return
    targets = []
    heading("stream", "rows a second a core")
    for name, told in TEXT:
        speed = measure_row_rate(name, told, seconds, images=False)
        print_row(name, f"{speed:,.0f}")
        targets.append(BenchTarget(f"{name}, rows a second", speed, LIMIT, 2 * LIMIT))
    for name, told in PICTURES:
        print_row(f"{name}, drawn", f"{measure_row_rate(name, told, seconds, images=True):,.0f}")
    choices = {"uniform": Uniform(), "curriculum": Curriculum(rows=256), "pools": Pools()}
    choices["frontier"] = Frontier()
    heading("learner", *(f"dead groups, {name}" for name in choices))
    for learner, shape in LEARNERS.items():
        shares = {
            name: sum(dead_group_share(choice, shape, GROUPS, seed) for seed in range(SEEDS))
            / SEEDS
            for name, choice in choices.items()
        }
        print_row(learner, *(f"{share:.1%}" for share in shares.values()))
        edge = shares["frontier"]
        targets.append(
            BenchTarget(f"{learner}: dead groups, frontier", edge, 0.10, 0.05, more=False)
        )
    summary(targets)


if __name__ == "__main__":
    main()
