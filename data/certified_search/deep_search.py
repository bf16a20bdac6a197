"""Search for states at 17 to 20 face turns, or 21 and 22 quarter turns, for hours if needed.

`python data/certified_search [key=value ...]` runs the steps below in turn. Every finding is logged
at once; a killed run loses only its current search, and the next run resumes there. The committed
files are rewritten after each step.

Random canonical words reach 18 (21 in quarter turns); a uniform state is at 19 one time in thirty,
and an even one at 22 quarter turns one time in three; 20 is found among symmetric states only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

import search_findings
import symmetric_classes
from search_findings import COMMAND, EDITION, WORK, Finding, FindingLog
from uniform_states import random_state

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.pruning_tables import find_spec
from facelet.generators.cube.engine import cubies, moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import Maneuver, Metric
from facelet.pipeline.cube import store
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.dataset.atomic_files import hold_lock

SEED = 0
"""Root seed of the candidates."""

PROBE = 14
"""Length to which a search is tried to see how promising a state is."""

LONGER_WORD = "longer_word"
"""Sampling of a state whose word was not optimal: a draw for another depth, and not stored."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A state to be searched.

    Attributes:
        name: its name within the step.
        facelets: the state.
        sampling: how it was found.
        solution: any solution that is known, or None.
        members: number of states of a symmetric class that it stands for.
    """

    name: str
    facelets: str
    sampling: str
    solution: Maneuver | None = None
    members: int = 1


Candidates = Generator[Candidate, Finding, None]
"""Yields candidates, is sent what was found out about each, and ends when it has enough."""

Promise = Callable[[str], int]
"""How many positions a search to PROBE moves visits: the fewer, the deeper the state, as a rule."""


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A part of the search.

    Attributes:
        name: as the user types it; also the name of the log.
        metric: what its depths count.
        candidates: starts the generator of its candidates.
    """

    name: str
    metric: Metric
    candidates: Callable[[Promise], Candidates]


def try_random_words(metric: Metric, depth: int, wanted: int, promise: Promise) -> Candidates:
    """Try random words of a length until enough of them, distinct up to symmetry, are optimal.

    Args:
        metric: how moves are counted.
        depth: length of the words, in moves.
        wanted: number of states after which it ends.
        promise: not asked: no word promises more than another.
    """
    found: set[str] = set()
    for number in count():
        rng = make_generator(SEED, "store", metric, "word", depth, number)
        word = scrambles.random_word(metric, depth, rng)
        state = moves.apply_maneuver(notation.SOLVED, word)
        solution = scrambles.shuffle_commuting(notation.invert_maneuver(word), rng)
        finding = yield Candidate(str(number), state, "random_word", solution)
        if finding.is_exact and finding.solution_length == depth:
            found.add(symmetry.canonical_image(state)[0])
        if len(found) == wanted:
            return


def try_uniform_states(metric: Metric, depth: int, wanted: int, promise: Promise) -> Candidates:
    """Try uniform states until enough are at least that deep.

    A quarter turn makes an even state odd, so of these only states as even as the depth are tried.

    Args:
        metric: how moves are counted.
        depth: the least depth that is wanted, in moves.
        wanted: number of states after which it ends.
        promise: not asked: no state promises more than another.
    """
    found = 0
    for number in count():
        state = random_state(make_generator(SEED, "store", metric, "state", number))
        if (
            metric == "qtm"
            and cubies.permutation_parity(cubies.from_facelets(state).cp) != depth % 2
        ):
            continue
        finding = yield Candidate(str(number), state, "random_state")
        found += finding.exhausted >= depth - 1
        if found == wanted:
            return


def try_class_members(name: str, promise: Promise) -> Candidates:
    """Try a symmetric class: one state for all that symmetry or inversion makes equal.

    The most promising come first: of C_4h's states at 20, nearly all are in the first quarter.
    """
    found = symmetric_classes.class_representatives(name)
    promises = {key: promise(key) for key in found}
    for key in sorted(found, key=lambda key: (promises[key], key)):
        yield Candidate(key, key, "symmetric", members=found[key])


STEPS: tuple[SearchStep, ...] = (
    *(
        SearchStep(name, "htm", partial(try_class_members, name))
        for name in ("O_h", "D_3d", "T_h", "T")
    ),
    SearchStep("words-17", "htm", partial(try_random_words, "htm", 17, 150)),
    SearchStep("words-18", "htm", partial(try_random_words, "htm", 18, 120)),
    SearchStep("states-19", "htm", partial(try_uniform_states, "htm", 19, 10)),
    *(
        SearchStep(name, "htm", partial(try_class_members, name))
        for name in ("D_4h", "C_4h", "C_4v", "D_4", "D_2d_face", "D_2h_edge", "D_2d_edge", "D_3")
    ),
    *(SearchStep(name, "htm", partial(try_class_members, name)) for name in ("D_2h_face", "S_6")),
    SearchStep("words-qtm-21", "qtm", partial(try_random_words, "qtm", 21, 60)),
    SearchStep("states-qtm-22", "qtm", partial(try_uniform_states, "qtm", 22, 30)),
)
"""The steps, the most valuable first."""


