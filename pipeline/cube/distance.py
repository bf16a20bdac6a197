"""Prover of "cube/distance": states are exactly so many moves from solved.

A state of depth d is proven by exhausting all maneuvers of at most d - 1 moves and by a witness of
d moves, taken from the claim when it has one that holds, searched for otherwise. Claims about one
state are settled by one search.

From DEEP on a proof takes from many seconds to hours. Without `deep` such claims are searched only
briefly, which refutes gross errors, and looked up in the committed store, up to symmetry and
inversion, which keep the depth.

A sample of the proofs gets a second leg that does not rest on the table of the first: a search from
both ends, which uses none, as far as it reaches, then another table, up to OTHER.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import cast

from tqdm import tqdm

from facelet.generators.core.seeding import digest
from facelet.generators.core.task import Claim
from facelet.generators.cube.distance import both_ends, tables
from facelet.generators.cube.distance.solver import Solver
from facelet.generators.cube.distance.tables import Table
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.facelets import SOLVED, IllegalCube
from facelet.generators.cube.engine.metrics import Metric
from facelet.pipeline.cube import store
from facelet.pipeline.cube.tables import open_table, table_path
from facelet.pipeline.verify.proving import Effort, Judged, Verdict

DEEP: dict[Metric, int] = {"htm": 18, "qtm": 20}
"""From this depth on, a proof is work for `deep`."""

SMALL = 12
"""Up to this depth the small table, which is built in seconds, is enough."""

LARGE = 16
"""From this depth on, the large table is worth its memory."""

BRIEF = 200_000
"""Nodes that a deep claim is searched for without `deep`: a blink."""

OTHER: dict[Metric, int] = {"htm": 15, "qtm": 17}
"""Up to this depth the small table confirms what the default one proved, in about a second."""

_GROWTH: dict[Metric, float] = {"htm": 13.4, "qtm": 9.4}
"""How much more work one move more is, about."""

_NO_WITNESS = 5.0
"""How much more work a proof is without a witness, about."""


@dataclass(frozen=True, slots=True)
class DepthQuestion:
    """One state and all that is claimed about it.

    Attributes:
        metric: how moves are counted.
        facelets: the state.
        claims: the claims; they differ in depth or witness.
    """

    metric: Metric
    facelets: str
    claims: tuple[Claim, ...]

    @property
    def depth(self) -> int:
        """The least claimed depth."""
        return min(_depth(claim) for claim in self.claims)

    def witness(self) -> notation.Maneuver | None:
        """Return a claimed solution of that length, if there is one that solves the state."""
        for claim in self.claims:
            text = str(dict(claim.args).get("solution", ""))
            try:
                solution = notation.parse(text)
                length = notation.length(solution, self.metric)
                solves = moves.apply(self.facelets, solution) == SOLVED
            except ValueError:
                continue
            if text and solves and length == self.depth and set(solution) <= _FACE_MOVES:
                return solution
        return None

    def cost(self) -> float:
        """Return how much work a proof is, in any unit."""
        work = _GROWTH[self.metric] ** min(self.depth, 20)
        return work if self.witness() else work * _NO_WITNESS


_FACE_MOVES = frozenset(moves.FACE_MOVES)


class CubeProver:
    """The prover.

    Attributes:
        cache: folder of pruning tables; None for the user's.
        store: folder of the committed certificates.
    """

    def __init__(self, cache: Path | None = None, store: Path = store.STORE) -> None:
        self.cache = cache
        self.store = store

    def prove(self, claims: Sequence[Claim], effort: Effort) -> Iterator[Judged]:
        """Yield each claim with its verdict, the costliest first."""
        by_state: dict[tuple[Metric, str], list[Claim]] = {}
        for claim in claims:
            args = dict(claim.args)
            key = (cast(Metric, args["metric"]), str(args["facelets"]))
            by_state.setdefault(key, []).append(claim)
        questions = [DepthQuestion(*key, tuple(same)) for key, same in by_state.items()]
        for metric in sorted({question.metric for question in questions}):
            asked = [question for question in questions if question.metric == metric]
            yield from self._prove_metric(metric, asked, effort)

    def _prove_metric(
        self, metric: Metric, questions: list[DepthQuestion], effort: Effort
    ) -> Iterator[Judged]:
        """Yield the verdicts on the claims of one metric."""
        if metric not in DEEP:
            why = f"there is no metric {metric!r}; there are {', '.join(DEEP)}"
            yield from (_refuted(q, claim, why) for q in questions for claim in q.claims)
            return
        brief = [q for q in questions if q.depth >= DEEP[metric] and not effort.deep]
        full = [q for q in questions if q.depth < DEEP[metric] or effort.deep]
        solver = self._solver(metric, max((q.depth for q in full), default=0), effort)
        costs = {question: question.cost() for question in full}
        full.sort(key=lambda question: (-costs[question], question.facelets))
        bar = tqdm(
            total=sum(costs.values()) or 1.0,
            desc=f"{metric} proofs",
            bar_format="{desc}: {percentage:3.0f}%|{bar}|{postfix} [{elapsed}<{remaining}]",
            disable=not effort.progress,
            mininterval=0.5,
        )
        second = self._second(metric, full, solver, effort)
        with bar, ThreadPoolExecutor(effort.workers) as pool:
            running = {pool.submit(_both, solver, second.get(q), q): q for q in full}
            for done, future in enumerate(as_completed(running), 1):
                question = running[future]
                yield from _judge(question, *future.result())
                bar.set_postfix_str(f"{done}/{len(full)} states", refresh=False)
                bar.update(costs[question])
        stored = self._stored(metric) if brief else {}
        for question in brief:
            yield from _look_up(question, solver, stored)

    def _second(
        self, metric: Metric, questions: list[DepthQuestion], solver: Solver, effort: Effort
    ) -> dict[DepthQuestion, _Leg]:
        """Return the questions to confirm, each with the leg that does.

        Depths take turns, so that each has its share; in a depth, the least hash comes first.
        """
        small = f"{metric}-small"
        reach = both_ends.REACH[metric] + 1
        farthest = reach if solver.table.spec.name == small else OTHER[metric]
        by_depth: dict[int, list[DepthQuestion]] = {}
        for question in sorted(questions, key=lambda q: digest("second leg", q.facelets)):
            if question.depth <= farthest:
                by_depth.setdefault(question.depth, []).append(question)
        turns = zip_longest(*(by_depth[depth] for depth in sorted(by_depth)))
        chosen = [question for turn in turns for question in turn if question][: effort.second]
        legs = {False: _Leg("from both ends", partial(both_ends.unsolvable_within, metric))}
        if any(question.depth > reach for question in chosen):
            other = Solver(self._table(small, effort))

            def unsolvable(facelets: str, limit: int) -> bool:
                return other.at_most(facelets, limit).solution is None

            legs[True] = _Leg("with another table", unsolvable)
        return {question: legs[question.depth > reach] for question in chosen}

    def _solver(self, metric: Metric, depth: int, effort: Effort) -> Solver:
        """Return a solver whose table suits the deepest proof.

        Beyond LARGE the large table is used if the cache has it; it is never built for a proof.
        """
        name = f"{metric}-small" if depth <= SMALL else f"{metric}-default"
        large = f"{metric}-large"
        if depth >= LARGE and large in tables.SPECS and table_path(large, self.cache).is_file():
            name = large
        private = depth >= LARGE and name != large
        return Solver(self._table(name, effort, private=private))

    def _table(self, name: str, effort: Effort, *, private: bool = False) -> Table:
        """Return a table; this process hashed the bytes that it searches."""
        return open_table(name, self.cache, progress=effort.progress, private=private)

    def _stored(self, metric: Metric) -> dict[str, int]:
        """Return the depths of the committed certificates, up to symmetry and inversion."""
        return {
            symmetry.canonical_with_inverse(state.facelets): state.optimal_depth
            for state in store.load(metric, self.store)
        }


def _depth(claim: Claim) -> int:
    """Return the depth that a claim claims."""
    return int(dict(claim.args)["depth"])


def _truth(solver: Solver, question: DepthQuestion) -> tuple[int | None, str]:
    """Return a state's depth, None if it is more than all claims say, and why in words."""
    farthest = max(_depth(claim) for claim in question.claims)
    try:
        if solution := question.witness():
            shorter = solver.at_most(question.facelets, question.depth - 1).solution
            solution = solution if shorter is None else shorter
        else:
            found = solver.at_most(question.facelets, farthest).solution
            if found is None:
                return None, f"it takes more than {farthest} moves"
            solution = found
    except IllegalCube as error:
        return None, f"it is no state of the cube: {error}"
    return notation.length(solution, solver.metric), f"{notation.format(solution)} solves it"


