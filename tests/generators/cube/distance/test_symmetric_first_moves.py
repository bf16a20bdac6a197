"""Symmetric states: what the reduced search leaves out is covered by what it keeps."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import symmetric_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from uniform_states import random_state

from facelet.generators.cube.distance import depth_search, symmetric_first_moves
from facelet.generators.cube.distance.depth_search import StateSearch
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.symmetric_first_moves import normal_words
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED, Maneuver, Metric
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.pipeline.cube.table_cache import open_table

SUPERFLIP = moves.apply_maneuver(
    SOLVED, notation.parse_maneuver("U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2")
)
SYMMETRIC = [
    SUPERFLIP,
    moves.apply_maneuver(SOLVED, "R2 L2 U2 D2"),
    moves.apply_maneuver(SOLVED, "U R2 D' F"),
    moves.apply_maneuver(SOLVED, "R U R'"),
    *[symmetric_classes.symmetric_class(name)[7] for name in ("S_6", "C_4h", "D_3d", "T", "C_3")],
]


def search_beginnings(state: str) -> set[Maneuver]:
    """The beginnings for a state."""
    data = symmetric_first_moves.search_roots(symmetry.find_stabilizer(state))
    found, place = set(), 0
    while place < len(data):
        end = place + 1 + data[place]
        found.add(tuple(FACE_MOVES[m] for m in data[place + 1 : end]))
        assert data[end] == 0  # the other end is free
        place = end + 1
    return found


def normalize_pairs(word: Maneuver) -> Maneuver:
    """Each pair of turns of opposite faces with the one of U, R, F first."""
    out = list(word)
    for i in range(len(out) - 1):
        if {out[i][0], out[i + 1][0]} in ({"U", "D"}, {"R", "L"}, {"F", "B"}):
            out[i : i + 2] = sorted(out[i : i + 2], key=lambda move: "URFDLB".index(move[0]))
    return tuple(out)


@st.composite
def normal_maneuvers(draw: st.DrawFn) -> Maneuver:
    length = draw(st.integers(symmetric_first_moves.LONGEST + 1, 12))
    word: list[str] = []
    while len(word) < length:
        faces = "URFDLB"
        if word:
            last = faces.index(word[-1][0])
            faces = "".join(
                f for i, f in enumerate(faces) if i != last and (i % 3 != last % 3 or i > last)
            )
        word.append(draw(st.sampled_from(faces)) + draw(st.sampled_from(["", "2", "'"])))
    return tuple(word)


@pytest.mark.parametrize("number", range(len(SYMMETRIC)))
@settings(max_examples=60)
@given(word=normal_maneuvers())
def test_some_image_of_every_word_begins_with_what_is_kept(number: int, word: Maneuver) -> None:
    """Were the word a solution, its images would be too: one of them must be searched for."""
    state = SYMMETRIC[number]
    images = [
        normalize_pairs(symmetry.transform_maneuver(word, s))
        for s in symmetry.find_stabilizer(state)
    ]
    beginnings = search_beginnings(state)
    length = len(next(iter(beginnings)))
    assert beginnings.intersection(image[:length] for image in images)


def test_normal_words_are_all_canonical_words() -> None:
    assert [len(normal_words(length)) for length in range(4)] == [1, 18, 243, 3240]
    assert symmetric_first_moves.search_roots((0,)) == symmetric_first_moves.ANYWHERE
    assert len(search_beginnings(SUPERFLIP)) < 1.5 * 3240 / 48
    threefold = search_beginnings(symmetric_classes.symmetric_class("C_3")[8])
    assert len(threefold) == 243 / 3


def test_reduction_changes_no_distance_and_saves_positions() -> None:
    table = open_table("htm-small", progress=False)
    depths, saved = set(), []
    chosen = {"C_3": (8, 9, 16), "S_6": (4, 6, 432), "D_3d": (5, 6)}
    for state in (
        symmetric_classes.symmetric_class(name)[i] for name in chosen for i in chosen[name]
    ):
        search, plain = StateSearch(table, state), StateSearch(table, state)
        plain._roots = symmetric_first_moves.ANYWHERE
        solution, expected = search.search_by_length(12), plain.search_by_length(12)
        assert search.exhausted == plain.exhausted
        assert (solution is None) == (expected is None)
        if solution is not None and expected is not None:
            assert len(solution) == len(expected)
            assert moves.apply_maneuver(state, solution) == SOLVED
            depths.add(len(solution))
        else:
            saved.append(plain.nodes / search.nodes / len(symmetry.find_stabilizer(state)))
    assert depths == {12}
    assert min(saved) > 0.4


def search_length(metric: Metric, state: str, limit: int, *, plain: bool) -> tuple[int | None, int]:
    """Length of a shortest solution within the limit, if there is one, and what is exhausted."""
    reduced = StateSearch(open_table(f"{metric}-small", progress=False), state)
    if plain:
        reduced._roots = symmetric_first_moves.ANYWHERE
    solution = reduced.search_by_length(limit)
    if solution is None:
        return None, reduced.exhausted
    assert moves.apply_maneuver(state, solution) == SOLVED
    return notation.maneuver_length(solution, metric), reduced.exhausted


@pytest.mark.parametrize(("metric", "limit"), [("htm", 9), ("qtm", 11)])
@pytest.mark.parametrize("name", ["D_4h", "C_4h", "D_2d_face", "D_3", "T_h"])
def test_reduction_and_inversion_change_no_answer(
    metric: Metric, limit: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches from symmetric starts throughout, however short, against searches from anywhere."""
    monkeypatch.setattr(depth_search, "_PLAIN_LIMIT", 0)
    members = symmetric_classes.symmetric_class(name)
    rng = np.random.default_rng(len(members))
    chosen = [members[int(i)] for i in rng.choice(len(members), 12)]
    for state in chosen:
        expected = search_length(metric, state, limit, plain=True)
        assert search_length(metric, state, limit, plain=False) == expected
        assert search_length(metric, symmetry.inverse_state(state), limit, plain=False) == expected


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_short_solutions_of_symmetric_states_are_not_passed_over(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Solutions no longer than a beginning, and at most as long as two of them."""
    monkeypatch.setattr(depth_search, "_PLAIN_LIMIT", 0)
    shells = shells_to(metric, 4)
    shallow = [
        (depth, state)
        for depth, shell in enumerate(shells)
        for state in sorted(shell)[:: max(1, len(shell) // 300)]
        if len(symmetry.find_stabilizer(state)) > 1
    ]
    shallow += [(6, moves.apply_maneuver(SOLVED, "M2 E2 S2"))] if metric == "htm" else []
    assert {depth for depth, _ in shallow} >= {0, 1, 2, 3, 4}
    table = open_table(f"{metric}-small", progress=False)
    for depth, state in shallow:
        assert search_length(metric, state, 8, plain=False) == (depth, depth - 1)
        solution = StateSearch(table, state).search_within(8)
        assert solution is not None
        assert moves.apply_maneuver(state, solution) == SOLVED


def test_symmetric_and_other_states_are_searched_side_by_side() -> None:
    solver = ExactSolver(open_table("htm-small", progress=False))
    rng = np.random.default_rng(5)
    states = [*SYMMETRIC, *(random_state(rng) for _ in SYMMETRIC)] * 3
    alone = [solver.at_most(state, 10) for state in states]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda state: solver.at_most(state, 10), states))
    assert together == alone


def test_slices_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = ExactSolver(open_table("htm-small", progress=False))
    whole = [solver.at_most(state, 11) for state in SYMMETRIC]
    monkeypatch.setattr(depth_search, "_BUDGET", 777)
    assert [solver.at_most(state, 11) for state in SYMMETRIC] == whole
    stopped = [solver.at_most(state, 11, node_limit=5000) for state in SYMMETRIC]
    monkeypatch.setattr(depth_search, "_BUDGET", 10_000_000)
    assert [solver.at_most(state, 11, node_limit=5000) for state in SYMMETRIC] == stopped
    assert any(found.exhausted < 11 and found.solution is None for found in stopped)
