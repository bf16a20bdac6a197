"""Prover of "cube/distance": states are exactly the claimed number of moves from solved.

The proof of depth d is the exhaustion of all maneuvers of at most d - 1 moves and a witness of d
moves, from the claim if its witness is valid, else from a search. One search settles all claims
about a state.

From DEEP on a proof takes from many seconds to hours. Without `deep` such claims get only a brief
search, which refutes gross errors, and a lookup in the certified store, up to symmetry and
inversion, which keep the depth.

A sample of the proofs gets a second check that does not use the table of the first: a bidirectional
search, which uses none, as far as it reaches, then another table, up to OTHER.
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

from facelet.generators.core.seeding import digest_names
from facelet.generators.core.task import Claim
from facelet.generators.cube.distance import near_distances, pruning_tables
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import SOLVED, IllegalCube, Metric
from facelet.pipeline.cube import store
from facelet.pipeline.cube.table_cache import open_table, table_path
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict

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
    def least_claim(self) -> int:
        """The least claimed depth."""
        return min(_read_claimed_depth(claim) for claim in self.claims)

    def find_claimed_witness(self) -> notation.Maneuver | None:
        """Return a claimed solution of that length, if there is one that solves the state."""
        for claim in self.claims:
            text = str(dict(claim.args).get("solution", ""))
            try:
                solution = notation.parse_maneuver(text)
                length = notation.maneuver_length(solution, self.metric)
                solves = moves.apply_maneuver(self.facelets, solution) == SOLVED
            except ValueError:
                continue
            if text and solves and length == self.least_claim and set(solution) <= _FACE_MOVES:
                return solution
        return None

    def proof_cost(self) -> float:
        """Return how much work a proof is, in any unit."""
        work = _GROWTH[self.metric] ** min(self.least_claim, 20)
        return work if self.find_claimed_witness() else work * _NO_WITNESS


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

    def prove(self, claims: Sequence[Claim], effort: ProofEffort) -> Iterator[JudgedClaim]:
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
        self, metric: Metric, questions: list[DepthQuestion], effort: ProofEffort
    ) -> Iterator[JudgedClaim]:
        """Yield the verdicts on the claims of one metric."""
        if metric not in DEEP:
            why = f"there is no metric {metric!r}; there are {', '.join(DEEP)}"
            yield from (_refute_claim(q, claim, why) for q in questions for claim in q.claims)
            return
        brief = [q for q in questions if q.least_claim >= DEEP[metric] and not effort.deep]
        full = [q for q in questions if q.least_claim < DEEP[metric] or effort.deep]
        solver = self._solver_for_depth(
            metric, max((q.least_claim for q in full), default=0), effort
        )
        costs = {question: question.proof_cost() for question in full}
        full.sort(key=lambda question: (-costs[question], question.facelets))
        bar = tqdm(
            total=sum(costs.values()) or 1.0,
            desc=f"{metric} proofs",
            bar_format="{desc}: {percentage:3.0f}%|{bar}|{postfix} [{elapsed}<{remaining}]",
            disable=not effort.progress,
            mininterval=0.5,
        )
        second = self._confirm_second(metric, full, solver, effort)
        with bar, ThreadPoolExecutor(effort.workers) as pool:
            running = {pool.submit(_prove_twice, solver, second.get(q), q): q for q in full}
            for done, future in enumerate(as_completed(running), 1):
                question = running[future]
                yield from _iterate_verdicts(question, *future.result())
                bar.set_postfix_str(f"{done}/{len(full)} states", refresh=False)
                bar.update(costs[question])
        stored = self._list_stored_depths(metric) if brief else {}
        for question in brief:
            yield from _look_up(question, solver, stored)

    def _confirm_second(
        self,
        metric: Metric,
        questions: list[DepthQuestion],
        solver: ExactSolver,
        effort: ProofEffort,
    ) -> dict[DepthQuestion, _SecondProof]:
        """Return the questions to confirm, each with the leg that does.

        Depths take turns, so that each has its share; in a depth, the least hash comes first.
        """
        small = f"{metric}-small"
        reach = near_distances.REACH[metric] + 1
        farthest = reach if solver.table.spec.name == small else OTHER[metric]
        by_depth: dict[int, list[DepthQuestion]] = {}
        for question in sorted(questions, key=lambda q: digest_names("second leg", q.facelets)):
            if question.least_claim <= farthest:
                by_depth.setdefault(question.least_claim, []).append(question)
        turns = zip_longest(*(by_depth[depth] for depth in sorted(by_depth)))
        chosen = [question for turn in turns for question in turn if question][
            : effort.second_checks
        ]
        legs = {
            False: _SecondProof(
                "from both ends", partial(near_distances.is_unsolvable_within, metric)
            )
        }
        if any(question.least_claim > reach for question in chosen):
            other = ExactSolver(self._load_table(small, effort))

            def unsolvable(facelets: str, limit: int) -> bool:
                return other.at_most(facelets, limit).solution is None

            legs[True] = _SecondProof("with another table", unsolvable)
        return {question: legs[question.least_claim > reach] for question in chosen}

    def _solver_for_depth(self, metric: Metric, depth: int, effort: ProofEffort) -> ExactSolver:
        """Return a solver whose table suits the deepest proof.

        Beyond LARGE the large table is used if the cache has it; it is never built for a proof.
        """
        name = f"{metric}-small" if depth <= SMALL else f"{metric}-default"
        large = f"{metric}-large"
        if (
            depth >= LARGE
            and large in pruning_tables.SPECS
            and table_path(large, self.cache).is_file()
        ):
            name = large
        private = depth >= LARGE and name != large
        return ExactSolver(self._load_table(name, effort, private=private))

    def _load_table(self, name: str, effort: ProofEffort, *, private: bool = False) -> PruningTable:
        """Return a table; this process hashed the bytes that it searches."""
        return open_table(name, self.cache, progress=effort.progress, private=private)

    def _list_stored_depths(self, metric: Metric) -> dict[str, int]:
        """Return the depths of the committed certificates, up to symmetry and inversion."""
        return {
            symmetry.canonical_with_inverse(state.facelets): state.optimal_depth
            for state in store.load_states(metric, self.store)
        }


def _read_claimed_depth(claim: Claim) -> int:
    """Return the depth that a claim claims."""
    return int(dict(claim.args)["depth"])


def _find_depth(solver: ExactSolver, question: DepthQuestion) -> tuple[int | None, str]:
    """Return a state's depth, None if it is more than all claims say, and why in words."""
    farthest = max(_read_claimed_depth(claim) for claim in question.claims)
    try:
        if solution := question.find_claimed_witness():
            shorter = solver.at_most(question.facelets, question.least_claim - 1).solution
            solution = solution if shorter is None else shorter
        else:
            found = solver.at_most(question.facelets, farthest).solution
            if found is None:
                return None, f"it takes more than {farthest} moves"
            solution = found
    except IllegalCube as error:
        return None, f"it is no state of the cube: {error}"
    return notation.maneuver_length(
        solution, solver.metric
    ), f"{notation.format_maneuver(solution)} solves it"


