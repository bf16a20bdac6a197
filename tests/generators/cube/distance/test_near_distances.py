"""What the oracle answers without a compiler, beside the compiled core."""

from __future__ import annotations

import pytest

from facelet.generators.core.compiled import NotCompiled
from facelet.generators.core.seeding import generator
from facelet.generators.cube.distance import near, oracle
from facelet.generators.cube.engine import moves, scrambles
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.metrics import Metric

FAR: dict[Metric, int] = {"htm": 7, "qtm": 8}
"""A little beyond the states that are known by heart."""


@pytest.mark.parametrize("metric", ["htm", pytest.param("qtm", marks=pytest.mark.slow)])
def test_it_answers_as_the_compiled_core_does(metric: Metric) -> None:
    rng = generator("tests", "near", metric)
    distances = set()
    for number in range(40):
        word = scrambles.random_word(metric, number % (FAR[metric] + 1), rng)
        state = moves.apply(SOLVED, word)
        found = near.near(metric, state, oracle.REACH[metric])
        assert found is not None
        assert oracle.Around(*found) == oracle.progress(metric, state)
        distances.add(found.distance)
    assert distances >= set(range(FAR[metric] - 1))


def test_superflips_are_left_to_the_solver() -> None:
    superflip = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
    with pytest.raises(NotCompiled, match="more than 10 moves from solved"):
        near.near("htm", superflip, 13)
    assert near.near("htm", superflip, 4) is None
