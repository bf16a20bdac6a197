"""The chance of `chamber/act`: a player that draws possible steps evenly, on recorded chambers."""

import pytest

from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.maps.map_columns import ChamberMap, MapParams
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.tasks.act import BUDGET, LUCK, TASK
from facelet.generators.core.seeding import make_generator


def is_out_within(found: ChamberMap, turns: int, play: int) -> bool:
    """Return whether the player leaves within so many turns."""
    rules = StepRules(StaticTables(found.chamber))
    moves, state, rng = LegalSteps(rules), rules.beginning, make_generator("luck", play)
    for _ in range(turns):
        after = [then for _, then in moves.iterate_successors(state)]
        out = rules.reachable_areas(state) >> moves.goal & 1
        if not after and not out:
            return False
        drawn = int(rng.integers(len(after) + out))
        if drawn == len(after):
            return True
        state = after[drawn]
    return False


def test_chance_is_stated_where_it_was_measured() -> None:
    assert TASK.chance_level(MapParams(steps=12, setting="symbolic")) == LUCK[12]
    assert (
        TASK.chance_level(MapParams(steps=12, decoys=0)) is None
        and TASK.chance_level(MapParams(steps=13)) is None
    )


@pytest.mark.slow
def test_luck_gets_out_as_seldom_as_stated(resource) -> None:
    maps = resource(MapParams().map_need()).maps
    plays = [
        is_out_within(m, BUDGET * len(m.plan), play)
        for m in maps
        for play in range(200 // len(maps))
    ]
    # At the upper end of its interval 1.2 of 200 plays get out, and 8 in 1 of 20,000 times.
    assert sum(plays) < 8
    # The same player gets out with turns enough, so it is not one that never could.
    assert any(is_out_within(m, 4_000, 0) for m in maps)
