"""The certifier on one thread: seconds a proof, beside independent solvers, as ratios.

Run from the repository's root (or `make bench-certify`):

    .venv/bin/python tests/benchmarks/bench_certify.py [depths=12-17] [states=5] [large=true]
        [command='SOLVER']

Certify proves a known solution optimal; solve starts from nothing. Peers in the same run:
Reid's optimal solver (in the quarter-turn metric, against the same metric here; package
passagemath-rubiks), the two-phase solver of kociemba (fast, proves nothing), and any program given
as `command`, which is handed a maneuver on a line of its standard input and timed until it ends.
Times are processor seconds of one thread; a peer's are those of its process.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import kociemba
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from generators.cube.distance import sampling, tables
from generators.cube.distance.solver import Solver
from generators.cube.engine import cubies, moves, notation
from generators.cube.engine.facelets import SOLVED
from generators.cube.engine.notation import Maneuver
from generators.cube.states import Metric
from pipeline.options import parse_depths
from pipeline.tables import open_table

REID_EDGES = "UF UR UB UL DF DR DB DL FR FL BR BL".split()
REID_CORNERS = "UFR URB UBL ULF DRF DFL DLB DBR".split()


def exact(solver: Solver, depth: int, count: int) -> list[tuple[str, Maneuver]]:
    """Return states of exactly that depth with a solution; random words that prove optimal."""
    rng = np.random.default_rng(depth)
    found: list[tuple[str, Maneuver]] = []
    while len(found) < count:
        word = sampling.random_word(solver.metric, depth, rng)
        state, solution = moves.apply(SOLVED, word), notation.invert(word)
        if solver.certify(state, solution).optimal_length == depth:
            found.append((state, solution))
    return found


class Clock:
    """Processor seconds of this thread inside a with block."""

    def __enter__(self) -> Clock:
        self.start = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.thread_time() - self.start


def reid_text(state: str) -> str:
    """Return a state as Reid's solver reads it: the stickers at each place, in its order."""
    places = {
        frozenset(name): [9 * "URFDLB".index(face) + 4 for face in name]
        for name in (*REID_EDGES, *REID_CORNERS)
    }
    facelets = {}
    for numbers in (*cubies.CORNER_FACELETS, *cubies.EDGE_FACELETS):
        facelets[frozenset(SOLVED[n] for n in numbers)] = {SOLVED[n]: state[n] for n in numbers}
    assert set(places) == set(facelets)
    return " ".join(
        "".join(facelets[frozenset(name)][face] for face in name)
        for name in (*REID_EDGES, *REID_CORNERS)
    )


def reid(states: Sequence[str]) -> tuple[float, float]:
    """Return processor seconds of Reid's solver: to make its tables, and for all the states."""
    wheel = find_spec("sage_wheels")
    places = list(wheel.submodule_search_locations or []) if wheel else []
    program = Path(places[0]) / "bin" / "optimal"

    def run(lines: Sequence[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(
            [program], input="\n".join(lines) + "\n", text=True, capture_output=True, check=False
        )
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    tables_only = run([])
    return tables_only, run([reid_text(state) for state in states]) - tables_only


def build_time(name: str) -> tuple[float, float]:
    """Return wall and processor seconds to build a table in memory on all processors."""
    spec = tables.spec(name)
    memory = np.empty(spec.bytes, dtype=np.uint8)
    wall, cpu = time.perf_counter(), time.process_time()
    tables.build(spec, memory)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the tables."""
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    depths = parse_depths(given.get("depths", "12-17"))
    count = int(given.get("states", "5"))
    names = ["htm-default"] + (["htm-large"] if given.get("large", "true") == "true" else [])
    print(f"{os.cpu_count()} processors; one thread a proof; means over {count} states a depth\n")
    wall, cpu = build_time("htm-default")
    size = tables.spec("htm-default").bytes
    print(f"table htm-default: {size / 2**30:.2f} GiB, built in {wall:.1f} s ({cpu:.1f} cpu s)\n")

    solvers = [Solver(open_table(name, private=True)) for name in names]
    print("| depth | " + " | ".join(f"certify, {name} | nodes/s" for name in names) + " |", end="")
    print(
        " kociemba (no proof) | two-phase / certify |"
        + (" command |" if "command" in given else "")
    )
    print("|--:" * (2 * len(names) + 3 + ("command" in given)) + "|")
    for depth in depths:
        pairs = exact(solvers[-1], depth, count)
        cells = []
        for solver in solvers:
            with Clock() as clock:
                proofs = [solver.certify(*pair) for pair in pairs]
            spent = clock.seconds
            cells += [
                f"{spent / count:.4f} s",
                f"{sum(p.nodes for p in proofs) / spent / 1e6:.1f} M",
            ]
        with Clock() as clock:
            for state, _ in pairs:
                kociemba.solve(state)
        near = clock.seconds / count
        cells += [f"{near:.4f} s", f"{near * count / spent:.2g}"]
        if "command" in given:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            for _, solution in pairs:
                line = notation.format(notation.invert(solution)) + "\n"
                subprocess.run(shlex.split(given["command"]), input=line, text=True, check=True)
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            cells.append(f"{used / count:.4f} s")
        print(f"| {depth} | " + " | ".join(cells) + " |", flush=True)

    metric: Metric = "qtm"
    own = Solver(open_table(f"{metric}-default", private=True))
    print("\n| depth (qtm) | solve | Reid's optimal solver | ratio |\n|--:|--:|--:|--:|")
    for depth in (16, 17, 18):
        states = [state for state, _ in exact(own, depth, 3)]
        with Clock() as clock:
            for state in states:
                own.solve(state)
        _, theirs = reid(states)
        ours = clock.seconds
        print(
            f"| {depth} | {ours / 3:.3f} s | {theirs / 3:.3f} s | {theirs / ours:.0f} |", flush=True
        )


if __name__ == "__main__":
    main()
