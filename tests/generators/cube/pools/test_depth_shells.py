"""Shells have the published sizes, and descending through them solves."""

from __future__ import annotations

import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.generators.cube.pools.pool_spec import EXHAUSTIVE, draw_descent, shells_to

METRICS: tuple[Metric, ...] = ("htm", "qtm")

# Positions at distance 0, 1, 2, ... (published counts).
POSITIONS: dict[Metric, tuple[int, ...]] = {
    "htm": (1, 18, 243, 3240, 43239),
    "qtm": (1, 12, 114, 1068, 10011, 93840),
}


@pytest.mark.parametrize("metric", METRICS)
def test_shells_have_the_published_sizes(metric: Metric) -> None:
    shells = shells_to(metric, EXHAUSTIVE[metric])
    assert tuple(len(shell) for shell in shells) == POSITIONS[metric]


@pytest.mark.parametrize("metric", METRICS)
def test_descend_solves_in_the_depth_of_the_shell(metric: Metric) -> None:
    rng = make_generator("test", "descend", metric)
    for depth, shell in enumerate(shells_to(metric, EXHAUSTIVE[metric])):
        listed = sorted(shell)
        for place in rng.integers(len(listed), size=5):
            solution = draw_descent(metric, listed[int(place)], rng)
            assert notation.maneuver_length(solution, metric) == depth
            assert moves.apply_maneuver(listed[int(place)], solution) == SOLVED


def test_descend_takes_every_optimal_first_move() -> None:
    rng = make_generator("test", "descend")
    state = moves.apply_maneuver(SOLVED, "U D2")
    assert {draw_descent("htm", state, rng)[0] for _ in range(60)} == {"U'", "D2"}


def test_descend_refuses_deeper_states() -> None:
    state = moves.apply_maneuver(SOLVED, "R U F' L2 D B")
    with pytest.raises(ValueError, match="use a Solver"):
        draw_descent("htm", state, make_generator("test"))
