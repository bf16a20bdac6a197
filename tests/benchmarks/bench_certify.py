"""The certifier beside independent solvers, in one run, as ratios.

Run from the repository's root (or `make bench-certify`):

    .venv/bin/python tests/benchmarks/bench_certify.py [depths=12-17] [states=5] [large=true]
        [solve=16] [build=true] [command='SOLVER']

Certify proves a known solution optimal; solve starts from nothing (up to depth `solve`). Peers: the
two-phase solver of kociemba, which is fast and proves nothing; Reid's optimal solver (package
passagemath-rubiks), which counts quarter turns and finds all optimal solutions, so it is set beside
all optimal first moves in that metric; and any program given as `command`, which is handed one
maneuver on a line of its standard input and timed until it ends.

Times are processor seconds of one thread, means over the states; a peer's are those of its process.
Random words that turn out not to be optimal are left out.
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
from generators.cube.distance.search import StateSearch
from generators.cube.distance.solver import Solver
from generators.cube.engine import cubies, moves, notation
from generators.cube.engine.facelets import SOLVED
from generators.cube.engine.notation import Maneuver
from pipeline.options import parse_depths
from pipeline.tables import open_table

REID_EDGES = "UF UR UB UL DF DR DB DL FR FL BR BL".split()
REID_CORNERS = "UFR URB UBL ULF DRF DFL DLB DBR".split()

BUILD = """
import resource, sys, time
import numpy as np
from generators.cube.distance import tables
spec = tables.spec(sys.argv[1])
memory = np.empty(spec.bytes, dtype=np.uint8)
wall, cpu = time.perf_counter(), time.process_time()
tables.build(spec, memory)
assert tables.digest(memory) == spec.digest
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(time.perf_counter() - wall, time.process_time() - cpu, used)
"""


def exact(solver: Solver, depth: int, count: int) -> list[tuple[str, Maneuver]]:
    """Return states of exactly that depth with a solution: random words that prove optimal."""
    rng = np.random.default_rng(depth)
    found: list[tuple[str, Maneuver]] = []
    while len(found) < count:
        word = sampling.random_word(solver.metric, depth, rng)
        state, solution = moves.apply(SOLVED, word), notation.invert(word)
        if solver.certify(state, solution).optimal_length == depth:
            found.append((state, solution))
    return found


class Clock:
    """Processor seconds of this thread in a with block, for each of so many states."""

    def __init__(self, states: int = 1) -> None:
        self.states = states

    def __enter__(self) -> Clock:
        self.start = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = max(time.thread_time() - self.start, 1e-9) / self.states


def spent_by_child(command: Sequence[str | Path], text: str) -> float:
    """Return the processor seconds of a program that is given a text."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def reid_text(state: str) -> str:
    """Return a state as Reid's solver reads it: the stickers at each place, in its order."""
    facelets = {}
    for numbers in (*cubies.CORNER_FACELETS, *cubies.EDGE_FACELETS):
        facelets[frozenset(SOLVED[n] for n in numbers)] = {SOLVED[n]: state[n] for n in numbers}
    return " ".join(
        "".join(facelets[frozenset(name)][face] for face in name)
        for name in (*REID_EDGES, *REID_CORNERS)
    )


def heading(*cells: str) -> None:
    """Print the head of a Markdown table."""
    print("\n| " + " | ".join(cells) + " |\n" + "|--:" * len(cells) + "|")


