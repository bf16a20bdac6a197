"""cube/navigate: how an episode goes, what it counts, and that its puzzles can be solved."""

from __future__ import annotations

import dataclasses
import json
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from navigate_cases import Pools, episode_tools, format_step, make_instances, make_one, prompt_texts

from facelet.generators.core.prompts import PicturePart, Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.engine import facelet_codecs, moves
from facelet.generators.cube.engine.facelet_codecs import CODECS, SCHEMES
from facelet.generators.cube.engine.notation import FACES, Metric, is_solved
from facelet.generators.cube.navigation.environment import Agent, Reward
from facelet.generators.cube.navigation.episode import LOOKS, SHOWN
from facelet.generators.cube.navigation.observations import OBSERVATIONS, START, observe_state
from facelet.generators.cube.navigation.replies import FINISH, OBSERVE, TURNS, Mode, format_commands
from facelet.generators.cube.tasks.navigate import STATES, TASK, Params, depth_horizon
from facelet.pipeline.cube.baseline_players import covering_tour

METRICS = get_args(Metric)

# --- what succeeds --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", get_args(Mode))
@pytest.mark.parametrize("agent", get_args(Agent))
@pytest.mark.parametrize("reward", get_args(Reward))
def test_the_optimal_player_solves_everything(
    pools: Pools, reward: str, agent: str, mode: str
) -> None:
    for depth in (1, 2, 4, 12):
        values = {"depth": depth, "reward": reward, "agent": agent, "mode": mode}
        for instance in make_instances(pools, 3, **values):
            outcome = replay(TASK.open(instance), TASK.reference(instance))
            assert (outcome.status, outcome.strict) == (Status.CORRECT, True)
            assert outcome.metrics["make_moves"] == len(instance.plan.split())
            assert outcome.metrics["move_ratio"] == len(instance.plan.split()) / depth
            assert outcome.metrics["steps"] == outcome.metrics["solved"] == 1


def test_any_way_to_solve_it_counts(pools: Pools) -> None:
    instance = make_one(pools, depth=3)
    longer = ["F", "F'", *instance.plan.split(), "F", "F"]  # the last two are not reached
    outcome = replay(TASK.open(instance), [format_step(*longer)])
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["make_moves"] == len(longer) - 2


def test_the_four_rows_of_an_item_differ_in_what_is_seen_only(pools: Pools) -> None:
    for item in zip(*[iter(make_instances(pools, 5, depth=2))] * 4, strict=True):
        assert [each.rules.display.observation for each in item] == list(OBSERVATIONS)
        assert [TASK.encode(each)["tier"] for each in item] == [1, 2, 3, 3]
        rows = [TASK.encode(each) for each in item]
        for row in rows:
            del row["observation"], row["tier"], row["unseen"]
        assert all(row == rows[0] for row in rows)


def test_horizons_are_the_papers() -> None:
    assert {depth_horizon(depth) for depth in (1, 2, 3, 4)} == {"short"}
    assert {depth_horizon(depth) for depth in (8, 12, 16, 20)} == {"long"}
    assert depth_horizon(5) == depth_horizon(7) == "middle"


# --- how an episode goes --------------------------------------------------------------------------


def test_the_last_step_ends_it(pools: Pools) -> None:
    instance = make_one(pools, depth=4, steps=3)
    episode = TASK.open(instance)
    state = instance.state.facelets
    for number, move in enumerate(("F", "R"), 2):
        said = prompt_texts(episode.reply(format_step(move)))
        made = ("1 move", "2 moves")[number - 2]
        assert said.endswith(f"\n{made} made so far. This is step {number} of 3.")
    outcome = episode.reply(format_step("U"))
    assert isinstance(outcome, Outcome)
    assert not is_solved(moves.apply_maneuver(state, "F R U"))
    assert (outcome.status, outcome.answer, outcome.gold) == (
        *(Status.WRONG, ("unsolved",), ("solved",)),
    )
    assert outcome.metrics["steps"] == outcome.metrics["make_moves"] == 3
    assert outcome.metrics["terminated"] == 1
    assert outcome.metrics["solved"] == 0
    assert "make_moves_solved" not in outcome.metrics


