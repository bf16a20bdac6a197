"""Whether a state is unsolvable within a length agrees with breadth-first search and the solver."""

import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import near_distances
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, scrambles
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.pipeline.cube.table_cache import open_table


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_it_agrees_with_breadth_first_search(metric):
    rng = make_generator("both ends", metric)
    for depth, shell in enumerate(shells_to(metric, 4)):
        states = sorted(shell)
        for place in rng.choice(len(states), min(len(states), 6), replace=False):
            answers = [
                near_distances.is_unsolvable_within(metric, states[place], n) for n in range(7)
            ]
            assert answers == [n < depth for n in range(7)]


@pytest.mark.some(2)
@pytest.mark.parametrize(("metric", "length"), [("htm", 9), ("qtm", 11)])
def test_it_agrees_with_the_solver_beyond(metric, length):
    solver = ExactSolver(open_table(f"{metric}-small", progress=False))
    rng = make_generator("both ends", metric, length)
    for _ in range(3):
        state = moves.apply_maneuver(SOLVED, scrambles.random_word(metric, length, rng))
        depth = solver.exact_distance(state)
        assert near_distances.is_unsolvable_within(metric, state, depth - 1)
        assert not near_distances.is_unsolvable_within(metric, state, depth)


def test_the_limit_is_checked():
    with pytest.raises(ValueError, match="limit=11 is out of range; allowed: 0 to 10"):
        near_distances.is_unsolvable_within("htm", SOLVED, 11)
