"""Labels in bulk: exact distances a processor second, whole cosets written, split by phase.

Run from the repository's root (or `make bench-labels`):

    .venv/bin/python tests/benchmarks/bench_labels.py [depth=16] [labels=0] [facelets=true]

One coset (coset=NUMBER: another) is searched to the depth, on all cores, and written as `facelet
labels` writes it, under out=FOLDER for as long as it runs; labels=N writes so many of the last
level only. Processor seconds are user and system of the whole process. The limit is 1,000,000
labels a processor second, table and files included, where all labels are written. The peer is the
certifier, one state at a time, in the same run: states of the depth, its table of 0.3 GiB ready. To
16 it takes 6 GB of memory, 6 GB of disk and some six minutes of a processor.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from facelet.generators.cube.distance.coset_search import CosetLevel, CosetSearch, CosetTables
from facelet.generators.cube.distance.coset_states import codes_to_facelets
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.pipeline.cube.frozen_memory import allocate_anonymous
from facelet.pipeline.cube.labels import label_maker, label_writer
from facelet.pipeline.cube.labels.label_maker import draw_level
from facelet.pipeline.cube.labels.label_writer import CosetRecord
from facelet.pipeline.cube.labels.settings import LabelsSettings
from facelet.pipeline.cube.table_cache import open_table

LIMIT = 1_000_000

spent: dict[str, float] = defaultdict(float)
"""Processor seconds by phase."""

guard = threading.Lock()


def processor_seconds() -> float:
    """Return the processor seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def measure_phase(name: str) -> Iterator[None]:
    """Count what the whole process spends in the block."""
    start = processor_seconds()
    yield
    spent[name] += processor_seconds() - start


def count_seconds(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that counts what its own thread spends in it."""

    def call_counted(*args: Any, **keys: Any) -> Any:
        start = time.thread_time()
        try:
            return work(*args, **keys)
        finally:
            with guard:
                spent[name] += time.thread_time() - start

    return call_counted


def search_levels(search: CosetSearch, number: int, depth: int) -> Iterator[CosetLevel]:
    """Yield levels, counting the search of each."""
    levels = search.iterate_levels(
        number, depth, lambda *step: print("\r", *step, end="", file=sys.stderr)
    )
    for now in range(depth + 1):
        with measure_phase(f"search, level {now}" if now >= depth - 1 else "search, levels before"):
            level = next(levels)
        yield level


def main() -> None:
    """Print everything."""
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    depth, asked = int(given.get("depth", "16")), int(given.get("labels", "0"))
    number = int(given.get("coset", "123456789"))
    started, begun = time.perf_counter(), processor_seconds()
    label_writer.codes_to_facelets = count_seconds("  facelets", label_writer.codes_to_facelets)
    label_writer.codes_to_marks = count_seconds("  marks, for splits", label_writer.codes_to_marks)
    label_writer.hash_file = count_seconds("  hashes of files", label_writer.hash_file)
    label_writer.pq.write_table = count_seconds("  Parquet", label_writer.pq.write_table)
    with measure_phase("tables"):
        tables = CosetTables(allocate_anonymous)
    search = CosetSearch(tables, allocate_anonymous)
    coset = CosetRecord(number, 0, "")
    sample = np.empty(0, dtype=np.uint64)
    found = 0
    with tempfile.TemporaryDirectory(dir=given.get("out")) as folder:
        settings = LabelsSettings(
            out=Path(folder), facelets=given.get("facelets", "true") == "true", progress=False
        )
        for level in search_levels(search, number, depth):
            coset.levels.append(level.state_count)
            found += level.state_count
            if level.depth == depth:
                sample = (
                    level.codes(0, 40320)[:: max(1, level.state_count // 20)][:20]
                    if level.state_count < 10**8
                    else level.codes(0, 40)[::20000][:20]
                )
            share = None
            if asked:
                rest = asked - sum(coset.label_count(d) for d in range(depth))
                share = rest if level.depth == depth else round(asked * level.state_count / 10**9)
            with measure_phase("files"), label_maker._StageBar(False, "") as bar:
                label_maker._write_labels(
                    settings, tables, coset, draw_level(level, 0, number, share), None, bar
                )
        written = sum(file.rows for file in coset.files)
        size = sum(file.bytes for file in coset.files)
    total, clock = processor_seconds() - begun, time.perf_counter() - started
    print(f"\ncoset {number}, levels {coset.levels[9:]} from 9 on: {found:,} states")
    print(f"{written:,} labels written, {size / 1e9:.2f} GB, {size / written:.1f} bytes a label\n")
    print("| phase | processor seconds | share | ns a label |\n|---|--:|--:|--:|")
    for name, seconds in spent.items():
        of = found if name.startswith("search") or name == "tables" else written
        print(f"| {name} | {seconds:.1f} | {seconds / total:.0%} | {seconds / of * 1e9:.0f} |")
    print(f"| all | {total:.1f} | by the clock {clock:.0f} s | |")
    rate = written / total
    print(f"\n{rate:,.0f} labels a processor second; limit {LIMIT:,}: {rate / LIMIT:.2f}x")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"memory at most {peak:.2f} GB; limit 8.6: {peak / 8.6:.2f}x")
    for labels in (10**9, 10**10):
        hours = labels / rate / 3600
        print(
            f"{labels:.0e} labels: {labels / found:,.0f} cosets, {hours:,.1f} core-hours, "
            f"{labels * size / written / 1e9:,.0f} GB; 64 cores: {hours / 64:.2f} h"
        )
    solver = ExactSolver(open_table("htm-default", progress=False))
    letters = codes_to_facelets(tables, number, sample)
    start = processor_seconds()
    for row in letters:
        if solver.solve_state(row.tobytes().decode()).optimal_length != depth:
            raise SystemExit(f"{row.tobytes().decode()} is not at {depth}")
    if len(letters):
        alone = (processor_seconds() - start) / len(letters)
        print(
            f"the certifier, {len(letters)} of the states at {depth}, all as labelled: {alone:.3f} "
            f"processor seconds each; labels are {alone * rate:,.0f} times as fast"
        )


if __name__ == "__main__":
    main()
