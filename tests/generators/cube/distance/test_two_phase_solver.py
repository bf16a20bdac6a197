"""The two-phase solver: its solutions solve, are short, and are the same everywhere."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import kociemba
import magiccube
import numpy as np
import pytest
from cube_states import SOLVED_CUBIES
from hypothesis import given, settings
from hypothesis import strategies as st
from uniform_states import random_state

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.compiled_cores import two_phase as core
from facelet.generators.cube.distance.depth_search import SearchStopped
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import cubies, moves, notation
from facelet.generators.cube.engine.moves import FACE_MOVES
from facelet.generators.cube.engine.notation import SOLVED, IllegalCube
from facelet.pipeline.cube.table_cache import open_table

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
CUBE_IN_CUBE = "F L F U' R U F2 L2 U' L' B D' B' L2 U"
DEEP_IN_H = "R2 U R2 F2 U L2 D F2 U' R2 D2 B2 U L2 F2 D' R2 U2"
MAX_LENGTH = 22
"""No solution is longer, whatever the state and the number of nodes."""


def draw_states(count: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [random_state(rng) for _ in range(count)]


@lru_cache
def search_shells(radius: int) -> tuple[tuple[str, ...], ...]:
    """The states at each distance up to a radius, by breadth-first search on facelets."""
    seen = {SOLVED}
    found: list[tuple[str, ...]] = [(SOLVED,)]
    for _ in range(radius):
        after = {
            moves.apply_maneuver(state, (move,)) for state in found[-1] for move in FACE_MOVES
        } - seen
        seen |= after
        found.append(tuple(sorted(after)))
    return tuple(found)


def test_every_state_up_to_three_moves_is_solved_optimally() -> None:
    for distance, shell in enumerate(search_shells(3)):
        for state in shell:
            solution = two_phase_solver.find_solution(state)
            assert len(solution) == distance
            assert moves.apply_maneuver(state, solution) == SOLVED


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(FACE_MOVES), max_size=10))
def test_short_maneuvers_are_undone_in_no_more_moves(word: list[str]) -> None:
    exact = ExactSolver(open_table("htm-small", progress=False))
    state = moves.apply_maneuver(SOLVED, tuple(word))
    solution = two_phase_solver.find_solution(state, nodes=2_000_000)
    assert moves.apply_maneuver(state, solution) == SOLVED
    assert exact.exact_distance(state) == len(solution) <= len(word)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3000, 100_000]))
def test_random_states_are_solved_within_the_bound(seed: int, nodes: int) -> None:
    (state,) = draw_states(1, seed)
    solution = two_phase_solver.find_solution(state, nodes=nodes)
    assert moves.apply_maneuver(state, solution) == SOLVED
    assert len(solution) <= MAX_LENGTH
    assert notation.simplify_maneuver(solution) == notation.simplify_maneuver(
        notation.simplify_maneuver(solution)
    )
    assert notation.maneuver_length(notation.simplify_maneuver(solution), "htm") == len(solution)


def test_an_independent_cube_is_solved_by_the_solutions() -> None:
    for state in draw_states(40, 1):
        u, r, f, d, l, b = (state[i : i + 9] for i in range(0, 54, 9))  # noqa: E741
        colours = str.maketrans("URFDLB", "WRGYOB")
        cube = magiccube.Cube(3, (u + l + f + r + b + d).translate(colours))
        cube.rotate(notation.format_maneuver(two_phase_solver.find_solution(state, nodes=30_000)))
        assert cube.is_done()


@pytest.mark.parametrize("word", [CUBE_IN_CUBE, DEEP_IN_H, "M2 E2 S2", "M E M' E'"])
def test_symmetric_states_and_states_of_phase_2(word: str) -> None:
    state, _ = moves.turn_upright(moves.apply_maneuver(SOLVED, word))
    solution = two_phase_solver.find_solution(state, nodes=1_000_000)
    assert moves.apply_maneuver(state, solution) == SOLVED
    assert len(solution) <= max(20, notation.maneuver_length(notation.parse_maneuver(word), "htm"))


def test_the_superflip_takes_its_twenty_moves() -> None:
    state = moves.apply_maneuver(SOLVED, SUPERFLIP)
    assert len(two_phase_solver.find_solution(state, nodes=50_000_000, at_most=20)) == 20


def test_lengths_beside_kociembas_own_solver() -> None:
    states = draw_states(30, 2)
    ours = [len(two_phase_solver.find_solution(state)) for state in states]
    theirs = [len(kociemba.solve(state).split()) for state in states]
    assert sum(ours) < sum(theirs)
    assert max(ours) <= 21


def test_more_positions_never_make_a_solution_longer() -> None:
    for state in draw_states(10, 3):
        lengths = [
            len(two_phase_solver.find_solution(state, nodes=n))
            for n in (1, 10_000, 100_000, 400_000)
        ]
        assert lengths == sorted(lengths, reverse=True)


def test_a_length_that_is_good_enough_stops_the_search() -> None:
    for state in draw_states(10, 4):
        best = two_phase_solver.find_solution(state)
        assert two_phase_solver.find_solution(state, at_most=0) == best
        early = two_phase_solver.find_solution(state, at_most=len(best) + 1)
        assert moves.apply_maneuver(state, early) == SOLVED
        assert len(early) <= len(best) + 1
        assert two_phase_solver.find_solution(state, nodes=10**12, at_most=len(early)) == early


def test_threads_and_hash_seeds_change_nothing() -> None:
    states = draw_states(4, 5)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(two_phase_solver.find_solution, states * 2))
    script = (
        "import sys\n"
        "from facelet.generators.cube.distance import two_phase_solver\n"
        "for state in sys.argv[1:]: print(*two_phase_solver.find_solution(state))\n"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", script, *states],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    printed = [tuple(line.split()) for line in done.stdout.splitlines()]
    assert (
        printed
        == together[:4]
        == together[4:]
        == [two_phase_solver.find_solution(s) for s in states]
    )


def test_a_search_can_be_stopped() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(SearchStopped):
        two_phase_solver.find_solution(
            draw_states(1, 6)[0], nodes=two_phase_solver.MAX_NODES, stop=stop
        )


def twist_corner(pieces: cubies.Cubies) -> cubies.Cubies:
    return cubies.Cubies(pieces.cp, (1, *pieces.co[1:]), pieces.ep, pieces.eo)


def flip_edge(pieces: cubies.Cubies) -> cubies.Cubies:
    return cubies.Cubies(pieces.cp, pieces.co, pieces.ep, (1, *pieces.eo[1:]))


def swap_edges(pieces: cubies.Cubies) -> cubies.Cubies:
    first, second, *rest = pieces.ep
    return cubies.Cubies(pieces.cp, pieces.co, (second, first, *rest), pieces.eo)


@pytest.mark.parametrize(
    ("break_it", "reason"), [(twist_corner, "twist"), (flip_edge, "flip"), (swap_edges, "parity")]
)
def test_what_no_turns_reach_is_refused_with_its_reason(
    break_it: Callable[[cubies.Cubies], cubies.Cubies], reason: str
) -> None:
    with pytest.raises(IllegalCube) as refused:
        two_phase_solver.find_solution(cubies.to_facelets(break_it(SOLVED_CUBIES)))
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (SOLVED[1:], "length"),
        ("x" + SOLVED[1:], "letters"),
        ("R" + SOLVED[1:], "counts"),
        (moves.apply_maneuver(SOLVED, "x"), "centres"),
        ("D" + SOLVED[1:27] + "U" + SOLVED[28:], "corner"),
        ("UDUUUUUUU" + SOLVED[9:28] + "U" + SOLVED[29:], "edge"),
    ],
)
def test_texts_that_are_no_cube_are_refused_with_their_reason(state: str, reason: str) -> None:
    with pytest.raises(IllegalCube) as refused:
        two_phase_solver.find_solution(state)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("limits", "named"), [({"nodes": 0}, "nodes=0"), ({"at_most": -1}, "at_most=-1")]
)
def test_limits_out_of_range_are_refused(limits: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        two_phase_solver.find_solution(SOLVED, **limits)


@pytest.mark.parametrize("state", [b"", bytes(39), bytes(40), bytes([200] * 40)])
def test_the_compiled_core_refuses_what_is_no_state(state: bytes) -> None:
    memory = bytearray(core.BYTES)
    with pytest.raises(ValueError, match="no tables"):
        core.solve(memory, bytes(40), 1, 0, None)
    with pytest.raises(ValueError, match="BYTES"):
        core.fill(memory[1:])
    two_phase_solver.find_solution(SOLVED)
    with pytest.raises(ValueError, match="40 bytes"):
        core.solve(two_phase_solver._load_tables(), state, 1, 0, None)


def test_solved_needs_nothing() -> None:
    assert (
        two_phase_solver.find_solution(SOLVED)
        == two_phase_solver.find_solution(SOLVED, nodes=1, at_most=0)
        == ()
    )
