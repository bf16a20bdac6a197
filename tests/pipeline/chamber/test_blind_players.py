"""Blind players of chambers do what they say, and win no more than is declared."""

from collections.abc import Callable

import numpy as np
import pytest

from facelet.generators.chamber.maps.map_columns import MapParams, MapPool
from facelet.generators.chamber.maps.map_generator import disguise_map
from facelet.generators.chamber.tasks import act, fill_blanks, plan, plan_correctness
from facelet.generators.chamber.tasks.fill_blanks import Gaps
from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.replies import letter_list
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Need, Outcome, Status
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.baseline_players import BlindPolicy
from facelet.pipeline.audit.blind_episode_players import PlayCase
from facelet.pipeline.chamber.baseline_players import (
    SweepPolicy,
    ToldPolicy,
    iterate_commands,
    list_names,
    pair_options,
    players,
)

BLANKS = 2
DISGUISES = 5
"""How often each recorded map is dealt other names and bearings, which no player knows."""


@pytest.fixture(scope="module")
def maps(resource: Callable[[Need], MapPool]) -> MapPool:
    rng = np.random.default_rng(0)
    recorded = resource(MapParams().map_need()).maps
    return MapPool(tuple(disguise_map(found, rng) for _ in range(DISGUISES) for found in recorded))


@pytest.fixture(scope="module")
def gaps(maps: MapPool) -> list[tuple[Gaps, ...]]:
    asked = fill_blanks.Params(setting="described", blanks=BLANKS, rows=10)
    return [
        fill_blanks.TASK.generate(asked, Draw(("blind",), k, 0), maps)
        for k in range(len(maps.maps))
    ]


def policy_reply(policy: BlindPolicy, puzzle: Gaps, group: str) -> str:
    return policy.begin(group)(fill_blanks.TASK.open(puzzle).prompt())


def right_shares(gaps: list[tuple[Gaps, ...]], kind: str) -> list[list[float]]:
    """Return what the players of a kind get right of each map, verbs counted on the same plans.

    Exactly one assignment is right, so letters are compared.
    """
    return [
        [
            float(
                np.mean(
                    [
                        letter_list.read_letters(
                            policy_reply(policy, row, f"{k} {n}"), fill_blanks.blank_numbers(row)
                        ).value
                        == row.answer
                        for n, row in enumerate(rows)
                    ]
                )
            )
            for k, rows in enumerate(gaps)
        ]
        for policy in players(fill_blanks.TASK, [rows[0] for rows in gaps])[kind]
    ]


def lower_bound(found: list[float]) -> float:
    """Return what a share is at least; names and bearings of each map are dealt anew."""
    return float(np.mean(found) - 4 * np.std(found) / len(found) ** 0.5)


@pytest.mark.slow
def test_whoever_pairs_options_wins_more_than_chance_and_no_more_than_declared(
    gaps: list[tuple[Gaps, ...]],
) -> None:
    """So nothing tells which of two options is right, once they and their blank are found."""
    limit = fill_blanks.TASK.blind_limit(fill_blanks.Params(blanks=BLANKS))
    assert limit.value == pytest.approx(0.5**BLANKS)
    chance = float(np.mean([row.chance for rows in gaps for row in rows]))
    found = right_shares(gaps, "pairing")
    assert chance + 0.03 < np.mean(found)
    assert all(lower_bound(figures) < limit.value for figures in found)


@pytest.mark.slow
def test_letters_by_place_are_at_chance(gaps: list[tuple[Gaps, ...]]) -> None:
    chance = float(np.mean([row.chance for rows in gaps for row in rows]))
    assert all(lower_bound(figures) < chance for figures in right_shares(gaps, "letters"))


def test_every_reply_is_read(gaps: list[tuple[Gaps, ...]]) -> None:
    for policies in players(fill_blanks.TASK, [gaps[0][0]]).values():
        for policy in policies:
            for row in gaps[0]:
                said = policy_reply(policy, row, "")
                outcome = replay(fill_blanks.TASK.open(row), [said])
                assert outcome.status in (Status.CORRECT, Status.WRONG), said


