"""What is taken away is taken away as in the twin; what is named is needed, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import chamber_search
import numpy as np
import pytest

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.composition.chamber_plot import ChamberAims
from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, run_plan
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import ChamberMap, MapParams, MapPool
from facelet.generators.chamber.plans import insight_proofs, plan_mistakes
from facelet.generators.chamber.plans.plan_search import Omission, find_shortest_plan
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.task import Claim, Need, Reject
from facelet.pipeline.chamber.insight import PROVER
from facelet.pipeline.verify.claim_prover import ProofEffort, ProofVerdict

WITHOUT = {
    "carrying": Omission(carrying=True),
    "facings": Omission(facings=frozenset({0, 3})),
    "lifting": Omission(lifting=True),
    "pressing": Omission(pressing=True),
    "sending": Omission(sending=True),
    "speed": Omission(speed=True),
    "time": Omission(time=1),
}


def make_worlds(count: int, seeds: str) -> list[StepRules]:
    found: list[StepRules] = []
    seed = 0
    while len(found) < count:
        seed += 1
        rng = np.random.default_rng([len(seeds), seed])
        aims = ChamberAims(bool(seed % 2), seed % 3)
        try:
            found.append(
                StepRules(
                    StaticTables(compose_chamber(2, 2, tuple(devices_by_kind()), rng, aims=aims))
                )
            )
        except (Reject, ValueError):
            continue
    return found


@pytest.mark.parametrize("name", WITHOUT)
def test_the_compiled_search_does_without_what_its_twin_does_without(name: str) -> None:
    """Equal plans, proofs and counts of states; in some chambers others than with all."""
    other = 0
    for rules in make_worlds(16, name):
        found = find_shortest_plan(rules, limit=150, without=WITHOUT[name])
        assert found == chamber_search.find_shortest_plan(rules, limit=150, without=WITHOUT[name])
        other += found != find_shortest_plan(rules, limit=150)
    assert other


def test_light_is_taken_from_a_receiver_as_in_the_twin() -> None:
    seen = other = 0
    for rules in make_worlds(40, "light"):
        names = [one.name for one in rules.chart.fixtures if one.kind == "receiver"]
        for name in names[:1]:
            without = Omission(light=frozenset({name}))
            found = find_shortest_plan(rules, limit=150, without=without)
            assert found == chamber_search.find_shortest_plan(rules, limit=150, without=without)
            seen += 1
            other += found != find_shortest_plan(rules, limit=150)
    assert seen > 10 and other


def test_a_search_that_begins_later_or_ends_sooner_is_that_of_the_twin() -> None:
    planned = cut = 0
    for rules in make_worlds(30, "start"):
        whole = find_shortest_plan(rules, limit=300)
        if not whole.plan:
            continue
        start = run_plan(rules, whole.plan).states[1]
        later = find_shortest_plan(rules, limit=300, start=start)
        assert later == chamber_search.find_shortest_plan(rules, limit=300, start=start)
        assert later.plan and len(later.plan) == len(whole.plan) - 1
        planned += 1
        sooner = find_shortest_plan(rules, limit=300, most=len(whole.plan) - 1)
        assert sooner == chamber_search.find_shortest_plan(
            rules, limit=300, most=len(whole.plan) - 1
        )
        assert sooner.plan is None and sooner.proven
        cut += 1
        assert find_shortest_plan(rules, limit=300, most=len(whole.plan)).plan == whole.plan
    assert planned and cut


@pytest.fixture(scope="module")
def maps(resource: Callable[[Need], MapPool]) -> tuple[ChamberMap, ...]:
    return resource(MapParams().map_need()).maps


def judge_claims(*claims: Claim) -> list[ProofVerdict]:
    return [one.verdict for one in PROVER.prove(claims, ProofEffort())]


def map_claims(item: ChamberMap) -> list[Claim]:
    claims = map_columns.map_claims(map_columns.map_to_record(item, MapParams()))
    return [claim for claim in claims if claim.kind == "chamber/insight"]


def test_named_insights_are_proven_and_others_refuted(maps: tuple[ChamberMap, ...]) -> None:
    named: set[str] = set()
    for item in maps:
        claims = map_claims(item)
        assert [dict(claim.args)["name"] for claim in claims] == list(item.insights)
        assert judge_claims(*claims) == [ProofVerdict.PROVEN] * len(claims)
        named |= set(item.insights)
        rules = StepRules(StaticTables(item.chamber))
        assert insight_proofs.find_insights(rules, item.plan) == item.insights
        (args,) = {claim.args for claim in claims[:1]}
        for name in sorted(set(insight_proofs.PROOFS) - set(item.insights)):
            wrong = Claim("chamber/insight", tuple((dict(args) | {"name": name}).items()))
            assert judge_claims(wrong) == [ProofVerdict.REFUTED]
    assert {"facing", "momentum", "trap"} <= named


def test_no_plan_leads_out_of_a_trap(maps: tuple[ChamberMap, ...]) -> None:
    """Played in the twin's search, from the state that the trap leads to."""
    tried = 0
    for item in maps:
        if "trap" not in item.insights:
            continue
        rules = StepRules(StaticTables(item.chamber))
        number, step = next(insight_proofs.iterate_traps(rules, item.plan, insight_proofs.LIMIT))
        state = rules.apply_step(run_plan(rules, item.plan).states[number], step)
        found = chamber_search.find_shortest_plan(rules, limit=400, start=state)
        assert found.plan is None
        tried += found.proven
    assert tried


def test_most_mistakes_show_late(maps: tuple[ChamberMap, ...]) -> None:
    for item in maps:
        rules = StepRules(StaticTables(item.chamber))
        states = run_plan(rules, item.plan).states
        for mistake in item.mistakes:
            plan = [mistake.step, *item.plan[mistake.number + 1 :]]
            done, state = 0, states[mistake.number]
            try:
                for step in plan:
                    state = rules.apply_step(state, step)
                    done += 1
            except StepRefused:
                pass
            assert done == mistake.lag
        late = sum(mistake.lag >= plan_mistakes.LATE for mistake in item.mistakes)
        assert late >= len(item.mistakes) - plan_mistakes.MOST_EARLY
