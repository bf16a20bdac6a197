"""What the leading process of `facelet score` takes by phase, and its bytes a row, by size.

`bench_score.py sizes=250000,1000000` runs it in fresh processes, each for a dataset of so many
rows with one prediction each. The limits: settling, counting and telling take at most twice what
`json.loads` alone takes for the same lines, before and after in the same process, threads of the
program included; and ten million stay under 8 GB, as the bytes a row between the smallest and the
largest size say. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

OWN = ("index", "extend", "settle", "populations", "count", "tell", "items", "tables")
"""The phases that are measured here; the others are reading, judging and hashing."""

LIMIT_PARSING = 2.0
LIMIT_BYTES, ROWS = 8e9, 10_000_000
JUDGED = 1_000_000
"""Rows from which on the limit of time holds."""


class PhaseClock:
    """Processor seconds of this process by phase; a phase inside another is not counted twice.

    Each thread has its own phases. What a thread hands to others belongs to the phase that it is
    in; what threads of compiled libraries take belongs to none.
    """

    def __init__(self) -> None:
        """Begin with the start of the process."""
        self.seconds: dict[str, float] = defaultdict(float)
        self._own = threading.local()
        self._lock = threading.Lock()

    def take_turn(self) -> None:
        """Give the seconds of this thread since its last turn to the phase at hand."""
        now = time.thread_time()
        with self._lock:
            self.seconds[self.open_phases[-1]] += now - getattr(self._own, "last", 0.0)
        self._own.last = now

    @property
    def open_phases(self) -> list[str]:
        """The phases that this thread is in, the outermost first."""
        found: list[str] = self._own.__dict__.setdefault("inside", ["start"])
        return found

    def wrap_function(self, phase: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose seconds belong to a phase; one that yields is run to its end."""

        @functools.wraps(call)
        def call_inside(*words: Any, **named: Any) -> Any:
            self.take_turn()
            self.open_phases.append(phase)
            try:
                found = call(*words, **named)
                return list(found) if isinstance(found, Iterator) else found
            finally:
                self.take_turn()
                self.open_phases.pop()

        return call_inside

    def wrap_pool(self, pool: type[ThreadPoolExecutor]) -> type[ThreadPoolExecutor]:
        """Return a pool whose threads work in the phase of the thread that asks them to."""
        phases = self

        class Pool(pool):  # type: ignore[misc, valid-type]
            """The pool."""

            def submit(self, call: Callable[..., Any], /, *words: Any, **named: Any) -> Any:
                return super().submit(
                    phases.wrap_function(phases.open_phases[-1], call), *words, **named
                )

        return Pool

    def measure_attribute(self, owner: Any, name: str, phase: str) -> None:
        """Measure a function of a module, or a method or cached property of a class."""
        found = vars(owner)[name]
        if isinstance(found, functools.cached_property):
            found = functools.cached_property(self.wrap_function(phase, found.func))
            found.__set_name__(owner, name)
        else:
            found = self.wrap_function(phase, found)
        setattr(owner, name, found)


