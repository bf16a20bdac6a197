from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import store_writer

from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Claim
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.generators.cube.states.certified_states import CertifiedState, distance_claim
from facelet.pipeline.cube import store
from facelet.pipeline.cube.distance import DEEP, CubeProver
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict

QUIET = ProofEffort(progress=False, workers=2)
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def prover(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> CubeProver:
    """A prover whose store holds the superflip, at depth 20, and nothing else."""
    folder = tmp_path_factory.mktemp("store")
    solution = notation.invert_maneuver(notation.parse_maneuver(SUPERFLIP))
    state = moves.apply_maneuver(SOLVED, SUPERFLIP)
    certified = CertifiedState(
        facelets=state,
        metric="htm",
        optimal_depth=20,
        solution=notation.format_maneuver(solution),
        sampling="symmetric",
        family=symmetry.canonical_with_inverse(state),
        canonical=symmetry.canonical_image(state)[0],
        exhausted=19,
        table_hash="0" * 32,
        nodes=1,
    )
    rows = [store.StoredState(certified, "htm-large", 1.0, "O_h", "", "test", 1)]
    store_writer.write_states(rows, "htm", folder)
    return CubeProver(cache, folder)


def judge_claims(
    prover: CubeProver, claims: list[Claim], effort: ProofEffort = QUIET
) -> list[JudgedClaim]:
    """The verdicts in the order of the claims."""
    judged = {one.claim: one for one in prover.prove(claims, effort)}
    assert set(judged) == set(claims)
    return [judged[claim] for claim in claims]


@pytest.mark.parametrize("metric", get_args(Metric))
def test_true_claims_are_proven_and_false_ones_refuted(prover: CubeProver, metric: Metric) -> None:
    rng = make_generator("proofs", metric)
    states = []
    for depth, shell in enumerate(shells_to(metric, 4)):
        chosen = sorted(shell)
        states += [(chosen[int(rng.integers(len(chosen)))], depth) for _ in range(4)]
    for shift, verdict in (
        (0, ProofVerdict.PROVEN),
        (1, ProofVerdict.REFUTED),
        (-1, ProofVerdict.REFUTED),
    ):
        claims = [distance_claim(s, metric, d + shift) for s, d in set(states) if d + shift >= 0]
        assert {one.verdict for one in judge_claims(prover, claims)} == {verdict}


def test_a_witness_is_used_but_never_trusted(prover: CubeProver) -> None:
    state = moves.apply_maneuver(SOLVED, "R U2 F'")
    true = distance_claim(state, "htm", 3, "F U2 R'")
    long = distance_claim(state, "htm", 5, "F U2 R' D D'")
    wrong = distance_claim(state, "htm", 3, "F U2 R")
    nonsense = distance_claim(state, "htm", 3, "not a maneuver")
    short = distance_claim(state, "htm", 2, "F U2")
    rotated = distance_claim(state, "htm", 3, "F U2 r'")
    found = judge_claims(prover, [true, long, wrong, nonsense, short, rotated])
    proven, refuted = ProofVerdict.PROVEN, ProofVerdict.REFUTED
    assert [one.verdict for one in found] == [proven, refuted, proven, proven, refuted, proven]
    alone = judge_claims(prover, [long])[0]
    assert alone.verdict is refuted and "not at depth 5 (htm): F U2 R' solves it" in alone.reason
    assert "more than 2 moves" in judge_claims(prover, [short])[0].reason


def test_what_is_no_cube_or_no_metric_is_refuted(prover: CubeProver) -> None:
    twisted = SOLVED[:8] + "R" + SOLVED[9] + SOLVED[10:20] + "U" + SOLVED[21:]
    broken = [
        distance_claim(twisted, "htm", 3),
        distance_claim("U" * 54, "htm", 19),
        distance_claim(SOLVED[:-1], "htm", 1),
        Claim("cube/distance", (("depth", 1), ("facelets", SOLVED), ("metric", "stm"))),
    ]
    found = judge_claims(prover, broken)
    assert {one.verdict for one in found} == {ProofVerdict.REFUTED}
    assert "no state of the cube" in found[0].reason and "no metric 'stm'" in found[3].reason


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_inverses_of_committed_states_are_covered(cache: Path, every: int) -> None:
    deep = [state for state in store.load_states("htm") if state.optimal_depth >= DEEP["htm"]][
        ::every
    ]
    claims = [
        distance_claim(
            symmetry.transform_state(symmetry.inverse_state(state.facelets), 7),
            "htm",
            state.optimal_depth,
        )
        for state in deep
    ]
    found = judge_claims(CubeProver(cache), list(dict.fromkeys(claims)))
    assert {one.verdict for one in found} == {ProofVerdict.STORED}


def test_deep_claims_are_looked_up_up_to_symmetry(prover: CubeProver) -> None:
    superflip = moves.apply_maneuver(SOLVED, SUPERFLIP)
    scrambled = moves.apply_maneuver(superflip, "R")
    claims = [
        distance_claim(superflip, "htm", 20),
        distance_claim(symmetry.transform_state(superflip, 29), "htm", 20, SUPERFLIP),
        distance_claim(superflip, "htm", 19),
        distance_claim(scrambled, "htm", 19),
    ]
    found = judge_claims(prover, claims)
    assert [one.verdict for one in found] == [
        ProofVerdict.STORED,
        ProofVerdict.STORED,
        ProofVerdict.REFUTED,
        ProofVerdict.OPEN,
    ]
    assert "the store of certificates says 20" in found[2].reason


def test_gross_errors_in_deep_claims_are_refuted_at_once(prover: CubeProver) -> None:
    state = moves.apply_maneuver(SOLVED, "R U F D2 L")
    found = judge_claims(prover, [distance_claim(state, "htm", DEEP["htm"])])[0]
    assert found.verdict is ProofVerdict.REFUTED and "solves it" in found.reason


def test_the_witness_saves_the_last_length(cache: Path) -> None:
    """At depth 11 the proof with a witness takes less than half the nodes of the one without."""
    from facelet.generators.cube.distance.exact_solver import ExactSolver
    from facelet.pipeline.cube.table_cache import open_table

    solver = ExactSolver(open_table("htm-small", cache, progress=False))
    rng = make_generator("witness")
    nodes = {"with": 0, "without": 0}
    for _ in range(3):
        word = scrambles.random_word("htm", 11, rng)
        state = moves.apply_maneuver(SOLVED, word)
        certificate = solver.solve_state(state)
        nodes["without"] += certificate.nodes
        nodes["with"] += solver.at_most(state, certificate.optimal_length - 1).nodes
    assert nodes["with"] < nodes["without"] / 2


def make_claim(prover: CubeProver, metric: Metric, length: int) -> Claim:
    """The true claim about a state that a word of some length leads to."""
    rng = make_generator("second leg", metric, length)
    state = moves.apply_maneuver(SOLVED, scrambles.random_word(metric, length, rng))
    solution = ExactSolver(open_table(f"{metric}-small", prover.cache, progress=False)).solve_state(
        state
    )
    text = notation.format_maneuver(solution.solution)
    return distance_claim(state, metric, solution.optimal_length, text)


def test_a_sample_of_the_proofs_is_confirmed_without_the_table(prover: CubeProver) -> None:
    claims = [make_claim(prover, "htm", length) for length in (1, 2, 4, 6, 7, 8)]
    found = judge_claims(prover, claims)
    assert [one.second_method for one in found] == ["from both ends"] * 6
    few = judge_claims(prover, claims, dataclasses.replace(QUIET, second_checks=2))
    assert sum(bool(one.second_method) for one in few) == 2
    assert {one.verdict for one in found + few} == {ProofVerdict.PROVEN}


def test_a_lying_table_does_not_prove_what_both_ends_refute(
    prover: CubeProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that prunes everything, under the true hash, as one that was exchanged in memory."""
    real = CubeProver._load_table

    def lying_table(self: CubeProver, name: str, effort: ProofEffort, **keys: bool) -> PruningTable:
        table = real(self, name, effort, **keys)
        memory = np.array(table.memory)
        exchanged = PruningTable(table.spec, memory)
        memory[:] = 0xFF
        return exchanged

    state = moves.apply_maneuver(SOLVED, "R U")
    claim = distance_claim(state, "htm", 4, "F2 F2 U' R'")
    (honest,) = judge_claims(prover, [claim])
    assert honest.verdict is ProofVerdict.REFUTED
    monkeypatch.setattr(CubeProver, "_load_table", lying_table)
    (fooled,) = judge_claims(prover, [claim], dataclasses.replace(QUIET, second_checks=0))
    assert fooled.verdict is ProofVerdict.PROVEN, "the table lies well enough to be a test"
    (found,) = judge_claims(prover, [claim])
    assert found.verdict is ProofVerdict.REFUTED
    assert "from both ends finds a solution of fewer than 4 moves" in found.reason
