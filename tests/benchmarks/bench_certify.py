"""The certifier beside independent solvers, in one run, as ratios, and against its targets.

Run from the repository's root (or `make bench-certify`; some twelve minutes on two cores):

    .venv/bin/python tests/benchmarks/bench_certify.py [parts=build,face,reid,batch,quarter]
        [tables=htm-default,htm-large] [depths=12-18] [states=20] [seconds=15] [solve=18]
        [command='SOLVER']

build     what each table costs to build, in a process of its own: wall and processor seconds, peak
          memory. What the other parts use comes from the cache, and is built there on first use.
face      by depth, half turns counting one: seconds to certify a known solution (only d - 1 moves
          are exhausted), to solve from nothing, and what two peers take: kociemba (two-phase; no
          proof) and any program given as `command`, such as vcube or nissy built elsewhere.
reid      certificates at 16 beside a full solve of Reid's optimal solver, also in face turns.
batch     certificates a second at 16, all processors against one.
quarter   quarter turns, beside Reid's solver: one solution, and all optimal first moves beside all
          its optimal solutions.

Means are over at most `states` states; a cell stops at the first state after `seconds`, and says
how many it took. `solve_state` is the deepest depth that is solved from nothing, one less with a
table that is not large. Seconds are processor seconds of one thread; a peer's are those of its
process, less its start where it makes tables. `command` is handed one maneuver on a line of its
standard input.

States to depth 16 are random words that prove to be optimal; those at 17 and 18 are random words
from the committed store, which `make certified-store` found and proved.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kociemba
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

import reid
from targets import BenchTarget, heading, print_row, summary

from facelet.generators.cube.distance import pruning_tables
from facelet.generators.cube.distance.depth_search import StateSearch
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation, scrambles
from facelet.generators.cube.engine.notation import SOLVED, Maneuver, Metric
from facelet.pipeline.argument_text import parse_numbers
from facelet.pipeline.cube import store
from facelet.pipeline.cube.table_cache import open_table

Pair = tuple[str, Maneuver]
"""A state and an optimal solution."""

PARTS = ("build", "face", "reid", "batch", "quarter")

VCUBE_LIMITED = {16: 0.058, 17: 0.556, 18: 7.97}
VCUBE_SOLVE = {16: 0.272, 17: 1.94, 18: 33.1}
"""vcube with its table of 2.42 GiB in huge pages, one thread of a two-core x86-64 virtual machine
with AVX2: limited to d - 1 moves, and solving from nothing. Stated, not measured in this run."""

VCUBE_BUILD = 1086
"""Processor seconds that vcube took to build that table, likewise."""

BUILD = """
import resource, sys, time
import numpy as np
from facelet.generators.cube.distance import tables
spec = tables.spec(sys.argv[1])
memory = np.empty(spec.bytes, dtype=np.uint8)
wall, cpu = time.perf_counter(), time.process_time()
tables.build(spec, memory)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
assert tables.digest(memory) == spec.digest
print(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line chose; see the text at the top."""

    parts: tuple[str, ...]
    tables: tuple[str, ...]
    depths: tuple[int, ...]
    states: int
    seconds: float
    solve: int
    command: str


@cache
def load_solver(name: str) -> ExactSolver:
    """Return the solver with a table, in this process's own memory where that is faster."""
    return ExactSolver(open_table(name, private=True))


@cache
def draw_state_pairs(metric: Metric, depth: int, count: int) -> tuple[Pair, ...]:
    """Return states of exactly that depth, with a solution; at most `count`."""
    stored = [
        (state.facelets, state.witness_moves)
        for state in store.load_states(metric)
        if (state.optimal_depth, state.sampling) == (depth, "random_word")
    ]
    if depth >= 17 and stored:
        return tuple(stored[:count])
    prover = load_solver(f"{metric}-default")
    rng = np.random.default_rng(depth)
    found: list[Pair] = []
    while len(found) < count:
        word = scrambles.random_word(metric, depth, rng)
        state, solution = moves.apply_maneuver(SOLVED, word), notation.invert_maneuver(word)
        if prover.certify_state(state, solution).optimal_length == depth:
            found.append((state, solution))
    return tuple(found)


def mean_seconds(
    work: Callable[..., object], calls: Sequence[tuple[object, ...]], seconds: float
) -> tuple[float, int]:
    """Return the processor seconds of this thread for one call, and over how many that is."""
    start = time.thread_time()
    spent, done = 0.0, 0
    while done < len(calls) and spent < seconds:
        work(*calls[done])
        done += 1
        spent = time.thread_time() - start
    return max(spent, 1e-9) / done, done


def child_seconds(command: Sequence[str | Path], text: str) -> float:
    """Return the processor seconds of a program that is given a text."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, text=True, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def print_build_costs(settings: Settings) -> list[BenchTarget]:
    """Print what the tables cost to build."""
    heading("table", "GiB", "build, s", "build, cpu s", "peak memory, GB")
    targets = []
    for name in (*settings.tables, "qtm-default"):
        done = subprocess.run(
            [sys.executable, "-c", BUILD, name],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        wall, cpu, peak = map(float, done.stdout.split())
        size = pruning_tables.find_spec(name).byte_count / 2**30
        print_row(name, f"{size:.2f}", f"{wall:.1f}", f"{cpu:.1f}", f"{peak / 1e9:.2f}")
        if name == "htm-default":
            cores = pruning_tables.count_processors()
            targets.append(BenchTarget(f"{name}, s to build on {cores} cores", wall, 60, 20, False))
        if name == "htm-large":
            what = f"{name}, times fewer cpu s to build than vcube's {VCUBE_BUILD}"
            targets.append(BenchTarget(what, VCUBE_BUILD / cpu, 4, 10))
    return targets


def measure_rates(
    given: Sequence[Pair], prover: ExactSolver, seconds: float
) -> tuple[float, float, float]:
    """Return positions a state, and millions of positions and of lookups a second, below d."""
    searches: list[StateSearch] = []

    def exhaust_depths(state: str, solution: Maneuver) -> None:
        searches.append(StateSearch(prover.table, state))
        searches[-1].search_within(notation.maneuver_length(solution, prover.metric) - 1)

    each, done = mean_seconds(exhaust_depths, given, seconds)
    nodes = sum(search.nodes for search in searches) / done
    looked = sum(search.lookups for search in searches) / done
    return nodes, nodes / each / 1e6, looked / each / 1e6


def print_face_turns(settings: Settings) -> list[BenchTarget]:
    """Print certificates and solutions by depth, half turns counting one."""
    peers = ["kociemba (no proof)"]
    if settings.command:
        peers.append(Path(shlex.split(settings.command)[0]).name)
    targets = []
    for name in settings.tables:
        prover = load_solver(name)
        deepest = settings.solve - (not name.endswith("large"))
        heading(
            *("depth", f"certify, {name}, s", "states", "a core-hour", "positions"),
            *("M positions/s", "M lookups/s", "solve, s", "states", "solve / certify"),
            *(cell for peer in peers for cell in (f"{peer}, s", "ratio to certify")),
        )
        for depth in settings.depths:
            given = draw_state_pairs("htm", depth, settings.states)
            alone = [(state,) for state, _ in given]
            each, done = mean_seconds(prover.certify_state, given, settings.seconds)
            nodes, rate, looked = measure_rates(given[:done], prover, settings.seconds / 5)
            cells = [depth, f"{each:.4f}", done, f"{3600 / each:,.0f}", f"{nodes:,.0f}"]
            cells += [f"{rate:.1f}", f"{looked:.1f}"]
            if depth <= deepest:
                one, solved = mean_seconds(prover.solve_state, alone, settings.seconds)
                cells += [f"{one:.4f}", solved, f"{one / each:.1f}"]
            else:
                cells += ["", "", ""]
            other, _ = mean_seconds(kociemba.solve, alone[:done], settings.seconds)
            cells += [f"{other:.4f}", f"{other / each:.2g}"]
            if settings.command:
                words = [
                    notation.format_maneuver(notation.invert_maneuver(word)) + "\n"
                    for _, word in given[:done]
                ]
                command = shlex.split(settings.command)
                other = sum(child_seconds(command, word) for word in words) / done
                cells += [f"{other:.4f}", f"{other / each:.2g}"]
            print_row(*cells)
            if name == "htm-large":
                targets += measure_certificates(depth, each)
    return targets


def measure_certificates(depth: int, seconds: float) -> list[BenchTarget]:
    """Return what certificates with the large table have to come up to."""
    found = []
    if depth in (17, 18):
        ratio = seconds / VCUBE_LIMITED[depth]
        what = f"certificate at {depth}, s relative to vcube limited to {depth - 1} (stated)"
        found.append(BenchTarget(what, ratio, 1.05, 0.75, False))
        what = f"certificate at {depth}, times as fast as vcube's full solve (stated)"
        found.append(BenchTarget(what, VCUBE_SOLVE[depth] / seconds, 3.5, 5))
    if depth in (16, 17, 18):
        must, reach = {16: (60_000, 100_000), 17: (6_500, 10_000), 18: (450, 800)}[depth]
        found.append(
            BenchTarget(f"certificates a core-hour at {depth}", 3600 / seconds, must, reach)
        )
    return found


def print_reid_comparison(settings: Settings) -> list[BenchTarget]:
    """Print certificates at 16 beside full solves of Reid's solver, half turns counting one."""
    name = settings.tables[-1]
    prover = load_solver(name)
    given = draw_state_pairs("htm", 16, settings.states)
    alone = [(state,) for state, _ in given]
    each, _ = mean_seconds(prover.certify_state, given, settings.seconds)
    one, _ = mean_seconds(prover.solve_state, alone, settings.seconds)
    few = given[: max(1, settings.states // 4)]
    with tempfile.TemporaryDirectory() as folder:
        program = reid.compile_solver("htm", Path(folder), first_only=True)
        ready = child_seconds([program], "")
        lines = "".join(reid.format_state(state) + "\n" for state, _ in few)
        theirs = (child_seconds([program], lines) - ready) / len(few)
    print(f"\nReid's solver made its tables in {ready:.1f} cpu s; means over {len(few)} states.")
    heading(
        *("depth (face turns)", f"certify, {name}, s", "solve, s", "Reid, s"),
        *("Reid / solve", "Reid / certify"),
    )
    cells = [16, f"{each:.4f}", f"{one:.4f}", f"{theirs:.2f}"]
    print_row(*cells, f"{theirs / one:.0f}", f"{theirs / each:.0f}")
    what = f"certificate at 16, {name}, times as fast as Reid's full solve"
    return [BenchTarget(what, theirs / each, 150, 300)] if name == "htm-large" else []


def print_thread_gains(settings: Settings) -> list[BenchTarget]:
    """Print what threads gain on one table, over states enough to keep all busy to the end."""
    name = settings.tables[-1]
    prover = load_solver(name)
    given = draw_state_pairs("htm", 16, settings.states) * 20
    heading("threads", f"certificates/s at 16, {name}", "gain", "cpu s a certificate")
    alone = gain = 0.0
    for number in range(1, pruning_tables.count_processors() + 1):
        start, used = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(number) as threads:
            list(threads.map(lambda pair: prover.certify_state(*pair), given))
        rate = len(given) / (time.perf_counter() - start)
        used = (time.process_time() - used) / len(given)
        alone = alone or rate
        gain = rate / alone
        print_row(number, f"{rate:.1f}", f"{gain:.2f}", f"{used:.4f}")
    what = f"batch over {pruning_tables.count_processors()} cores against one"
    return [BenchTarget(what, gain, 1.8, 1.95)] if pruning_tables.count_processors() == 2 else []


def print_quarter_turns(settings: Settings) -> list[BenchTarget]:
    """Print certificates and solutions by depth in quarter turns, beside Reid's solver."""
    prover = load_solver("qtm-default")
    with tempfile.TemporaryDirectory() as folder:
        first = reid.compile_solver("qtm", Path(folder), first_only=True)
        every = reid.compile_solver("qtm", Path(folder))
        ready = child_seconds([every], "")
        heading(
            *("depth (quarter turns)", "certify, qtm-default, s", "solve, s"),
            *("all first moves, s", "Reid, s", "Reid, all solutions, s"),
            *("Reid / certify", "Reid / solve", "Reid, all / all first moves"),
        )
        for depth in (16, 17):
            given = draw_state_pairs("qtm", depth, max(1, settings.states // 4))
            alone = [(state,) for state, _ in given]
            proof, _ = mean_seconds(prover.certify_state, given, settings.seconds)
            one, _ = mean_seconds(prover.solve_state, alone, settings.seconds)
            around, _ = mean_seconds(
                prover.optimal_first_moves, [(state, depth) for state, _ in given], settings.seconds
            )
            lines = "".join(reid.format_state(state) + "\n" for state, _ in given)
            theirs, all_theirs = (
                (child_seconds([program], lines) - ready) / len(given) for program in (first, every)
            )
            cells = [depth, f"{proof:.4f}", f"{one:.4f}", f"{around:.4f}"]
            cells += [f"{theirs:.3f}", f"{all_theirs:.3f}", f"{theirs / proof:.0f}"]
            print_row(*cells, f"{theirs / one:.0f}", f"{all_theirs / around:.0f}")
    return []


def parse_settings(arguments: Sequence[str]) -> Settings:
    """Read the command line.

    Raises:
        ValueError: an argument is unknown or out of range.
    """
    options = {
        "parts": ",".join(PARTS),
        "tables": "htm-default,htm-large",
        "depths": "12-18",
        "states": "20",
        "seconds": "15",
        "solve": "18",
        "command": "",
    }
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in options:
            raise ValueError(f"{argument!r} is not key=value with a key of {', '.join(options)}")
        options[key] = value
    parts = tuple(options["parts"].split(","))
    if unknown := set(parts) - set(PARTS):
        raise ValueError(f"unknown part {min(unknown)!r}; known: {', '.join(PARTS)}")
    chosen = tuple(options["tables"].split(","))
    for name in chosen:
        if pruning_tables.find_spec(name).metric != "htm":
            raise ValueError(
                f"table {name!r} counts quarter turns; name tables that begin with htm"
            )
    depths = parse_numbers(options["depths"], "depths")
    if max(depths) > 18:
        raise ValueError(f"depth {max(depths)} takes hours; name depths up to 18")
    return Settings(
        parts=parts,
        tables=chosen,
        depths=depths,
        states=max(1, int(options["states"])),
        seconds=float(options["seconds"]),
        solve=int(options["solve"]),
        command=options["command"],
    )


def main() -> int:
    """Print the parts that were asked for, then how the figures stand to the targets."""
    try:
        settings = parse_settings(sys.argv[1:])
    except ValueError as error:
        print(f"{error}\n\n{__doc__}")
        return 2
    took = time.perf_counter()
    print(
        f"{pruning_tables.count_processors()} processors; at most {settings.states} states a cell",
        flush=True,
    )
    run = {
        "build": print_build_costs,
        "face": print_face_turns,
        "reid": print_reid_comparison,
        "batch": print_thread_gains,
        "quarter": print_quarter_turns,
    }
    targets = [target for part in settings.parts for target in run[part](settings)]
    summary(targets)
    print(f"\nAll of it took {time.perf_counter() - took:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