@dataclass(frozen=True, slots=True)
class _SecondProof:
    """A second leg: what it is called, and whether a state has no solution within a length."""

    name: str
    unsolvable: Callable[[str, int], bool]


def _prove_twice(
    solver: ExactSolver, leg: _SecondProof | None, question: DepthQuestion
) -> tuple[int | None, str, str]:
    """Return a state's depth, None if it is not as claimed, why, and who confirmed it.

    Args:
        solver: finds the depth.
        leg: confirms it; None for nobody.
        question: the state.
    """
    depth, why = _find_depth(solver, question)
    if depth is None or leg is None:
        return depth, why, ""
    if depth and not leg.unsolvable(question.facelets, depth - 1):
        return None, f"a search {leg.name} finds a solution of fewer than {depth} moves", ""
    return depth, why, leg.name


def _iterate_verdicts(
    question: DepthQuestion, depth: int | None, why: str, confirmed: str = ""
) -> Iterator[JudgedClaim]:
    """Yield the verdict on each claim about a state whose depth is known."""
    for claim in question.claims:
        if _read_claimed_depth(claim) == depth:
            yield JudgedClaim(claim, ProofVerdict.PROVEN, second_method=confirmed)
        else:
            yield _refute_claim(question, claim, why)


def _refute_claim(question: DepthQuestion, claim: Claim, why: str) -> JudgedClaim:
    """Return the verdict on a false claim."""
    text = f"{question.facelets} is not at depth {_read_claimed_depth(claim)} ({question.metric}): {why}"  # noqa: E501
    return JudgedClaim(claim, ProofVerdict.REFUTED, text)


def _look_up(
    question: DepthQuestion, solver: ExactSolver, stored: dict[str, int]
) -> Iterator[JudgedClaim]:
    """Yield verdicts on deep claims from a brief search and the store."""
    try:
        search = solver.at_most(question.facelets, question.least_claim - 1, node_limit=BRIEF)
    except IllegalCube as error:
        yield from (
            _refute_claim(question, claim, f"it is no state of the cube: {error}")
            for claim in question.claims
        )
        return
    if search.solution is not None:
        length = notation.maneuver_length(search.solution, solver.metric)
        yield from _iterate_verdicts(
            question, length, f"{notation.format_maneuver(search.solution)} solves it"
        )
        return
    depth = stored.get(symmetry.canonical_with_inverse(question.facelets))
    for claim in question.claims:
        if depth is None:
            yield JudgedClaim(claim, ProofVerdict.OPEN)
        elif depth == _read_claimed_depth(claim):
            yield JudgedClaim(claim, ProofVerdict.STORED)
        else:
            yield _refute_claim(question, claim, f"the store of certificates says {depth}")


PROVER = CubeProver()
