"""The compiled search against searches that share nothing with it but the moves."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
from cube_states import SOLVED_CUBIES
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import cubies, moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED, IllegalCube, Metric
from facelet.pipeline.cube.table_cache import open_table

TURNS: dict[Metric, tuple[str, ...]] = {
    "htm": FACE_MOVES,
    "qtm": tuple(move for move in FACE_MOVES if "2" not in move),
}
FULL: dict[Metric, int] = {"htm": 3, "qtm": 4}
"""Depth up to which every position is tried."""


@lru_cache
def load_solver(metric: Metric) -> ExactSolver:
    return ExactSolver(open_table(f"{metric}-small", progress=False))


@lru_cache
def distances_within(metric: Metric, radius: int) -> dict[str, int]:
    """The distance of every state within a radius, by breadth-first search on facelets."""
    found = {SOLVED: 0}
    shell = [SOLVED]
    for depth in range(1, radius + 1):
        new = []
        for state in shell:
            for move in TURNS[metric]:
                after = moves.apply_maneuver(state, (move,))
                if after not in found:
                    found[after] = depth
                    new.append(after)
        shell = new
    return found


def meet_in_middle(metric: Metric, state: str, radius: int = 3) -> int:
    """Distance by meeting in the middle: breadth-first from the state into the ball of solved."""
    near = distances_within(metric, radius)
    seen, shell, depth = {state}, [state], 0
    best = near.get(state, 99)
    while depth < best - radius or best == 99:
        depth += 1
        after = {
            moves.apply_maneuver(old, (move,)) for old in shell for move in TURNS[metric]
        } - seen
        seen |= after
        shell = list(after)
        best = min([best, *(depth + near[found] for found in shell if found in near)])
    return best


def maneuver_words(metric: Metric, longest: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(TURNS[metric]), max_size=longest).map(tuple)


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_every_state_near_solved_has_its_distance(metric: Metric) -> None:
    counts: dict[int, int] = {}
    for state, depth in distances_within(metric, FULL[metric]).items():
        certificate = load_solver(metric).solve_state(state)
        assert certificate.optimal_length == depth
        assert moves.apply_maneuver(state, certificate.solution) == SOLVED
        assert notation.maneuver_length(certificate.solution, metric) == depth
        counts[depth] = counts.get(depth, 0) + 1
    assert (
        list(counts.values())
        == {
            "htm": [1, 18, 243, 3240],
            "qtm": [1, 12, 114, 1068, 10011],
        }[metric]
    )


@settings(max_examples=40)
@given(maneuver_words("htm", 6))
def test_htm_distance_equals_the_twin(word: tuple[str, ...]) -> None:
    state = moves.apply_maneuver(SOLVED, word)
    assert load_solver("htm").exact_distance(state) == meet_in_middle("htm", state)


@settings(max_examples=40)
@given(maneuver_words("qtm", 7))
def test_qtm_distance_equals_the_twin_and_has_the_parity_of_the_state(
    word: tuple[str, ...],
) -> None:
    state = moves.apply_maneuver(SOLVED, word)
    distance = load_solver("qtm").exact_distance(state)
    assert distance == meet_in_middle("qtm", state)
    assert distance % 2 == cubies.permutation_parity(cubies.from_facelets(state).cp)


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("depth", [8, 10, 12])
def test_symmetry_inversion_and_knowledge_make_no_difference(metric: Metric, depth: int) -> None:
    rng = np.random.default_rng(depth)
    word = scrambles.random_word(metric, depth, rng)
    state = moves.apply_maneuver(SOLVED, word)
    proof = load_solver(metric).certify_state(state, notation.invert_maneuver(word))
    assert proof.optimal_length <= depth
    assert proof.exhausted == proof.optimal_length - 1
    assert load_solver(metric).solve_state(state).optimal_length == proof.optimal_length
    images = [symmetry.inverse_state(state)] + [
        symmetry.transform_state(state, s) for s in (5, 23, 41)
    ]
    assert {load_solver(metric).exact_distance(image) for image in images} == {proof.optimal_length}


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_neighbours_and_first_moves_are_those_of_single_searches(metric: Metric) -> None:
    rng = np.random.default_rng(3)
    states = [
        moves.apply_maneuver(SOLVED, scrambles.random_word(metric, depth, rng))
        for depth in (1, 5, 9)
    ]
    states += [
        moves.apply_maneuver(SOLVED, ("U2", "D2")),
        moves.apply_maneuver(SOLVED, notation.parse_maneuver("M2 E2 S2")),
    ]
    for state in states:
        depth = load_solver(metric).exact_distance(state)
        around = load_solver(metric).neighbour_distances(state, depth)
        alone = [
            load_solver(metric).exact_distance(moves.apply_maneuver(state, (move,)))
            for move in FACE_MOVES
        ]
        assert around.tolist() == alone
        first = [
            move
            for move, after in zip(FACE_MOVES, alone, strict=True)
            if after + notation.maneuver_length((move,), metric) == depth
        ]
        assert list(load_solver(metric).optimal_first_moves(state)) == first


def test_a_long_solution_is_shortened_and_a_wrong_one_refused() -> None:
    word = notation.parse_maneuver("R U R' U' R U R' U' R U R' U' R U R' U' R U R' U' F")
    state = moves.apply_maneuver(SOLVED, notation.invert_maneuver(word))
    proof = load_solver("htm").certify_state(state, word)
    assert proof.optimal_length == meet_in_middle("htm", state) == 5
    with pytest.raises(ValueError, match="does not solve"):
        load_solver("htm").certify_state(state, ("R",))
    with pytest.raises(IllegalCube, match="twist"):
        twisted = SOLVED_CUBIES
        cube = cubies.Cubies(twisted.cp, (1, *twisted.co[1:]), twisted.ep, twisted.eo)
        load_solver("htm").solve_state(cubies.to_facelets(cube))


def test_limits_are_kept_and_said() -> None:
    state = moves.apply_maneuver(SOLVED, notation.parse_maneuver("R U F2 L' D B R2 U' F"))
    depth = load_solver("htm").exact_distance(state)
    short = load_solver("htm").at_most(state, depth - 1)
    assert (short.solution, short.exhausted) == (None, depth - 1)
    enough = load_solver("htm").at_most(state, depth)
    assert enough.solution is not None
    assert enough.exhausted == depth - 1
    stopped = load_solver("htm").at_most(
        moves.apply_maneuver(SOLVED, "M2 E2 S2 R U F L D B R U"), 15, node_limit=5
    )
    assert stopped.solution is None
    assert stopped.exhausted < 15
    with pytest.raises(ValueError, match="limit -1 is negative"):
        load_solver("htm").at_most(state, -1)


def test_certificates_do_not_depend_on_threads_or_company() -> None:
    rng = np.random.default_rng(7)
    pairs = []
    for depth in (4, 9, 11, 12, 12, 11, 6):
        word = scrambles.random_word("htm", depth, rng)
        pairs.append((moves.apply_maneuver(SOLVED, word), notation.invert_maneuver(word)))
    alone = [load_solver("htm").certify_state(*pair) for pair in pairs]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda pair: load_solver("htm").certify_state(*pair), pairs))
    assert together == alone


def test_superflip_has_a_solution_of_twenty_moves() -> None:
    word = notation.parse_maneuver("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2")
    state = moves.apply_maneuver(SOLVED, word)
    flipped = cubies.Cubies(tuple(range(8)), (0,) * 8, tuple(range(12)), (1,) * 12)
    assert state == cubies.to_facelets(flipped)
    assert load_solver("htm").at_most(state, 12).exhausted == 12


def test_what_the_two_phase_solver_finds_is_proven_and_saves_positions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(11)
    states = [moves.apply_maneuver(SOLVED, scrambles.random_word("htm", 12, rng)) for _ in range(8)]
    alone = [load_solver("htm").solve_state(state) for state in states]
    monkeypatch.setattr("facelet.generators.cube.distance.exact_solver.QUICK_FROM", 1000)
    helped = [load_solver("htm").solve_state(state) for state in states]
    for state, one, two in zip(states, alone, helped, strict=True):
        assert one.optimal_length == two.optimal_length == len(two.solution)
        assert moves.apply_maneuver(state, two.solution) == SOLVED
        assert two.exhausted == two.optimal_length - 1
        assert two.nodes <= one.nodes
    assert sum(two.nodes for two in helped) < sum(one.nodes for one in alone)