def score_here(folder: Path, workers: int) -> None:
    """Score in a process of the program's own, and print what it took as JSON."""
    from bench_score import parsing_seconds

    before = parsing_seconds(folder)
    phases = PhaseClock()
    phases.take_turn()
    phases.seconds.clear()
    begun = time.process_time()
    peak = [0]
    done = threading.Event()
    watch = threading.Thread(target=_watch_memory, args=(peak, done), daemon=True)
    watch.start()
    from facelet.pipeline.cli import main
    from facelet.pipeline.scoring import scored_dataset, scorer, worker_pool
    from facelet.pipeline.scoring.grade import graded_columns, grader
    from facelet.pipeline.scoring.render import figure_tables, markdown

    vars(worker_pool)["ThreadPoolExecutor"] = phases.wrap_pool(worker_pool.ThreadPoolExecutor)
    phases.measure_attribute(scored_dataset.ScoredDataset, "row_index", "index")
    phases.measure_attribute(scored_dataset.ScoredSplit, "is_vouched", "hash")
    phases.measure_attribute(scored_dataset.ScoredSplit, "column_packs", "pack")
    phases.measure_attribute(scored_dataset.ScoredSplit, "row_kinds", "pack")
    phases.measure_attribute(graded_columns.EntryColumns, "append_block", "extend")
    phases.measure_attribute(scorer, "grade_predictions", "read and judge")
    phases.measure_attribute(grader, "settle_entries", "settle")
    phases.measure_attribute(grader, "iterate_populations", "populations")
    phases.measure_attribute(grader, "pair_looks", "populations")
    phases.measure_attribute(scorer, "aggregate", "count")
    phases.measure_attribute(scorer, "build_results", "tell")
    phases.measure_attribute(scorer, "write_items", "items")
    for module, name in (
        (figure_tables, "render_tables"),
        (markdown, "render_document"),
        (markdown, "render_summary"),
    ):
        phases.measure_attribute(module, name, "tables")
    words = [f"dataset={folder}/data", f"predictions={folder}/predictions.jsonl"]
    words += [f"out={folder}/out-phases", f"workers={workers}"]
    sys.argv = ["facelet", "score", *words]
    status = main()
    phases.take_turn()
    apart = time.process_time() - begun - sum(phases.seconds.values())
    phases.seconds["threads of compiled libraries"] = apart
    done.set()
    watch.join()
    report = {"status": status, "seconds": dict(phases.seconds), "peak": peak[0]}
    print("\n" + json.dumps(report | {"parsing": (before + parsing_seconds(folder)) / 2}))


def _watch_memory(peak: list[int], done: threading.Event) -> None:
    """Note the most memory that this process holds, in bytes, from now on."""
    while not done.wait(0.02):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        peak[0] = max(peak[0], pages * 4096)


def measure_scoring(folder: Path, rows: int, workers: int) -> dict[str, Any]:
    """Score a dataset in a fresh process, print its phases, and return what it took."""
    command = [sys.executable, __file__, str(folder), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if report["status"]:
        raise SystemExit(f"{rows:,} rows: facelet score ended with {report['status']}")
    seconds = report["seconds"]
    print(f"{rows:,} rows, workers={workers}: processor seconds of the leading process by phase")
    for name, spent in seconds.items():
        print(f"  {name:30} {spent:6.2f}{'' if name in OWN else '   (not measured here)'}")
    own = sum(seconds.get(name, 0.0) for name in OWN)
    times = own / report["parsing"]
    verdict = "kept" if times <= LIMIT_PARSING else "BROKEN"
    print(
        f"  together {own:.2f} s, {times:.2f} times json.loads of the same lines "
        f"({report['parsing']:.2f} s), limit {LIMIT_PARSING:g}: "
        f"{verdict if rows >= JUDGED else 'not judged, it is a small one'}; "
        f"peak memory {report['peak'] / 1e6:.0f} MB"
    )
    return report


def slope(peaks: dict[int, int]) -> None:
    """Print the bytes a row between the smallest and the largest size, and what they come to."""
    few, many = min(peaks), max(peaks)
    if few == many:
        return
    each = (peaks[many] - peaks[few]) / (many - few)
    whole = peaks[many] + each * (ROWS - many)
    print(
        f"{each:.0f} bytes a row from {few:,} to {many:,} rows; ten million take "
        f"{peaks[many] / 1e9:.2f} + {ROWS - many:,} x {each:.0f} B = {whole / 1e9:.1f} GB; limit "
        f"of {LIMIT_BYTES / 1e9:.0f} GB: {'kept' if whole <= LIMIT_BYTES else 'BROKEN'}"
    )


if __name__ == "__main__":
    score_here(Path(sys.argv[1]), int(sys.argv[2]))
