"""Who fills blanks by the length of the way alone is right in no map that is made."""

from itertools import combinations, permutations

import pytest

from facelet.generators.chamber.maps import map_generator
from facelet.generators.chamber.maps.map_columns import Knobs, MapParams
from facelet.generators.chamber.plans.walking_distance import (
    WalkingDistances,
    is_betrayed_by_distance,
)
from facelet.generators.chamber.world.chamber_records import Step


def plan_length(known: WalkingDistances, plan: list[Step]) -> int:
    place, whole = known.start, 0
    for step in plan:
        place, more = known.walk_to_step(place, step)
        whole += more
    return whole


def test_a_map_is_betrayed_where_no_filling_walks_less(resource) -> None:
    told = set()
    for found in resource(MapParams().map_need()).maps:
        known = WalkingDistances(found.chamber)
        for wrong in combinations(found.mistakes, 2):
            numbers = [mistake.number for mistake in wrong]
            options = [*(m.step for m in wrong), *(found.plan[number] for number in numbers)]
            lengths = []
            for some in permutations(options, 2):
                filled = dict(zip(numbers, some, strict=True))
                plan = [filled.get(n, step) for n, step in enumerate(found.plan)]
                lengths.append(plan_length(known, plan))
            told.add(is_betrayed_by_distance(found.chamber, found.plan, wrong))
            least = plan_length(known, list(found.plan)) == min(lengths)
            assert is_betrayed_by_distance(found.chamber, found.plan, wrong) == least
    assert told == {True, False}


def test_a_map_that_is_betrayed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def is_first_call(*args: object) -> bool:
        asked.append(args)
        return len(asked) == 1

    monkeypatch.setattr(map_generator.walking_distance, "is_betrayed_by_distance", is_first_call)
    found = map_generator.make_map(Knobs(), ("ways",), (("all", 1),), "all")
    chamber, plan, wrong = asked[-1]
    assert len(asked) > 1 and found.plan and len(plan) == len(found.plan)
    assert chamber != asked[0][0] and len(wrong) == len(found.mistakes)