def row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def builds(names: Sequence[str]) -> None:
    """Print what the tables cost, each built in a process of its own."""
    heading("table", "GiB", "build, s", "build, cpu s", "peak memory, GB")
    for name in names:
        done = subprocess.run(
            [sys.executable, "-c", BUILD, name],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        wall, cpu, peak = map(float, done.stdout.split())
        size = tables.spec(name).bytes / 2**30
        row(name, f"{size:.2f}", f"{wall:.1f}", f"{cpu:.1f}", f"{peak / 1e9:.2f}")


def speed(solver: Solver, pairs: Sequence[tuple[str, Maneuver]]) -> tuple[int, float, float]:
    """Return nodes, and millions of nodes and of lookups a second, of exhausting depth - 1."""
    nodes = lookups = 0
    with Clock() as clock:
        for state, solution in pairs:
            search = StateSearch(solver.table, state)
            search.within(notation.length(solution, solver.metric) - 1)
            nodes, lookups = nodes + search.nodes, lookups + search.lookups
    return nodes, nodes / clock.seconds / 1e6, lookups / clock.seconds / 1e6


def face_turns(
    solvers: Sequence[Solver], depths: Sequence[int], count: int, deepest: int, command: str | None
) -> None:
    """Print certificates and solutions by depth, half turns counting one."""
    peers = ["kociemba (no proof)"] + ([command.split()[0]] if command else [])
    for solver in solvers:
        heading(
            *("depth", f"certify, {solver.table.spec.name}, s", "an hour", "nodes"),
            *("M nodes/s", "M lookups/s", "solve, s", "solve / certify"),
            *(f"{peer}, s | ratio to certify" for peer in peers),
        )
        for depth in depths:
            pairs = exact(solvers[-1], depth, count)
            with Clock(count) as clock:
                for pair in pairs:
                    solver.certify(*pair)
            each = clock.seconds
            nodes, rate, lookups = speed(solver, pairs)
            cells = [f"{each:.4f}", f"{3600 / each:,.0f}", f"{nodes // count:,}"]
            cells += [f"{rate:.1f}", f"{lookups:.1f}"]
            if depth <= deepest:
                with Clock(count) as clock:
                    for state, _ in pairs:
                        solver.solve(state)
                cells += [f"{clock.seconds:.4f}", f"{clock.seconds / each:.1f}"]
            else:
                cells += ["", ""]
            with Clock(count) as clock:
                for state, _ in pairs:
                    kociemba.solve(state)
            cells += [f"{clock.seconds:.4f} | {clock.seconds / each:.2g}"]
            if command:
                lines = [notation.format(notation.invert(word)) + "\n" for _, word in pairs]
                other = sum(spent_by_child(shlex.split(command), line) for line in lines) / count
                cells += [f"{other:.4f} | {other / each:.2g}"]
            row(depth, *cells)


def threads(solver: Solver, count: int) -> None:
    """Print what threads gain on one table."""
    pairs = exact(solver, 16, 8 * count)
    heading("threads", f"certificates/s at 16, {solver.table.spec.name}", "gain")
    alone = 0.0
    for number in range(1, tables.workers() + 1):
        start = time.perf_counter()
        list(solver.certify_many(pairs, threads=number))
        rate = len(pairs) / (time.perf_counter() - start)
        alone = alone or rate
        row(number, f"{rate:.1f}", f"{rate / alone:.2f}")


def quarter_turns(count: int) -> None:
    """Print certificates and solutions by depth in quarter turns, beside Reid's solver."""
    solver = Solver(open_table("qtm-default", private=True))
    places = find_spec("sage_wheels")
    assert places is not None
    assert places.submodule_search_locations is not None
    program = Path(next(iter(places.submodule_search_locations))) / "bin" / "optimal"
    ready = spent_by_child([program], "\n")
    print(f"\nReid's solver made its tables in {ready:.1f} cpu s.")
    heading(
        *("depth (quarter turns)", "certify, s", "solve, s", "all first moves, s"),
        *("Reid, s", "Reid / all first moves", "Reid / certify"),
    )
    for depth in (17, 18):
        pairs = exact(solver, depth, count)
        with Clock(count) as proof:
            for pair in pairs:
                solver.certify(*pair)
        with Clock(count) as one:
            for state, _ in pairs:
                solver.solve(state)
        with Clock(count) as every:
            for state, _ in pairs:
                solver.optimal_first_moves(state, depth)
        lines = "".join(reid_text(state) + "\n" for state, _ in pairs)
        theirs = (spent_by_child([program], lines) - ready) / count
        row(
            *(depth, f"{proof.seconds:.4f}", f"{one.seconds:.4f}", f"{every.seconds:.4f}"),
            *(f"{theirs:.3f}", f"{theirs / every.seconds:.0f}", f"{theirs / proof.seconds:.0f}"),
        )


def main() -> None:
    """Print everything."""
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    count = int(given.get("states", "5"))
    names = ["htm-default"] + (["htm-large"] if given.get("large", "true") == "true" else [])
    print(f"{tables.workers()} processors; means over {count} states a depth")
    if given.get("build", "true") == "true":
        builds([*names, "qtm-default"])
    solvers = [Solver(open_table(name, private=True)) for name in names]
    depths = parse_depths(given.get("depths", "12-17"))
    face_turns(solvers, depths, count, int(given.get("solve", "16")), given.get("command"))
    threads(solvers[-1], count)
    quarter_turns(count)


if __name__ == "__main__":
    main()
