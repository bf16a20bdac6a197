"""Who fills blanks by the length of the way alone is right in no map that is made."""

from itertools import combinations, permutations

import pytest

from facelet.generators.chamber.maps import making
from facelet.generators.chamber.maps.ground import Asked
from facelet.generators.chamber.maps.records import Knobs
from facelet.generators.chamber.plans.ways import Ways, betrayed
from facelet.generators.chamber.world.steps import Step


def length(known: Ways, plan: list[Step]) -> int:
    place, whole = known.start, 0
    for step in plan:
        place, more = known.walked(place, step)
        whole += more
    return whole


def test_a_map_is_betrayed_where_no_filling_walks_less(resource) -> None:
    told = set()
    for found in resource(Asked().need()).maps:
        known = Ways(found.chamber)
        for wrong in combinations(found.mistakes, 2):
            numbers = [mistake.number for mistake in wrong]
            options = [*(m.step for m in wrong), *(found.plan[number] for number in numbers)]
            lengths = []
            for some in permutations(options, 2):
                filled = dict(zip(numbers, some, strict=True))
                plan = [filled.get(n, step) for n, step in enumerate(found.plan)]
                lengths.append(length(known, plan))
            told.add(betrayed(found.chamber, found.plan, wrong))
            least = length(known, list(found.plan)) == min(lengths)
            assert betrayed(found.chamber, found.plan, wrong) == least
    assert told == {True, False}


def test_a_map_that_is_betrayed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def first(*args: object) -> bool:
        asked.append(args)
        return len(asked) == 1

    monkeypatch.setattr(making.ways, "betrayed", first)
    found = making.made(Knobs(), ("ways",), (("all", 1),), "all")
    chamber, plan, wrong = asked[-1]
    assert len(asked) > 1 and found.plan and len(plan) == len(found.plan)
    assert chamber != asked[0][0] and len(wrong) == len(found.mistakes)