def search_candidate(
    step: SearchStep, candidate: Candidate, solver: ExactSolver, table: str
) -> Finding:
    """Return what an exhaustive search finds out about a candidate: its exact depth.

    Args:
        step: the step that tries it.
        candidate: what is tried.
        solver: proves the depth.
        table: name of the solver's table.
    """
    start = time.thread_time()
    if candidate.solution is None:
        proof = solver.solve_state(candidate.facelets)
    else:
        proof = solver.certify_state(candidate.facelets, candidate.solution)
    known, how = candidate.solution, candidate.sampling
    if known is None:
        known = proof.solution
    elif notation.maneuver_length(known, step.metric) > proof.optimal_length:
        known, how = proof.solution, LONGER_WORD
    return Finding(
        step=step.name,
        candidate=candidate.name,
        facelets=candidate.facelets,
        metric=step.metric,
        solution=notation.format_maneuver(known),
        exhausted=proof.exhausted,
        sampling=how,
        members=candidate.members,
        source="",
        table=table,
        table_hash=solver.table_hash,
        nodes=proof.nodes,
        seconds=round(time.thread_time() - start, 3),
    )


def run_step(
    step: SearchStep,
    log: FindingLog,
    promise: Promise,
    find: Callable[[Candidate], Finding],
    out_of_time: float,
) -> bool:
    """Take a step: search the candidates that its log lacks.

    Args:
        step: the step.
        log: its findings so far; new ones are added.
        promise: tells how promising a state is.
        find: searches one candidate.
        out_of_time: the `time.monotonic` after which no new search is begun.

    Returns:
        Whether the step is finished.
    """
    candidates = step.candidates(promise)
    try:
        candidate = next(candidates)
        while True:
            finding = log.findings.get(candidate.name)
            if finding is None:
                if time.monotonic() >= out_of_time:
                    return False
                finding = find(candidate)
                log.append_finding(finding)
            candidate = candidates.send(finding)
    except StopIteration:
        return True


def describe_distribution(found: Sequence[Finding]) -> str:
    """Return how many states are at each depth, in words; members of a class are all counted."""
    exact: Counter[int] = Counter()
    for finding in found:
        exact[finding.solution_length] += finding.members if finding.is_exact else 0
    return ", ".join(f"{exact[depth]} at {depth}" for depth in sorted(exact) if exact[depth])


TABLES: dict[Metric, str] = {"htm": "htm-large", "qtm": "qtm-large"}
"""The tables that are used unless the user names another."""

HELP = f"""Search for deep states and prove them; resumes where the last run ended.

  {COMMAND} [steps=A,B] [table=NAME] [minutes=60] [work=DIR] [out=DIR]

steps    {", ".join(step.name for step in STEPS)};
         all of them by default, in this order; none (steps=) only writes the files
table    another table than {" and ".join(TABLES.values())}, for the steps of its metric
minutes  begin no new search after so long
work     folder of the logs, {WORK} by default
out      the store, data/certified by default

  {COMMAND} classes

counts how deep the states of whole symmetric classes are, as far as they are searched."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; see HELP.

    Returns:
        0, or 2 after a bad argument.
    """
    by_name = {step.name: step for step in STEPS}
    options = {"steps": ",".join(by_name), "table": "", "minutes": "inf"}
    options |= {"work": str(WORK), "out": str(store.STORE)}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in options:
            print(HELP)
            return 0 if argument in ("--help", "-h", "help") else 2
        options[key] = value
    try:
        out_of_time = time.monotonic() + 60 * float(options["minutes"])
        chosen = [by_name[name] for name in options["steps"].split(",") if name]
        named = options["table"]
        tables = TABLES | ({find_spec(named).metric: named} if named else {})
    except KeyError as error:
        print(f"unknown step {error}; known: {', '.join(by_name)}")
        return 2
    except ValueError as error:
        print(f"{error}\n\n{HELP}")
        return 2
    work, out = Path(options["work"]), Path(options["out"])
    solvers: dict[str, ExactSolver] = {}
    for step in chosen:
        table = tables[step.metric]
        if table not in solvers:
            solvers[table] = ExactSolver(open_table(table, private=True))
        _run_locked_step(step, solvers[table], table, work, out, out_of_time)
    sizes = search_findings.write_all(search_findings.read_all(work, out), out)
    print(", ".join(f"{size} states in {metric}.parquet" for metric, size in sizes.items()))
    return 0


def _run_locked_step(
    step: SearchStep, solver: ExactSolver, table: str, work: Path, out: Path, out_of_time: float
) -> None:
    """Run one step unless another run does, print its result, and write the store."""
    with ExitStack() as held:
        try:
            held.enter_context(hold_lock(work / f"{step.name}.lock", "another run is at it"))
        except ValueError as busy:
            print(f"{step.name}: left out, {busy}", flush=True)
            return
        every = search_findings.read_all(work, out)
        log = FindingLog(step.name, work, every)
        proven = {f.facelets: f for f in every if f.is_exact and f.metric == step.metric}

        def find_promised_depth(state: str) -> int:
            return solver.at_most(state, PROBE).nodes

        def find_candidate(candidate: Candidate) -> Finding:
            known = proven.get(candidate.facelets) if candidate.solution is None else None
            if known is not None:
                return replace(
                    known,
                    step=step.name,
                    candidate=candidate.name,
                    sampling=candidate.sampling,
                    members=candidate.members,
                    edition=EDITION,
                )
            finding = search_candidate(step, candidate, solver, table)
            depth = f"{finding.solution_length} in {finding.seconds} s"
            print(f"{step.name} {candidate.name[:60]}: {depth}", flush=True)
            return finding

        done = run_step(step, log, find_promised_depth, find_candidate, out_of_time)
        listed = list(log.findings.values())
        print(
            f"{step.name}{'' if done else ' (unfinished)'}: {describe_distribution(listed)}",
            flush=True,
        )
        search_findings.write_all(search_findings.read_all(work, out), out)
