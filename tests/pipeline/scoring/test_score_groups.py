"""Why rows of a cube state are grouped by the state: what intervals cover at depth 1 and 2.

There are 18 and 243 states in 2 and 8 families of symmetric images and inverses. A player has in
each family an accuracy of its own, more or less spread, and is asked some of the states. Intervals
over states hold the accuracy over all states of the depth as often as they say; those over families
hold it always, because they are far too wide.
"""

from __future__ import annotations

import numpy as np
import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.engine import moves, symmetry
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.scoring.aggregate.estimates import Estimate, estimate_table
from facelet.pipeline.scoring.aggregate.figure_table import Estimand, FigureTable, Ratio
from facelet.pipeline.scoring.aggregate.statistics import RowClusters

REPEATS = 400


@pytest.fixture(scope="module")
def shells() -> dict[int, np.ndarray]:
    """The family of every state, by depth."""
    first = {moves.apply_maneuver(SOLVED, (move,)) for move in moves.FACE_MOVES}
    second = {moves.apply_maneuver(state, (move,)) for state in first for move in moves.FACE_MOVES}
    found = {}
    for depth, shell in ((1, first), (2, second - first - {SOLVED})):
        keys = [symmetry.canonical_with_inverse(state) for state in sorted(shell)]
        found[depth] = np.unique(keys, return_inverse=True)[1]
    return found


def accuracy_interval(right: np.ndarray, groups: np.ndarray) -> Estimate:
    columns = np.column_stack((right, np.ones(len(right))))
    table = FigureTable("accuracy", (), np.arange(len(right)), columns, {"accuracy": Ratio(0, 1)})
    clusters = RowClusters.from_groups(groups)
    wanted = Estimand("all", table, np.arange(len(right)), clusters, ("test",))
    return estimate_table(wanted, 100)["accuracy"]


@pytest.mark.parametrize(("depth", "asked", "count"), [(1, 18, 2), (2, 100, 8)])
@pytest.mark.parametrize("likeness", [0.0, 0.2, 0.5])
def test_intervals_over_states_cover_as_they_say(shells, depth, asked, count, likeness):
    family = shells[depth]
    assert len(np.unique(family)) == count
    rng = make_generator("cover", depth, str(likeness))
    covered, width = np.zeros(2), np.zeros(2)
    for _ in range(REPEATS):
        share = np.full(count, 0.6)
        if likeness:
            # The intraclass correlation of this beta distribution's draws is `likeness`.
            share = rng.beta(0.6 * (1 / likeness - 1), 0.4 * (1 / likeness - 1), count)
        chosen = rng.permutation(len(family))[:asked]
        right = (rng.random(asked) < share[family[chosen]]).astype(float)
        truth = share[family].mean()
        for way, groups in enumerate((chosen, family[chosen])):
            found = accuracy_interval(right, groups)
            covered[way] += found.low <= truth <= found.high
            width[way] += found.high - found.low
    # Four standard errors of a share of REPEATS trials below the 95% that is meant.
    assert covered[0] / REPEATS > 0.95 - 4 * np.sqrt(0.95 * 0.05 / REPEATS)
    assert covered[1] == REPEATS
    assert width[1] > 1.8 * width[0]