@dataclass(frozen=True, slots=True)
class _Leg:
    """A second leg: what it is called, and whether a state has no solution within a length."""

    name: str
    unsolvable: Callable[[str, int], bool]


def _both(solver: Solver, leg: _Leg | None, question: DepthQuestion) -> tuple[int | None, str, str]:
    """Return a state's depth, None if it is not as claimed, why, and who confirmed it.

    Args:
        solver: finds the depth.
        leg: confirms it; None for nobody.
        question: the state.
    """
    depth, why = _truth(solver, question)
    if depth is None or leg is None:
        return depth, why, ""
    if depth and not leg.unsolvable(question.facelets, depth - 1):
        return None, f"a search {leg.name} finds a solution of fewer than {depth} moves", ""
    return depth, why, leg.name


def _judge(
    question: DepthQuestion, depth: int | None, why: str, confirmed: str = ""
) -> Iterator[Judged]:
    """Yield the verdict on each claim about a state whose depth is known."""
    for claim in question.claims:
        if _depth(claim) == depth:
            yield Judged(claim, Verdict.PROVEN, confirmed=confirmed)
        else:
            yield _refuted(question, claim, why)


def _refuted(question: DepthQuestion, claim: Claim, why: str) -> Judged:
    """Return the verdict on a false claim."""
    text = f"{question.facelets} is not at depth {_depth(claim)} ({question.metric}): {why}"
    return Judged(claim, Verdict.REFUTED, text)


def _look_up(question: DepthQuestion, solver: Solver, stored: dict[str, int]) -> Iterator[Judged]:
    """Yield verdicts on deep claims from a brief search and the store."""
    try:
        search = solver.at_most(question.facelets, question.depth - 1, node_limit=BRIEF)
    except IllegalCube as error:
        for claim in question.claims:
            yield _refuted(question, claim, f"it is no state of the cube: {error}")
        return
    if search.solution is not None:
        length = notation.length(search.solution, solver.metric)
        yield from _judge(question, length, f"{notation.format(search.solution)} solves it")
        return
    depth = stored.get(symmetry.canonical_with_inverse(question.facelets))
    for claim in question.claims:
        if depth is None:
            yield Judged(claim, Verdict.OPEN)
        elif depth == _depth(claim):
            yield Judged(claim, Verdict.STORED)
        else:
            yield _refuted(question, claim, f"the store of certificates says {depth}")


PROVER = CubeProver()
