"""Players of chambers that look at a part do what they say, and see no more than that."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from facelet.generators.chamber.engine.step_rules import chamber_rules, run_plan
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import ChamberMap, MapPool
from facelet.generators.chamber.plans.step_sentences import parse_sentence
from facelet.generators.chamber.tasks import act, fill_blanks, plan, plan_correctness
from facelet.generators.chamber.tasks.fill_blanks import Gaps
from facelet.generators.chamber.tasks.plan_correctness import Candidate
from facelet.generators.chamber.world.chamber_records import NOWHERE, format_chamber
from facelet.generators.core.measures import F1_UNIT
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.replies import letter_list
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.pipeline.audit.baseline_players import (
    PartialViewPlayer,
    load_family_players,
    play_replies,
)
from facelet.pipeline.audit.blind_episode_players import PlayCase
from facelet.pipeline.audit.config_floor import _build_shortcuts
from facelet.pipeline.audit.level_plays import LevelPlays, LookResult, LookTally
from facelet.pipeline.chamber.baseline_players import walking_distances


def make_rows(task: Any, maps: tuple[ChamberMap, ...], **params: int) -> list[Any]:
    draws = (Draw(("look",), k, 0) for k in range(len(maps)))
    asked = task.params(**params)
    return [row for draw in draws for row in task.generate(asked, draw, MapPool(maps))]


@pytest.fixture(scope="module")
def gaps(maps: tuple[ChamberMap, ...]) -> list[Gaps]:
    return [row for n in range(1, 6) for row in make_rows(fill_blanks.TASK, maps, blanks=n, rows=6)]


@pytest.fixture(scope="module")
def candidates(maps: tuple[ChamberMap, ...]) -> list[Candidate]:
    return make_rows(plan_correctness.TASK, maps)


def player_reply(task: Any, name: str, puzzle: Any) -> str:
    return (
        load_family_players(task)
        .shortcuts(task)[name]
        .begin(puzzle, np.random.default_rng(5))(Prompt(()))
    )


def way_length(puzzle: Gaps, chosen: tuple[int, ...]) -> int:
    """Return how long the whole way is, from the places alone."""
    known, whole, left = walking_distances(puzzle.ground.chamber), 0, list(chosen)
    place = known.start
    for text in puzzle.gapped:
        step = parse_sentence(text or puzzle.choices[left.pop(0)])
        place, more = known.walk_to_step(place, step)
        whole += more
    return whole


def test_the_shortest_way_is_as_short_as_any(gaps: list[Gaps]) -> None:
    for puzzle in [row for row in gaps if row.blanks in (2, 3)][::4]:
        reply = player_reply(fill_blanks.TASK, "walking", puzzle)
        letters = letter_list.read_letters(reply, fill_blanks.blank_numbers(puzzle)).value
        assert letters is not None
        mine = tuple("ABCDEFGHIJ".index(letter) for letter in letters)
        every = permutations(range(len(puzzle.choices)), puzzle.blanks)
        assert way_length(puzzle, mine) == min(way_length(puzzle, chosen) for chosen in every)


@pytest.mark.parametrize("name", ["walking", "nearest"])
def test_distances_do_not_hang_on_what_devices_do(gaps: list[Gaps], name: str) -> None:
    for puzzle in gaps[::5]:
        place = map_columns.read_chamber(puzzle.ground)
        dead = tuple(replace(one, facing=NOWHERE, inputs=(), numbers=()) for one in place.fixtures)
        text = format_chamber(replace(place, fixtures=dead))
        other = replace(puzzle, ground=replace(puzzle.ground, chamber=text))
        assert text != puzzle.ground.chamber
        assert player_reply(fill_blanks.TASK, name, puzzle) == player_reply(
            fill_blanks.TASK, name, other
        )


def test_one_step_says_what_can_be_done_where_something_can(gaps: list[Gaps]) -> None:
    for puzzle in gaps:
        engine = chamber_rules(map_columns.read_chamber(puzzle.ground))
        options = [parse_sentence(text) for text in puzzle.choices]
        reply = player_reply(fill_blanks.TASK, "one_step", puzzle)
        letters = letter_list.read_letters(reply, fill_blanks.blank_numbers(puzzle)).value
        assert letters is not None and len(set(letters)) == puzzle.blanks
        first = puzzle.gapped.index("")
        before = tuple(parse_sentence(text) for text in puzzle.gapped[:first])
        can = {
            letter
            for letter, step in zip("ABCDEFGHIJ", options, strict=False)
            if run_plan(engine, (*before, step)).failed_step is None
        }
        assert letters[0] in can, "the right option can always be done at the first blank"


def test_a_plan_of_steps_that_can_be_done_can_be_done(maps: tuple[ChamberMap, ...]) -> None:
    for puzzle in make_rows(plan.TASK, maps):
        outcome = replay(plan.TASK.open(puzzle), [player_reply(plan.TASK, "one_step", puzzle)])
        # Where nothing can be done any more, it says that it leaves.
        assert outcome.strict and (outcome.metrics["carried_out"] == 1 or "exit" in outcome.note)


def test_the_second_half_is_believed(candidates: list[Candidate]) -> None:
    for puzzle in candidates:
        half = puzzle.candidate[: (len(puzzle.candidate) + 1) // 2]
        able = (
            run_plan(
                chamber_rules(map_columns.read_chamber(puzzle.ground)),
                tuple(map(parse_sentence, half)),
            ).failed_step
            is None
        )
        other = replace(puzzle, candidate=(*half, *["nonsense"] * (len(puzzle.candidate) // 2)))
        for shown in (puzzle, other):
            reply = player_reply(plan_correctness.TASK, "first_half", shown)
            assert reply == f"Answer: {'Yes' if able else 'No'}"


@pytest.mark.parametrize("name", ["legal", "one_step"])
def test_moves_are_possible_ones(maps: tuple[ChamberMap, ...], name: str) -> None:
    for puzzle in make_rows(act.TASK, maps)[:2]:
        mover = (
            load_family_players(act.TASK).legal(act.TASK)
            if name == "legal"
            else load_family_players(act.TASK).shortcuts(act.TASK)[name]
        )
        assert mover is not None
        says, heard = mover.begin(puzzle, np.random.default_rng(2)), list[str]()

        def keep_reply(prompt: Prompt, says: Any = says, heard: list[str] = heard) -> str:
            heard.append(says(prompt))
            return heard[-1]

        end = play_replies(act.TASK, puzzle, keep_reply, 400)
        # Where nothing can be done any more, it says that it leaves.
        stuck = sum("leave" in reply for reply in heard) - (end.status is Status.CORRECT)
        assert end.metrics["format_errors"] == 0
        assert round(end.metrics["invalid_rate"] * len(heard)) == stuck < len(heard)


def test_a_rare_label_is_counted_by_its_f1(candidates: list[Candidate]) -> None:
    """Whoever always says yes has 2/33, whoever knows has 1, whoever always says no has 0."""

    def looker_f1(says: Any) -> LookResult:
        looker = PartialViewPlayer("", lambda puzzle, rng: lambda prompt: f"Answer: {says(puzzle)}")
        every = [PlayCase(row.ground.canonical, row, ()) for row in candidates]
        tally = LookTally(plan_correctness.TASK, "", looker, f"{F1_UNIT}yes")
        for case in every:
            tally.play_case(case, {})
        return tally.to_result()

    always, knows, never = (
        looker_f1(lambda p: "Yes"),
        looker_f1(lambda p: p.answer),
        looker_f1(lambda p: "No"),
    )
    assert always.won / always.possible == pytest.approx(2 / 33)
    assert knows.won == knows.possible and always.plays == len(
        {c.ground.canonical for c in candidates}
    )
    record = _build_shortcuts([LevelPlays("s07", 7, shortcuts={"never": never})])
    assert record["never"]["value"] == 0.0
    nothing = LookResult(0.0, 0.0, 1, "")
    assert _build_shortcuts([LevelPlays("s07", 7, shortcuts={"x": nothing})])["x"]["value"] == 0.0


def test_shortcuts_win_sometimes(gaps: list[Gaps]) -> None:
    for name in load_family_players(fill_blanks.TASK).shortcuts(fill_blanks.TASK):
        replies = [player_reply(fill_blanks.TASK, name, row) for row in gaps]
        ends = [
            replay(fill_blanks.TASK.open(row), [r]).status
            for row, r in zip(gaps, replies, strict=True)
        ]
        assert set(ends) == {Status.CORRECT, Status.WRONG}
