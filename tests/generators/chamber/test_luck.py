"""The chance of `chamber/act`: a player that draws possible steps evenly, on recorded chambers."""

import pytest

from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.maps.ground import Asked
from facelet.generators.chamber.maps.records import Map
from facelet.generators.chamber.plans.moves import Moves
from facelet.generators.chamber.tasks.act import BUDGET, LUCK, TASK
from facelet.generators.core.seeding import generator


def gets_out(found: Map, turns: int, play: int) -> bool:
    """Return whether the player leaves within so many turns."""
    rules = Rules(Chart(found.chamber))
    moves, state, rng = Moves(rules), rules.beginning, generator("luck", play)
    for _ in range(turns):
        after = [then for _, then in moves.successors(state)]
        out = rules.zone(state) >> moves.goal & 1
        if not after and not out:
            return False
        drawn = int(rng.integers(len(after) + out))
        if drawn == len(after):
            return True
        state = after[drawn]
    return False


def test_chance_is_stated_where_it_was_measured() -> None:
    assert TASK.chance(Asked(steps=12, setting="symbolic")) == LUCK[12]
    assert TASK.chance(Asked(steps=12, decoys=0)) is None and TASK.chance(Asked(steps=13)) is None


@pytest.mark.slow
def test_luck_gets_out_as_seldom_as_stated(resource) -> None:
    maps = resource(Asked().need()).maps
    plays = [
        gets_out(m, BUDGET * len(m.plan), play) for m in maps for play in range(200 // len(maps))
    ]
    # At the upper end of its interval 1.2 of 200 plays get out, and 8 in 1 of 20,000 times.
    assert sum(plays) < 8
    # The same player gets out with turns enough, so it is not one that never could.
    assert any(gets_out(m, 4_000, 0) for m in maps)
