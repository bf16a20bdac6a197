"""The two-phase solver beside package kociemba, in one run on the same states, as ratios.

Run from the repository's root (or `make bench-two-phase`):

    .venv/bin/python tests/benchmarks/bench_two_phase.py [states=1000] [nodes=1,100000,300000]

For each number of positions that a search may look at: milliseconds a state, the mean, median and
greatest length over uniform random states, and how many states there are of each length. The peer
stops at its first solution of the length that its own search finds acceptable. Ratios above one
are in favour of this solver. Times are processor time of one thread, tables ready.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean, median

import kociemba

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.compiled_cores import two_phase as core
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED

sys.path.insert(0, str(Path(__file__).parents[2] / "data" / "certified_search"))

from uniform_states import random_state


def measure_solver(
    name: str, states: Sequence[str], solve: Callable[[str], Sequence[str]], peer: float
) -> float:
    """Print a row, and return the milliseconds a state."""
    times, lengths = [], []
    for state in states:
        start = time.thread_time()
        solution = tuple(solve(state))
        times.append(1000 * (time.thread_time() - start))
        if moves.apply_maneuver(state, solution) != SOLVED:
            raise SystemExit(f"{name} does not solve {state}")
        lengths.append(len(solution))
    counted = Counter(lengths)
    spread = ", ".join(f"{counted[length]} of {length}" for length in sorted(counted))
    ratio = peer / mean(times) if peer else 1.0
    print(
        f"| {name} | {mean(times):.2f} | {median(times):.2f} | {max(times):.2f} | {ratio:.2g} | "
        f"{mean(lengths):.2f} | {median(lengths):g} | {max(lengths)} | {spread} |",
        flush=True,
    )
    return mean(times)


def main() -> None:
    """Print everything."""
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    states = [
        random_state(make_generator("bench", "two-phase", number))
        for number in range(int(given.get("states", "100")))
    ]
    kociemba.solve(states[0])
    start = time.thread_time()
    two_phase_solver.find_solution(SOLVED)
    print(f"tables: {core.BYTES / 1e6:.1f} MB, {time.thread_time() - start:.2f} s\n")
    print("| solver | ms, mean | median | max | faster | moves, mean | median | max | states |")
    print("|---|" + "--:|" * 7 + "---|")
    peer = measure_solver("kociemba", states, lambda state: kociemba.solve(state).split(), 0)
    for nodes in map(
        int, given.get("nodes", f"1,30000,{two_phase_solver.NODES},2000000").split(",")
    ):
        measure_solver(
            f"{nodes:,} positions",
            states,
            partial(two_phase_solver.find_solution, nodes=nodes),
            peer,
        )
    for length in (21, 20):
        solve = partial(two_phase_solver.find_solution, nodes=10**8, at_most=length)
        measure_solver(f"until {length} moves", states, solve, peer)


if __name__ == "__main__":
    main()