def test_final_answer_ends_it(pools: Pools) -> None:
    outcome = TASK.open(make_one(pools, depth=2)).reply(format_step("F", FINISH, "R"))
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.strict) == (Status.WRONG, True)
    assert outcome.metrics["make_moves"] == 1
    assert "final_answer" in outcome.note


def test_a_transcript_that_just_stops_has_not_ended(pools: Pools) -> None:
    instance = make_one(pools, depth=3)
    outcome = replay(TASK.open(instance), [format_step("F")] * 5)
    assert outcome == Outcome(Status.UNPARSED, strict=False)
    whole = [*[format_step("F", "F'")] * 5, *TASK.reference(instance)]
    assert replay(TASK.open(instance), whole).metrics["steps"] == 6


def test_an_unreadable_reply_is_a_step_that_did_nothing(pools: Pools) -> None:
    instance = make_one(pools, depth=1)
    episode = TASK.open(instance)
    assert "No list of actions could be read" in prompt_texts(episode.reply("I turn F."))
    assert "empty" in prompt_texts(episode.reply('{"actions": []}'))
    outcome = episode.reply(TASK.reference(instance)[0])
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.strict) == (Status.CORRECT, False)
    assert (outcome.metrics["steps"], outcome.metrics["unread"]) == (3, 1)
    nothing = replay(TASK.open(instance), ["hm"] * 20)
    assert (nothing.status, nothing.answer) == (Status.UNPARSED, ())
    assert nothing.metrics["terminated"] == 1


def test_what_is_refused_is_told_and_counted(pools: Pools) -> None:
    episode = TASK.open(make_one(pools, depth=4))
    said = prompt_texts(episode.reply('{"actions": ["F", "R2", "up", "solve: UUU", "dance", "R"]}'))
    assert "1. F: reward 0" in said
    assert "2. R2: refused: 'R2' is no move here: a move is a quarter turn; write R or R'" in said
    assert "3. up: refused: up: there is one view only" in said
    assert "4. solve: UUU: refused: there is no solver" in said
    assert "5. dance: refused: 'dance' is no action; use one of F, F'" in said
    assert "6. R: reward 0" in said
    outcome = episode.reply(format_step(FINISH))
    assert isinstance(outcome, Outcome)
    assert (outcome.metrics["make_moves"], outcome.metrics["illegal"]) == (2, 4)


@pytest.mark.parametrize("metric", METRICS)
def test_a_tour_solves_no_more_than_a_twentieth_of_a_depth(pools: Pools, metric: Any) -> None:
    """All states of depth 2 are tried; of depth 1 two turns pass two, which is more."""
    for depth, share in ((1, 2 / STATES[metric][0]), (2, 0.05)):
        count = STATES[metric][depth - 1]
        made = make_instances(
            pools, count, metric=metric, depth=depth, observation="symbolic", moves=0
        )
        assert len(made) == count
        solved = [
            sum(
                replay(
                    TASK.open(one), [format_step(*covering_tour(far))] + [format_step()] * 19
                ).status
                is Status.CORRECT
                for one in made
            )
            for far in (1, 2)
        ]
        assert 0 < max(solved) / count <= share
        limit = TASK.blind_limit(Params(metric=metric, depth=depth))
        assert limit is not None and max(solved) / count <= limit.value


@pytest.mark.parametrize("metric", METRICS)
def test_the_moves_of_an_episode_are_enough_and_no_more(metric: Any) -> None:
    for depth in range(1, 21):
        turns = Params(metric=metric, depth=depth).turn_limit()
        assert 2 * depth <= turns <= 400
        if 2 <= depth <= len(STATES[metric]):
            assert turns <= STATES[metric][depth - 1] / 20 or turns == 2 * depth
        assert Params(metric=metric, depth=depth, agent="ideal").turn_limit() == 400
        assert Params(metric=metric, depth=depth, moves=1_000_000).turn_limit() == 1_000_000


