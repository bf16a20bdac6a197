"""What the oracle answers without a compiler, beside the compiled core."""

from __future__ import annotations

import pytest

from facelet.generators.core.compiled_parts import NotCompiled
from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.distance import distance_oracle, near_distances
from facelet.generators.cube.engine import moves, scrambles
from facelet.generators.cube.engine.notation import SOLVED, Metric

FAR: dict[Metric, int] = {"htm": 7, "qtm": 8}
"""A little beyond the states that are known by heart."""


@pytest.mark.parametrize("metric", ["htm", pytest.param("qtm", marks=pytest.mark.slow)])
def test_it_answers_as_the_compiled_core_does(metric: Metric) -> None:
    rng = make_generator("tests", "near", metric)
    distances = set()
    for number in range(40):
        word = scrambles.random_word(metric, number % (FAR[metric] + 1), rng)
        state = moves.apply_maneuver(SOLVED, word)
        found = near_distances.find_near_distance(metric, state, distance_oracle.REACH[metric])
        assert found is not None
        assert found == distance_oracle.find_progress(metric, state)
        distances.add(found.distance)
    assert distances >= set(range(FAR[metric] - 1))


def test_superflips_are_left_to_the_solver() -> None:
    superflip = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
    with pytest.raises(NotCompiled, match="more than 10 moves from solved"):
        near_distances.find_near_distance("htm", superflip, 13)
    assert near_distances.find_near_distance("htm", superflip, 4) is None
