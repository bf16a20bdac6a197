"""The oracle against breadth-first search, against the exact solver, and against symmetry."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from uniform_states import random_state

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import distance_oracle, pruning_tables
from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation, scrambles, symmetry
from facelet.generators.cube.engine.notation import (
    COST,
    FACE_MOVES,
    SOLVED,
    IllegalCube,
    Maneuver,
    Metric,
)
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.pipeline.cube.table_cache import open_table

METRICS: tuple[Metric, ...] = ("htm", "qtm")
INNER: dict[Metric, int] = {"htm": 3, "qtm": 4}
"""Shells whose states are all asked about; their neighbours are in the next one, or two."""


@lru_cache
def shell_distances(metric: Metric) -> dict[str, int]:
    shells = shells_to(metric, INNER[metric] + 1)
    return {state: depth for depth, shell in enumerate(shells) for state in shell}


def all_solutions(metric: Metric, state: str) -> set[Maneuver]:
    """Every optimal solution of a state in the inner shells, each in its tidied form."""
    known = shell_distances(metric)
    if known[state] == 0:
        return {()}
    found = set()
    for index, move in enumerate(FACE_MOVES):
        after = moves.apply_maneuver(state, (move,))
        if known.get(after, 99) == known[state] - COST[metric][index % 3]:
            found |= {
                notation.simplify_maneuver((move, *rest)) for rest in all_solutions(metric, after)
            }
    return found


def face_order(maneuver: Maneuver) -> list[int]:
    return [FACE_MOVES.index(move) for move in maneuver]


@pytest.mark.parametrize("metric", METRICS)
def test_near_solved_it_agrees_with_breadth_first_search(metric: Metric) -> None:
    known = shell_distances(metric)
    asked = [state for state, depth in known.items() if depth <= INNER[metric]]
    assert len(asked) > 3000
    for state in asked:
        around = distance_oracle.find_progress(metric, state)
        closer = tuple(
            move
            for move in FACE_MOVES
            if known.get(moves.apply_maneuver(state, (move,)), 99) < known[state]
        )
        assert (around.distance, around.closer) == (known[state], closer)
        assert notation.maneuver_length(around.solution, metric) == known[state]
        assert moves.apply_maneuver(state, around.solution) == SOLVED


@pytest.mark.parametrize("metric", METRICS)
def test_the_solution_is_the_first_of_all_optimal_ones(metric: Metric) -> None:
    rng = make_generator("tests", "least", metric)
    for depth in range(INNER[metric] + 1):
        shell = sorted(shells_to(metric, depth)[depth])
        for place in rng.permutation(len(shell))[:60]:
            state = shell[int(place)]
            least = min(all_solutions(metric, state), key=face_order)
            assert distance_oracle.find_progress(metric, state).solution == least


@pytest.mark.parametrize("metric", METRICS)
def test_farther_out_it_agrees_with_the_solver(metric: Metric) -> None:
    solver = ExactSolver(open_table(f"{metric}-small", progress=False))
    seen = set()
    for length in range(4, 13):
        for number in range(8):
            word = scrambles.random_word(
                metric, length, make_generator("tests", metric, length, number)
            )
            state = moves.apply_maneuver(SOLVED, word)
            around = distance_oracle.find_progress(metric, state)
            seen.add(around.distance)
            assert (
                around.distance
                == solver.exact_distance(state)
                == distance_oracle.exact_distance(metric, state)
            )
            assert around.closer == solver.optimal_first_moves(state, around.distance)
            assert moves.apply_maneuver(state, around.solution) == SOLVED
            assert notation.maneuver_length(around.solution, metric) == around.distance
    assert seen >= set(range(4, 12))


@pytest.mark.parametrize(
    "maneuver", ["U2 D2 R2 L2 F2 B2", "R2 L2", "U D' U2 D", "F2 U2 F2 U2", "R L F2 B2 R L"]
)
@pytest.mark.parametrize("metric", METRICS)
def test_states_with_many_solutions_miss_none(metric: Metric, maneuver: str) -> None:
    state = moves.apply_maneuver(SOLVED, maneuver)
    solver = ExactSolver(open_table(f"{metric}-small", progress=False))
    around = distance_oracle.find_progress(metric, state)
    assert around.closer == solver.optimal_first_moves(state)


@given(
    st.sampled_from(METRICS),
    st.lists(st.sampled_from(FACE_MOVES), max_size=5),
    st.integers(0, symmetry.COUNT - 1),
)
def test_symmetric_states_have_symmetric_answers(metric: Metric, word: list[str], s: int) -> None:
    state = moves.apply_maneuver(SOLVED, tuple(word))
    around = distance_oracle.find_progress(metric, state)
    image = distance_oracle.find_progress(
        metric, moves.apply_maneuver(SOLVED, symmetry.transform_maneuver(tuple(word), s))
    )
    assert image.distance == around.distance
    assert set(image.closer) == {
        symmetry.transform_maneuver((move,), s)[0] for move in around.closer
    }


@pytest.mark.parametrize("metric", METRICS)
def test_solved_has_nothing_closer(metric: Metric) -> None:
    assert distance_oracle.find_progress(metric, SOLVED) == distance_oracle.DistanceReport(
        0, (), ()
    )


def test_what_is_too_far_or_no_cube_is_refused() -> None:
    far = random_state(make_generator("tests", "far"))
    with pytest.raises(ValueError, match=r"more than 13 moves from solved \(htm\)"):
        distance_oracle.find_progress("htm", far)
    with pytest.raises(ValueError, match=r"more than 15 moves from solved \(qtm\)"):
        distance_oracle.find_progress("qtm", far)
    with pytest.raises(IllegalCube):
        distance_oracle.find_progress("htm", "U" * 54)
    with pytest.raises(ValueError, match="metric='stm' is unknown; use one of htm, qtm"):
        distance_oracle.find_progress("stm", SOLVED)  # type: ignore[arg-type]


def test_a_loader_is_called_once_a_table_by_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    source = distance_oracle._TableSource()

    def load_table(name: str) -> pruning_tables.PruningTable:
        asked.append(name)
        return open_table(name, progress=False)

    monkeypatch.setattr(distance_oracle, "_source", source)
    distance_oracle.read_tables_from(load_table)
    distance_oracle.find_progress.cache_clear()
    gate = threading.Barrier(4)

    def ask_oracle(number: int) -> list[distance_oracle.DistanceReport]:
        gate.wait()
        rng = make_generator("tests", "threads", number // 2)
        words = [scrambles.random_word("htm", 7, rng) for _ in range(50)]
        return [
            distance_oracle.find_progress("htm", moves.apply_maneuver(SOLVED, word))
            for word in words
        ]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask_oracle, range(4)))
    assert asked == ["htm-small"]
    assert answers[0] == answers[1] != answers[2] == answers[3]


def test_without_a_loader_the_table_is_built() -> None:
    table = distance_oracle._TableSource().load_table("qtm")
    assert (
        table.memory_hash
        == pruning_tables.hash_table(table.memory)
        == pruning_tables.find_spec("qtm-small").digest
    )


def test_the_compiled_call_checks_what_it_is_handed() -> None:
    table = open_table("htm-small", progress=False)
    state = bytes([*range(8), *[0] * 8, *range(12), *[0] * 12])
    size = core.search_size(5, 1)
    fixed = (table.memory, table.spec.flips, table.spec.base, False)
    assert core.around(bytearray(size), *fixed, state, 5) == (0, 0, b"")
    with pytest.raises(ValueError, match="working memory is too small"):
        core.around(bytearray(100), *fixed, state, 5)
    with pytest.raises(ValueError, match="limit must be 0 to 30"):
        core.around(bytearray(size), *fixed, state, 31)
    with pytest.raises(ValueError, match="a state is 40 bytes"):
        core.around(bytearray(size), *fixed, state[:-1], 5)
    with pytest.raises(ValueError, match="size that its flips ask for"):
        core.around(bytearray(size), np.zeros(9, np.uint8), *fixed[1:], state, 5)
