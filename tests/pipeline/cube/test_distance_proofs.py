from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from facelet.generators.core.seeding import generator
from facelet.generators.core.task import Claim
from facelet.generators.cube.distance.solver import Solver
from facelet.generators.cube.distance.tables import Table
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.pools.shells import shells_to
from facelet.generators.cube.states.certified import CertifiedState, distance_claim
from facelet.pipeline.cube import store
from facelet.pipeline.cube.distance import DEEP, CubeProver
from facelet.pipeline.cube.tables import open_table
from facelet.pipeline.verify.proving import Effort, Judged, Verdict

QUIET = Effort(progress=False, workers=2)
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def prover(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> CubeProver:
    """A prover whose store holds the superflip, at depth 20, and nothing else."""
    folder = tmp_path_factory.mktemp("store")
    solution = notation.invert(notation.parse(SUPERFLIP))
    state = moves.apply(SOLVED, SUPERFLIP)
    certified = CertifiedState(
        facelets=state,
        metric="htm",
        optimal_depth=20,
        solution=notation.format(solution),
        sampling="symmetric",
        family=symmetry.canonical_with_inverse(state),
        canonical=symmetry.canonical(state)[0],
        exhausted=19,
        table_hash="0" * 32,
        nodes=1,
    )
    rows = [store.StoredState(certified, "htm-large", 1.0, "O_h", "", "test", 1)]
    store.write_states(rows, "htm", folder)
    return CubeProver(cache, folder)


def verdicts(prover: CubeProver, claims: list[Claim], effort: Effort = QUIET) -> list[Judged]:
    """The verdicts in the order of the claims."""
    judged = {one.claim: one for one in prover.prove(claims, effort)}
    assert set(judged) == set(claims)
    return [judged[claim] for claim in claims]


@pytest.mark.parametrize("metric", get_args(Metric))
def test_true_claims_are_proven_and_false_ones_refuted(prover: CubeProver, metric: Metric) -> None:
    rng = generator("proofs", metric)
    states = []
    for depth, shell in enumerate(shells_to(metric, 4)):
        chosen = sorted(shell)
        states += [(chosen[int(rng.integers(len(chosen)))], depth) for _ in range(4)]
    for shift, verdict in ((0, Verdict.PROVEN), (1, Verdict.REFUTED), (-1, Verdict.REFUTED)):
        claims = [distance_claim(s, metric, d + shift) for s, d in set(states) if d + shift >= 0]
        assert {one.verdict for one in verdicts(prover, claims)} == {verdict}


def test_a_witness_is_used_but_never_trusted(prover: CubeProver) -> None:
    state = moves.apply(SOLVED, "R U2 F'")
    true = distance_claim(state, "htm", 3, "F U2 R'")
    long = distance_claim(state, "htm", 5, "F U2 R' D D'")
    wrong = distance_claim(state, "htm", 3, "F U2 R")
    nonsense = distance_claim(state, "htm", 3, "not a maneuver")
    short = distance_claim(state, "htm", 2, "F U2")
    rotated = distance_claim(state, "htm", 3, "F U2 r'")
    found = verdicts(prover, [true, long, wrong, nonsense, short, rotated])
    proven, refuted = Verdict.PROVEN, Verdict.REFUTED
    assert [one.verdict for one in found] == [proven, refuted, proven, proven, refuted, proven]
    alone = verdicts(prover, [long])[0]
    assert alone.verdict is refuted and "not at depth 5 (htm): F U2 R' solves it" in alone.reason
    assert "more than 2 moves" in verdicts(prover, [short])[0].reason


def test_what_is_no_cube_or_no_metric_is_refuted(prover: CubeProver) -> None:
    twisted = SOLVED[:8] + "R" + SOLVED[9] + SOLVED[10:20] + "U" + SOLVED[21:]
    broken = [
        distance_claim(twisted, "htm", 3),
        distance_claim("U" * 54, "htm", 19),
        distance_claim(SOLVED[:-1], "htm", 1),
        Claim("cube/distance", (("depth", 1), ("facelets", SOLVED), ("metric", "stm"))),
    ]
    found = verdicts(prover, broken)
    assert {one.verdict for one in found} == {Verdict.REFUTED}
    assert "no state of the cube" in found[0].reason and "no metric 'stm'" in found[3].reason


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_inverses_of_committed_states_are_covered(cache: Path, every: int) -> None:
    deep = [state for state in store.load("htm") if state.optimal_depth >= DEEP["htm"]][::every]
    claims = [
        distance_claim(
            symmetry.transform(symmetry.inverse_state(state.facelets), 7),
            "htm",
            state.optimal_depth,
        )
        for state in deep
    ]
    found = verdicts(CubeProver(cache), list(dict.fromkeys(claims)))
    assert {one.verdict for one in found} == {Verdict.STORED}


def test_deep_claims_are_looked_up_up_to_symmetry(prover: CubeProver) -> None:
    superflip = moves.apply(SOLVED, SUPERFLIP)
    scrambled = moves.apply(superflip, "R")
    claims = [
        distance_claim(superflip, "htm", 20),
        distance_claim(symmetry.transform(superflip, 29), "htm", 20, SUPERFLIP),
        distance_claim(superflip, "htm", 19),
        distance_claim(scrambled, "htm", 19),
    ]
    found = verdicts(prover, claims)
    assert [one.verdict for one in found] == [
        Verdict.STORED,
        Verdict.STORED,
        Verdict.REFUTED,
        Verdict.OPEN,
    ]
    assert "the store of certificates says 20" in found[2].reason


def test_gross_errors_in_deep_claims_are_refuted_at_once(prover: CubeProver) -> None:
    state = moves.apply(SOLVED, "R U F D2 L")
    found = verdicts(prover, [distance_claim(state, "htm", DEEP["htm"])])[0]
    assert found.verdict is Verdict.REFUTED and "solves it" in found.reason


def test_the_witness_saves_the_last_length(cache: Path) -> None:
    """At depth 11 the proof with a witness takes less than half the nodes of the one without."""
    from facelet.generators.cube.distance.solver import Solver
    from facelet.pipeline.cube.tables import open_table

    solver = Solver(open_table("htm-small", cache, progress=False))
    rng = generator("witness")
    nodes = {"with": 0, "without": 0}
    for _ in range(3):
        word = scrambles.random_word("htm", 11, rng)
        state = moves.apply(SOLVED, word)
        certificate = solver.solve(state)
        nodes["without"] += certificate.nodes
        nodes["with"] += solver.at_most(state, certificate.optimal_length - 1).nodes
    assert nodes["with"] < nodes["without"] / 2


def claim_at(prover: CubeProver, metric: Metric, length: int) -> Claim:
    """The true claim about a state that a word of some length leads to."""
    rng = generator("second leg", metric, length)
    state = moves.apply(SOLVED, scrambles.random_word(metric, length, rng))
    solution = Solver(open_table(f"{metric}-small", prover.cache, progress=False)).solve(state)
    text = notation.format(solution.solution)
    return distance_claim(state, metric, solution.optimal_length, text)


def test_a_sample_of_the_proofs_is_confirmed_without_the_table(prover: CubeProver) -> None:
    claims = [claim_at(prover, "htm", length) for length in (1, 2, 4, 6, 7, 8)]
    found = verdicts(prover, claims)
    assert [one.confirmed for one in found] == ["from both ends"] * 6
    few = verdicts(prover, claims, dataclasses.replace(QUIET, second=2))
    assert sum(bool(one.confirmed) for one in few) == 2
    assert {one.verdict for one in found + few} == {Verdict.PROVEN}


def test_a_lying_table_does_not_prove_what_both_ends_refute(
    prover: CubeProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that prunes everything, under the true hash, as one that was exchanged in memory."""
    real = CubeProver._table

    def lying(self: CubeProver, name: str, effort: Effort, **keys: bool) -> Table:
        table = real(self, name, effort, **keys)
        memory = np.array(table.memory)
        exchanged = Table(table.spec, memory)
        memory[:] = 0xFF
        return exchanged

    state = moves.apply(SOLVED, "R U")
    claim = distance_claim(state, "htm", 4, "F2 F2 U' R'")
    (honest,) = verdicts(prover, [claim])
    assert honest.verdict is Verdict.REFUTED
    monkeypatch.setattr(CubeProver, "_table", lying)
    (fooled,) = verdicts(prover, [claim], dataclasses.replace(QUIET, second=0))
    assert fooled.verdict is Verdict.PROVEN, "the table lies well enough to be a test"
    (found,) = verdicts(prover, [claim])
    assert found.verdict is Verdict.REFUTED
    assert "from both ends finds a solution of fewer than 4 moves" in found.reason
