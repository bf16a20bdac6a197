"""The jail for code of a model: what a call costs, beside a bare Python and bubblewrap (if any).

    make bench-jail            # or: python tests/benchmarks/bench_jail.py [CALLS]

The code is empty, so all that is measured is the way in and out. A call of a function is a message
there and one back. Runs alternate; figures are medians, in milliseconds.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from targets import BenchTarget, heading, print_row, summary

from facelet.pipeline.rollout.jail import run_code
from facelet.pipeline.rollout.jail.jail_files import standard_library

MESSAGES = 1000


def list_peers() -> dict[str, Callable[[], object]]:
    """Return what is measured, by name; the first is what the overhead is over."""
    bare = [sys.executable, "-I", "-S", "-c", ""]
    ways: dict[str, Callable[[], object]] = {
        "bare Python": lambda: subprocess.run(bare, check=True, env={}),
        'jail="none"': lambda: run_code({}, "", jail="none"),
        "jail": lambda: run_code({}, ""),
    }
    if bwrap := shutil.which("bwrap"):
        seen = ["--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "--clearenv"]
        ways["bubblewrap, bare Python"] = lambda: subprocess.run([bwrap, *seen, *bare], check=True)
    return ways


def main(calls: int) -> None:
    """Print what a call and a message cost."""
    start = time.perf_counter()
    standard_library()
    first = time.perf_counter() - start
    ways = list_peers()
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(calls):
        for name, run in ways.items():
            start = time.perf_counter()
            run()
            took[name].append((time.perf_counter() - start) * 1e3)
    medians = {name: statistics.median(times) for name, times in took.items()}
    heading("way", "ms a call", "to a bare Python")
    for name, median in medians.items():
        print_row(name, f"{median:.1f}", f"{median / medians['bare Python']:.2f}")
    start = time.perf_counter()
    run_code({"f": int}, f"for _ in range({MESSAGES}): f()", seconds=600)
    message = ((time.perf_counter() - start) * 1e3 - medians["jail"]) / MESSAGES
    print_row("one message in the jail", f"{message:.3f}", "")
    print_row("once a process", f"{first * 1e3:.1f}", "")
    over = medians["jail"] - medians["bare Python"]
    summary([BenchTarget("ms that a jail adds to a call", over, 100, 30, more=False)])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
