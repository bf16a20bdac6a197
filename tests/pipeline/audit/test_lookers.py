"""Players that see a part: they answer in the form that is read, and read no answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject, Status
from facelet.pipeline.audit import level_plays
from facelet.pipeline.audit.baseline_players import NONE_NAMED, load_family_players, play_replies
from facelet.pipeline.audit.blind_episode_players import PlayCase
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.shapes import visible_relations

TASKS = task_registry.tasks()
GAMES = sorted(name for name in TASKS if name.startswith("arcade/"))
DEFORMED = [name for name in TASKS if name.endswith("_deformation")]


def make_puzzle(name: str, index: int = 0, level: int = 2) -> Any:
    task = TASKS[name]
    for attempt in range(300):
        try:
            draw = Draw(("lookers", name), index, attempt)
            return task.generate(task.params(level=level), draw, None)[0]
        except Reject:
            continue
    raise AssertionError(name)


@pytest.mark.some(4)
@pytest.mark.parametrize("name", GAMES)
def test_every_legal_command_is_one(name: str) -> None:
    task = TASKS[name]
    mover = load_family_players(task).legal(task)
    assert mover is not None
    for index in range(3):
        instance = make_puzzle(name, index)
        says = mover.begin(instance, make_generator("lookers", name, index))
        outcome = play_replies(task, instance, says, 400)
        assert outcome.metrics["format_errors"] == outcome.metrics["illegal_moves"] == 0
        assert outcome.status in (Status.CORRECT, Status.WRONG)


@pytest.mark.some(4)
@pytest.mark.parametrize("name", GAMES)
def test_who_plans_by_the_first_prompt_reads_no_answer(name: str) -> None:
    task = TASKS[name]
    planner = load_family_players(task).shortcuts(task)["open_loop"]
    instance = make_puzzle(name)
    shown = task.open(instance).prompt()
    one = planner.begin(instance, make_generator("plan", name))
    two = planner.begin(instance, make_generator("plan", name))
    # Whatever the second is told, it says the same.
    first = [one(shown) for _ in range(5)]
    other = task.open(make_puzzle(name, 1)).prompt()
    assert first == [two(other) for _ in range(5)]


@pytest.mark.parametrize("name", DEFORMED)
def test_who_looks_at_a_part_reads_no_answer(name: str) -> None:
    task = TASKS[name]
    for index in range(8):
        instance = make_puzzle(name, index)
        blank = replace(instance, question=replace(instance.question, answer="", canonical=""))
        for key, looker in load_family_players(task).shortcuts(task).items():
            shown = task.open(instance).prompt()
            said = looker.begin(instance, make_generator(key, index))(shown)
            assert said == looker.begin(blank, make_generator(key, index))(shown)
            outcome = play_replies(task, instance, lambda _, text=said: text, 1)
            assert outcome.status in (Status.CORRECT, Status.WRONG)


def test_who_has_learned_to_match_sees_one_operation_and_no_more_of_a_cube() -> None:
    """Of 60, within what sampling allows: 91% and 25% of thousands."""
    for name, level, low, high in (
        ("shapes/forward_deformation", 1, 45, 60),
        ("cube/inverse_deformation", 5, 5, 26),
    ):
        looker, won = load_family_players(TASKS[name]).shortcuts(TASKS[name])["matching"], 0.0
        for index in range(60):
            instance = make_puzzle(name, index, level)
            assert looker.equal is not None
            said = looker.equal(instance, partial(make_generator, "matching", index))
            won += (f"Answer: {instance.question.answer}" in said) / len(said)
        assert low <= won <= high, name


def test_following_one_place_tells_half_of_a_question_and_centres_nothing() -> None:
    """Of 60, within what sampling allows."""
    task = TASKS["cube/forward_deformation"]
    lookers = load_family_players(task).shortcuts(task)
    won = dict.fromkeys(lookers, 0)
    for index in range(60):
        instance = make_puzzle(task.name, index)
        for key, looker in lookers.items():
            says = looker.begin(instance, make_generator("centres", key, index))
            won[key] += play_replies(task, instance, says, 1).status is Status.CORRECT
    assert won["centres"] < 27 and won["quarter_turns"] < 42 and 15 < won["one_sticker"] < 42


@pytest.mark.parametrize("name", ["cube/forward_deformation", "cube/inverse_deformation"])
def test_no_part_of_the_work_climbs_a_ladder_of_cubes_by_two(name: str) -> None:
    """Level 1 is one operation: to carry it out is no part of the work, but all of it."""
    task, levels = TASKS[name], range(1, 16)
    puzzles = [
        [PlayCase(str(index), make_puzzle(name, index, level), ()) for index in range(6)]
        for level in levels
    ]
    for key, looker in load_family_players(task).shortcuts(task).items():
        if key.startswith("follow_"):  # It carries out every operation, for a few stickers.
            continue
        shares = []
        for cases in puzzles:
            found = level_plays.LookTally(task, key, looker, "answers")
            for case in cases:
                found.play_case(case, {})
            shares.append(found.won / found.total)
        assert estimate_reach(shares, levels).failed < 2, key
        # No draw among options that are equal to it adds noise.
        if key in ("one_sticker", "centres"):
            assert set(shares) == {0.5 if key == "one_sticker" else 0.25}


def test_who_walks_one_turn_ahead_makes_legal_plans() -> None:
    task = TASKS["labyrinth/plan"]
    looker = load_family_players(task).shortcuts(task)["one_ahead"]
    ended = []
    for index in range(12):
        instance = make_turns_puzzle(2, index)
        rng = make_generator("walk", index)
        ended.append(play_replies(task, instance, looker.begin(instance, rng), 1).status)
        blank = replace(instance, solution=())
        shown = task.open(instance).prompt()
        said = looker.begin(instance, make_generator("walk", index))(shown)
        assert said == looker.begin(blank, make_generator("walk", index))(shown)
    assert set(ended) == {Status.CORRECT, Status.WRONG}


def test_who_walks_ahead_uses_all_turns_that_count() -> None:
    task = TASKS["labyrinth/plan"]
    looker = load_family_players(task).shortcuts(task)["one_ahead"]
    won = {}
    for budget in (2, 4):
        won[budget] = 0
        for index in range(30):
            instance = replace(make_turns_puzzle(2, index), budget=budget)
            says = looker.begin(instance, make_generator("turns that count", index))
            won[budget] += play_replies(task, instance, says, 1).status is Status.CORRECT
    assert won[4] >= won[2] + 4 and won[4] >= 18


def test_who_walks_an_action_at_a_time_arrives_where_its_plan_would() -> None:
    plan, act = TASKS["labyrinth/plan"], TASKS["labyrinth/act"]
    for index in range(6):
        # An episode has as many turns as are needed; a plan may have twice as many.
        instance = replace(make_turns_puzzle(2, index), budget=2)
        ended = []
        for task in (plan, act):
            looker = load_family_players(task).shortcuts(task)["one_ahead"]
            says = looker.begin(instance, make_generator("walk", index))
            ended.append(play_replies(task, instance, says, 20).status)
        assert ended[0] == ended[1]


def test_laying_pieces_without_going_back_wins_less_the_more_are_missing() -> None:
    task = TASKS["jigsaw/assemble_easy"]
    won = {}
    for missing in (2, 4, 6):
        puzzles = [
            draw_instance(task.name, ("jigsaw",), index, missing=missing) for index in range(40)
        ]
        for key, looker in load_family_players(task).shortcuts(task).items():
            says = [looker.begin(one, make_generator(key, k)) for k, one in enumerate(puzzles)]
            ended = [
                play_replies(task, one, say, 1) for one, say in zip(puzzles, says, strict=True)
            ]
            # Who lays piece after piece writes an answer that can be read, whatever it is.
            assert {one.status for one in ended} <= {Status.CORRECT, Status.WRONG}
            won[key, missing] = sum(one.status is Status.CORRECT for one in ended)
    assert won["never_back", 2] > won["never_back", 4] > won["never_back", 6]
    assert min(won["edges", missing] for missing in (2, 4, 6)) >= 30


def test_every_task_has_shortcuts_or_a_reason() -> None:
    for name, task in TASKS.items():
        if not name.startswith("chamber/"):
            assert (
                load_family_players(task).shortcuts(task)
                or load_family_players(task).no_shortcut(task) != NONE_NAMED
            ), name


def make_turns_puzzle(turns: int, index: int) -> Any:
    return draw_instance("labyrinth/plan", ("walk",), index, turns=turns)


def draw_instance(name: str, path: tuple[str, ...], index: int, **params: Any) -> Any:
    task = TASKS[name]
    for attempt in range(300):
        try:
            return task.generate(task.params(**params), Draw(path, index, attempt), None)[0]
        except Reject:
            continue
    raise AssertionError(name)


@pytest.mark.parametrize("method", ["answer", "reflection", "tree", "tool", "react"])
def test_who_says_one_thing_need_not_be_asked(method: str) -> None:
    task = TASKS["shapes/forward_deformation"]
    (instance,) = task.generate(
        task.params(level=3, input="text", method=method), Draw(("one thing",), 1), None
    )
    for said in (*"ABCD", "Answer: B", "?"):
        asked = play_replies(task, instance, lambda _, text=said: text, 5)
        assert replay(task.open(instance).without_figures(), repeat(said, 5)) == asked


@pytest.mark.parametrize("name", DEFORMED)
def test_what_players_share_of_a_puzzle_changes_nothing(name: str) -> None:
    task = TASKS[name]
    shared = {
        key: level_plays.LookTally(task, key, looker, "answers")
        for key, looker in load_family_players(task).shortcuts(task).items()
    }
    alone = {
        key: level_plays.LookTally(task, key, looker, "answers")
        for key, looker in load_family_players(task).shortcuts(task).items()
    }
    for index in range(4):
        case = PlayCase(str(index), make_puzzle(name, index, 5), ())
        ends: dict[str, Any] = {}
        for key, tally in shared.items():
            tally.play_case(case, ends)
            alone[key].play_case(case, {})
    assert all(shared[key].to_result() == alone[key].to_result() for key in shared)


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("level", [2, 30])
def test_what_is_seen_of_operations_is_counted_one_by_one(direction: Any, level: int) -> None:
    """In the same order too, as sums of weights depend on it in their last digit."""
    question = make_puzzle(f"shapes/{direction}_deformation", 3, level).question
    for option in range(4):
        forward = direction == "forward"
        result = question.results[option] if forward else question.given
        text = question.given if forward else question.lists[option]
        seen: dict[str, int] = {}
        for number, word in enumerate(text.split(", "), 1):
            kind, _, taken = word.rstrip(")").partition("(")
            if not forward and number not in question.edits:
                continue
            far = min(level - number, visible_relations.FAR)
            names = [f"kind {kind} {_figure_size(result)}"]
            if kind == "color":
                shown = {*result[1::2]} - {"-"}
                names += [f"color {taken in result} {far}", f"top {shown == {taken}} {far}"]
            elif taken:
                names.append(f"{kind} {3 * (taken in _list_pieces(result))} {far}")
            for name in names:
                seen[name] = seen.get(name, 0) + 1
        found = visible_relations.sights(question, option, direction)
        assert list(found.items())[:-2] == list(seen.items())


def _list_pieces(code: str) -> list[str]:
    return [code[place : place + 2] for place in range(0, len(code), 2)]


def _figure_size(code: str) -> str:
    return f"{sum(piece != '--' for piece in _list_pieces(code))} 1"
