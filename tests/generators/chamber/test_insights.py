"""What is taken away is taken away as in the twin; what is named is needed, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import chamber_search
import numpy as np
import pytest

from facelet.generators.chamber.composing.compose import compose
from facelet.generators.chamber.composing.plot import Aims
from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import run
from facelet.generators.chamber.maps import ground
from facelet.generators.chamber.maps.ground import Asked
from facelet.generators.chamber.maps.records import Map, Maps
from facelet.generators.chamber.plans import insights, mistakes
from facelet.generators.chamber.plans.compiled import Without
from facelet.generators.chamber.plans.search import shortest
from facelet.generators.chamber.world.kinds import kinds
from facelet.generators.core.task import Claim, Need, Reject
from facelet.pipeline.chamber.insight import PROVER
from facelet.pipeline.verify.proving import Effort, Verdict

WITHOUT = {
    "carrying": Without(carrying=True),
    "facings": Without(facings=frozenset({0, 3})),
    "lifting": Without(lifting=True),
    "pressing": Without(pressing=True),
    "sending": Without(sending=True),
    "speed": Without(speed=True),
    "time": Without(time=1),
}


def worlds(count: int, seeds: str) -> list[Rules]:
    found: list[Rules] = []
    seed = 0
    while len(found) < count:
        seed += 1
        rng = np.random.default_rng([len(seeds), seed])
        aims = Aims(bool(seed % 2), seed % 3)
        try:
            found.append(Rules(Chart(compose(2, 2, tuple(kinds()), rng, aims=aims))))
        except (Reject, ValueError):
            continue
    return found


@pytest.mark.parametrize("name", WITHOUT)
def test_the_compiled_search_does_without_what_its_twin_does_without(name: str) -> None:
    """Equal plans, proofs and counts of states; in some chambers others than with all."""
    other = 0
    for rules in worlds(16, name):
        found = shortest(rules, limit=150, without=WITHOUT[name])
        assert found == chamber_search.shortest(rules, limit=150, without=WITHOUT[name])
        other += found != shortest(rules, limit=150)
    assert other


def test_light_is_taken_from_a_receiver_as_in_the_twin() -> None:
    seen = other = 0
    for rules in worlds(40, "light"):
        names = [one.name for one in rules.chart.fixtures if one.kind == "receiver"]
        for name in names[:1]:
            without = Without(light=frozenset({name}))
            found = shortest(rules, limit=150, without=without)
            assert found == chamber_search.shortest(rules, limit=150, without=without)
            seen += 1
            other += found != shortest(rules, limit=150)
    assert seen > 10 and other


def test_a_search_that_begins_later_or_ends_sooner_is_that_of_the_twin() -> None:
    planned = cut = 0
    for rules in worlds(30, "start"):
        whole = shortest(rules, limit=300)
        if not whole.plan:
            continue
        start = run(rules, whole.plan).states[1]
        later = shortest(rules, limit=300, start=start)
        assert later == chamber_search.shortest(rules, limit=300, start=start)
        assert later.plan and len(later.plan) == len(whole.plan) - 1
        planned += 1
        sooner = shortest(rules, limit=300, most=len(whole.plan) - 1)
        assert sooner == chamber_search.shortest(rules, limit=300, most=len(whole.plan) - 1)
        assert sooner.plan is None and sooner.proven
        cut += 1
        assert shortest(rules, limit=300, most=len(whole.plan)).plan == whole.plan
    assert planned and cut


@pytest.fixture(scope="module")
def maps(resource: Callable[[Need], Maps]) -> tuple[Map, ...]:
    return resource(Asked().need()).maps


def judged(*claims: Claim) -> list[Verdict]:
    return [one.verdict for one in PROVER.prove(claims, Effort())]


def claimed(item: Map) -> list[Claim]:
    claims = ground.claims(ground.ground(item, Asked()))
    return [claim for claim in claims if claim.kind == "chamber/insight"]


def test_named_insights_are_proven_and_others_refuted(maps: tuple[Map, ...]) -> None:
    named: set[str] = set()
    for item in maps:
        claims = claimed(item)
        assert [dict(claim.args)["name"] for claim in claims] == list(item.insights)
        assert judged(*claims) == [Verdict.PROVEN] * len(claims)
        named |= set(item.insights)
        rules = Rules(Chart(item.chamber))
        assert insights.insights(rules, item.plan) == item.insights
        (args,) = {claim.args for claim in claims[:1]}
        for name in sorted(set(insights.PROOFS) - set(item.insights)):
            wrong = Claim("chamber/insight", tuple((dict(args) | {"name": name}).items()))
            assert judged(wrong) == [Verdict.REFUTED]
    assert {"facing", "momentum", "trap"} <= named


def test_no_plan_leads_out_of_a_trap(maps: tuple[Map, ...]) -> None:
    """Played in the twin's search, from the state that the trap leads to."""
    tried = 0
    for item in maps:
        if "trap" not in item.insights:
            continue
        rules = Rules(Chart(item.chamber))
        number, step = next(insights.traps(rules, item.plan, insights.LIMIT))
        state = rules.after(run(rules, item.plan).states[number], step)
        found = chamber_search.shortest(rules, limit=400, start=state)
        assert found.plan is None
        tried += found.proven
    assert tried


def test_most_mistakes_show_late(maps: tuple[Map, ...]) -> None:
    for item in maps:
        rules = Rules(Chart(item.chamber))
        states = run(rules, item.plan).states
        for mistake in item.mistakes:
            plan = [mistake.step, *item.plan[mistake.number + 1 :]]
            done, state = 0, states[mistake.number]
            try:
                for step in plan:
                    state = rules.after(state, step)
                    done += 1
            except Refused:
                pass
            assert done == mistake.lag
        late = sum(mistake.lag >= mistakes.LATE for mistake in item.mistakes)
        assert late >= len(item.mistakes) - mistakes.MOST_EARLY