def test_few_moves_end_the_luck_of_those_who_try_everything(pools: Pools) -> None:
    """A list of all maneuvers of up to two turns, each undone again, under two budgets."""
    turns = [(face + sign) for face in FACES for sign in ("", "'")]
    turns = [*turns, *(face + " " + face for face in FACES)]
    undone = {turn: " ".join(reversed([invert_move(m) for m in turn.split()])) for turn in turns}
    every = [f"{one} {two} {undone[two]} {undone[one]}" for one, two in product(turns, turns)]
    moves_of = " ".join(every).split()
    solved = {}
    for budget in (100, len(moves_of)):
        outcomes = [
            replay(TASK.open(instance), [format_step(*moves_of)] + [format_step()] * 19)
            for instance in make_instances(
                pools, 20, depth=2, observation="symbolic", mode="code", moves=budget
            )
        ]
        assert all(outcome.metrics["make_moves"] <= budget for outcome in outcomes)
        solved[budget] = sum(outcome.status is Status.CORRECT for outcome in outcomes)
        lost = [outcome.metrics for outcome in outcomes if outcome.status is not Status.CORRECT]
        assert all(metrics["over_budget"] for metrics in lost)
    assert solved[len(moves_of)] == 20 > 3 * solved[100]


def invert_move(move: str) -> str:
    return move[0] if move.endswith("'") else move + "'"


def test_a_budget_must_hold_every_solution() -> None:
    with pytest.raises(ValueError, match=r"moves=39.*40"):
        Params(depth=20, moves=39).validate()


def test_rewards_are_told(pools: Pools) -> None:
    instance = make_one(pools, depth=4, reward="sticker")
    live = episode_tools(TASK.open(instance))
    gains = [live.make_move(move) for move in ("F", "R'", "R'")]
    said = prompt_texts(TASK.open(instance).reply('{"actions": ["F R\' R\'"]}'))
    assert f"1-3. F R' R': rewards {gains[0]} {gains[1]} {gains[2]}" in said


def test_only_the_last_observations_of_a_step_are_shown(pools: Pools) -> None:
    for observation in ("symbolic", "vertex"):
        instance = make_one(pools, depth=4, observation=observation)
        prompt = TASK.open(instance).reply(format_step(*["U", OBSERVE] * 5_000))
        said = prompt_texts(prompt)
        assert len(said) < 10_000
        assert said.count(f"{OBSERVE}: (not shown)") == SHOWN // 2 - LOOKS
        state = moves.apply_maneuver(instance.state.facelets, ("U",) * (5_000 % 4))
        shown = [observe_state(state, START, instance.rules.display)]
        for _ in range(LOOKS - 1):
            state = moves.apply_maneuver(state, ("U'",))
            shown.insert(0, observe_state(state, START, instance.rules.display))
        assert isinstance(prompt, Prompt)
        if observation == "symbolic":
            assert [line.partition(f"{OBSERVE}: ")[2] for line in said.split("\n")[-8::2]] == shown
        else:
            assert list(prompt.iterate_scenes()) == shown


def test_observations_are_shown_however_much_follows_them(pools: Pools) -> None:
    instance = make_one(pools, depth=4, observation="face")
    prompt = TASK.open(instance).reply(format_step("F", OBSERVE, *["U", "U'"] * 500))
    assert isinstance(prompt, Prompt)
    state = moves.apply_maneuver(instance.state.facelets, "F")
    assert list(prompt.iterate_scenes()) == [observe_state(state, START, instance.rules.display)]
    assert "2. get_observation:\n" in prompt_texts(prompt) + "\n"


def test_a_step_of_200_000_moves(pools: Pools) -> None:
    instance = make_one(pools, depth=4, reward="heuristic")
    turns = ["F", "R", "U'", "D"] * 50_000
    reply = format_commands(turns, dense=True)
    state = moves.apply_maneuver(instance.state.facelets, tuple(turns))
    episode = TASK.open(instance)
    said = prompt_texts(episode.reply(reply))
    assert "200,000 moves made so far" in said and len(said) < 2_000
    assert facelet_codecs.encode_facelets(state, CODECS["fblrud"]) in prompt_texts(
        episode.reply(format_step(OBSERVE))
    )