def test_pairs_are_a_step_and_its_mistake(gaps: list[tuple[Gaps, ...]]) -> None:
    right = pairs = 0
    for row in (row for rows in gaps for row in rows):
        found = pair_options(dict(zip("ABCDEFGHIJ", row.choices, strict=False)))
        assert sorted(letter for pair in found for letter in pair) == sorted(
            "ABCDEFGHIJ"[: len(row.choices)]
        )
        right += sum(len(set(pair) & set(row.answer)) == 1 for pair in found)
        pairs += len(found)
    assert right > 0.95 * pairs


def test_names_of_a_description_are_read_and_swept_through() -> None:
    names = list_names(
        "This chamber has 3 rooms; button B1 to B2; door D1; floor F1; panel P1 to P3."
    )
    assert names == {"B": ["B1", "B2"], "D": ["D1"], "F": ["F1"], "P": ["P1", "P2", "P3"]}
    said = list(iterate_commands(names, "stand enter"))
    assert said[:3] == ["stand B1", "stand B2", "leave"] and said[-1] == "both F1 P2 P3"
    assert len(said) == len(set(said)) + 1, "to leave is tried after each verb"


def test_players_of_act_are_understood_and_stay_at_chance(maps: MapPool) -> None:
    asked = MapParams(setting="described")
    cases = []
    for k in range(12):
        (puzzle,) = act.TASK.generate(asked, Draw(("blind",), k, 0), maps)
        cases.append(PlayCase(f"{k}", puzzle, tuple(act.TASK.reference(puzzle))))
    found = blind_episode_players.score_blind_players(act.TASK, cases)
    assert set(found) == {"sweeping", "told", "fixed", "random"}
    assert all(hits.hits <= 1 for hits in found.values())
    for policy in (SweepPolicy("press"), ToldPolicy(0.5)):
        episode = act.TASK.open(cases[0].instance)
        says, shown = policy.begin(""), episode.prompt()
        while not isinstance(shown, Outcome):
            shown = episode.reply(says(shown))
        assert shown.metrics["format_errors"] == 0
        assert shown.metrics["turns"] == cases[0].instance.budget


def test_players_of_plan_are_understood_and_get_out_of_nothing(maps: MapPool) -> None:
    cases = []
    for k in range(12):
        (puzzle,) = plan.TASK.generate(MapParams(setting="described"), Draw(("blind",), k, 0), maps)
        cases.append(PlayCase(f"{k}", puzzle, tuple(plan.TASK.reference(puzzle))))
    found = blind_episode_players.score_blind_players(plan.TASK, cases)
    assert {"drawing", "portals", "fixed"} <= set(found)
    assert all(hits.hits == 0 for hits in found.values())
    every = players(plan.TASK, [])
    for policy in (*every["drawing"], *every["portals"]):
        for case in cases:
            said = policy.begin(case.group)(plan.TASK.open(case.instance).prompt())
            outcome = replay(plan.TASK.open(case.instance), [said])
            assert outcome.strict and outcome.status in (Status.ILLEGAL, Status.WRONG), said


def test_told_leaves_whenever_floors_are_new() -> None:
    says = ToldPolicy(0.0).begin("x")

    def make_prompt(floors: str, more: str = "") -> Prompt:
        first = "This chamber has 1 room; weighted cube C1; button B1; floor F1 to F2.\n"
        line = f"You are on F1. Floors that you can walk to: {floors}.\n{more}"
        return Prompt((Message("user", (TextPart(first + line),)),))

    assert says(make_prompt("F1")) == "My Step: leave"
    assert says(make_prompt("F1")) != "My Step: leave"
    assert says(make_prompt("F1, F2", "You carry C1.")) == "My Step: leave"
    carrying = {says(make_prompt("F2, F1", "You carry C1.")) for _ in range(20)}
    assert "My Step: put B1" in carrying and "My Step: take C1" not in carrying


def test_other_tasks_have_no_such_players() -> None:
    assert players(plan_correctness.TASK, []) == {}
