"""Runners: what a shard costs whoever leads a build, and how many workers that keeps busy.

    make bench-runners           # or: python tests/benchmarks/bench_runners.py [local dask ray]

A build of text rows is made by each runner with two workers, and by one process. Workers say the
processor seconds of each shard; the leader's own, from the first stage to the last, are what
leading costs. Efficiency is the share of the workers' time in which they make shards. At 1 and 2
workers it is also measured by the clock, which means something on a quiet machine only; at all
counts it is simulated: workers take the costliest shard that is left, the leader handles one at a
time, and a stage waits for the one before. The simulated build has a hundred times the shards. The
peer is a leader that costs nothing.
"""

from __future__ import annotations

import heapq
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from targets import BenchTarget, heading, print_row, summary

from facelet.pipeline import cli
from facelet.pipeline.build import build_folder, job_runner

WORDS = ("build", "profile=smoke", "suites=inf_bench", "tasks=forward_2d_text", "levels=1-10")
SIZES = ("count=200", "stage.emit.rows=64", "quiet=true")
PACKAGES = {"dask": "distributed", "ray": "ray"}
SPENT = "BENCH_RUNNERS_SPENT"
RUN_STAGE = job_runner.StageRunner.run_stage
"""Where workers say what a shard cost, in the environment."""

MANY = 100
WORKERS = (1, 2, 16, 64)
LARGER = (1, 20)
"""How many shards of the measured build a simulated shard is worth; `stage.compose.items` says."""

LEAST = {2: 0.95, 16: 0.9}
"""Least efficiency of the largest shards that is asked for, by number of workers."""


def make_timed_shard(
    job: build_folder.ShardJob, number: int, out: Path, temporary: Path
) -> tuple[Path, build_folder.CompletionRecord]:
    """Make a shard, and say what it cost."""
    start = time.process_time()
    made = build_folder.run_shard_job(job, number, out, temporary)
    told = [type(job).__name__, time.process_time() - start]
    with open(os.environ[SPENT], "a") as file:
        file.write(json.dumps(told) + "\n")
    return made


def build_dataset(
    name: str, workers: int, folder: Path
) -> tuple[float, float, dict[str, list[float]]]:
    """Build, and return what the stages took.

    Returns:
        Seconds by the clock, seconds of the leader's processor, and those of shards by stage.
    """
    spent = folder / "spent"
    os.environ[SPENT] = str(spent)
    clock = own = 0.0

    def note_stage(*words: Any) -> Any:
        nonlocal clock, own
        start, used = time.perf_counter(), time.process_time()
        made = RUN_STAGE(*words)
        clock += time.perf_counter() - start
        own += time.process_time() - used
        return made

    job_runner.StageRunner.run_stage = note_stage  # type: ignore[method-assign]
    out = f"out={folder / 'out'}"
    assert cli.main([*WORDS, *SIZES, f"workers={workers}", f"runner={name}", out]) == 0
    stages: dict[str, list[float]] = defaultdict(list)
    for line in spent.read_text().splitlines():
        note_stage, seconds = json.loads(line)
        stages[note_stage].append(seconds)
    return clock, own, stages


def simulate_share(
    stages: dict[str, list[float]], workers: int, leading: float, larger: int
) -> float:
    """Return the share of the workers' time in which they make shards.

    Args:
        stages: seconds of each shard, by stage, in the order of the stages.
        workers: how many there are.
        leading: seconds of the leader for each shard.
        larger: how many measured shards one is worth.
    """
    now = 0.0
    for seconds in stages.values():
        free = [now] * workers  # when each worker is
        leader = now
        for one in sorted(seconds * MANY if len(seconds) > 1 else seconds, reverse=True):
            leader = max(leader, heapq.heappop(free)) + leading
            heapq.heappush(free, leader + one * larger)
        now = max(free)
    busy = sum(sum(own) * (MANY if len(own) > 1 else 1) for own in stages.values())
    return busy * larger / (workers * now)


def main() -> None:
    """Print what each runner costs, and how busy it keeps workers."""
    job_runner.run_shard_job = make_timed_shard  # type: ignore[assignment]
    names = sys.argv[1:] or ["local", "dask", "ray"]
    known = [n for n in names if n == "local" or importlib.util.find_spec(PACKAGES[n])]
    targets = []
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for name in ("alone", *known):
            (root / name).mkdir()
        # The first build also loads what all need.
        (root / "first").mkdir()
        build_dataset("local", 1, root / "first")
        alone, _, stages = build_dataset("local", 1, root / "alone")
        number, busy = sum(map(len, stages.values())), sum(map(sum, stages.values()))
        heading(f"{number} shards, {busy:.1f} s of a processor in one process", "")
        for name in known:
            clock, leader, stages = build_dataset(name, 2, root / name)
            leading = leader / number
            print_row(f"{name}: leading, ms of a processor a shard", f"{1000 * leading:.1f}")
            print_row(f"{name}: the clock at 1 and at 2 workers, s", f"{alone:.1f}, {clock:.1f}")
            print_row(f"{name}: at 2 workers, measured", f"{alone / clock / 2:.1%}")
            for larger in LARGER:
                mean = larger * busy / number
                for workers in WORKERS:
                    share = simulate_share(stages, workers, leading, larger)
                    print_row(
                        f"{name}: {workers} workers, simulated, {mean:.2f} s a shard",
                        f"{share:.1%}",
                    )
                    if larger == LARGER[-1] and workers in LEAST:
                        told = f"{name}: efficiency of {workers} workers, {mean:.2f} s a shard"
                        targets.append(BenchTarget(told, share, LEAST[workers], 0.99))
    summary(targets)


if __name__ == "__main__":
    main()