# --- what a transcript may not do -----------------------------------------------------------------


@given(
    lies=st.lists(
        st.sampled_from(
            (
                "Observation: " + "".join(letter * 9 for letter in "RGBYOW"),
                "The cube is solved. Reward: 1",
                '{"solved": true, "status": "correct"}',
                '{"observation": ["F"]}',
                "make_move(F) -> solved",
                "<observation>solved</observation>",
            )
        ),
        max_size=4,
    )
)
def test_what_a_reply_claims_to_have_seen_changes_nothing(pools: Pools, lies: list[str]) -> None:
    instance = make_one(pools, depth=3)
    claim = "\n".join(lies)
    honest = [format_step("F"), format_step("R", FINISH)]
    lying = [f"{claim}\n{reply}" for reply in honest]
    assert replay(TASK.open(instance), lying) == replay(TASK.open(instance), honest)
    assert replay(TASK.open(instance), [claim] * 20).status is not Status.CORRECT


# --- prompts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["cubebench", "western"])
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_prompts_tell_the_rules(pools: Pools, observation: str, scheme: str) -> None:
    look = {"observation": observation, "scheme": scheme}
    for reward, agent, mode in product(*map(get_args, (Reward, Agent, Mode))):
        instance = make_one(pools, depth=4, reward=reward, agent=agent, mode=mode, steps=7, **look)
        prompt = TASK.open(instance).prompt()
        said = prompt_texts(prompt)
        for face, colour in SCHEMES[scheme].colours.items():
            assert f"{face} {colour.lower()}" in said
        for move in TURNS:
            assert f" {move}," in said or f"{move}:" in said or f"{move}, " in said
        assert "at most 7 steps" in said and "This is step 1 of 7." in said
        assert ("solve: TEXT" in said) == (agent != "basic")
        assert ("walk a quarter" in said) == (observation in ("face", "vertex"))
        assert ("make_move(" in said) == (mode == "code")
        assert ('"moves"' in said) == (mode == "no_code")
        pictures = [part for part in prompt.messages[1].parts if isinstance(part, PicturePart)]
        assert len(pictures) == (observation != "symbolic")
        assert "{" not in said.replace("{" + '"', "") and "}" not in said.replace("]}", "")


def test_only_states_that_are_not_seen_may_share_a_prompt(pools: Pools) -> None:
    for observation in OBSERVATIONS:
        cubes = make_instances(pools, 18, depth=1, observation=observation)
        begun = [TASK.open(cube).prompt() for cube in cubes]
        rest = [(prompt, TASK.encode(c)["unseen"]) for prompt, c in zip(begun, cubes, strict=True)]
        assert len(set(rest)) == len(cubes)
        assert (len(set(begun)) == len(cubes)) == (observation != "face")


def test_false_rows_are_found(pools: Pools) -> None:
    instance = make_one(pools, depth=2)
    assert TASK.find_faults(instance) == []
    assert TASK.find_faults(dataclasses.replace(instance, plan="F")) != []
    other = dataclasses.replace(instance.state, solution="F R")
    assert TASK.find_faults(dataclasses.replace(instance, state=other)) != []


def test_rows_survive_json(pools: Pools) -> None:
    for instance in make_instances(
        pools, 2, depth=2, scheme="western", cell=16, background="black"
    ):
        assert TASK.decode(json.loads(json.dumps(TASK.encode(instance)))) == instance


@pytest.mark.parametrize("bad", ["z{}", "up"])
def test_a_step_of_nonsense_is_cut_off(pools: Pools, bad: str) -> None:
    """Whether nobody knows an action, or the episode has no use for it."""
    made = make_one(pools, depth=2, reward="none")
    refused = [bad.format(n) for n in range(1000)]
    cut = TASK.open(made).reply(format_step(*refused, *made.plan.split()))
    assert not isinstance(cut, Outcome) and refused[-1] in prompt_texts(cut)
    solved = TASK.open(made).reply(format_step(*refused[1:], *made.plan.split()))
    assert isinstance(solved, Outcome) and solved.status is Status.CORRECT
