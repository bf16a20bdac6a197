"""The players that families name: the long plans of labyrinths, the undone moves of cubes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject, Status
from facelet.generators.cube.attempts.instances import Instance as Attempt
from facelet.generators.cube.attempts.instances import Params
from facelet.generators.cube.attempts.task import AttemptTask
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks import learning_curve, recovery, step_by_step
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.tasks.plan import TASK, PlanParams
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.baseline_players import UNREADABLE
from facelet.pipeline.audit.blind_episode_players import PlayCase
from facelet.pipeline.cube.baseline_players import (
    AttemptForm,
    PosteriorPolicy,
    build_policy,
    players,
)
from facelet.pipeline.labyrinth.baseline_players import LONGEST, pieces


def make_puzzles(count: int, budget: str) -> list[Instance]:
    found: list[Instance] = []
    params = PlanParams(turns=3, budget=budget, shifted="any")  # type: ignore[arg-type]
    while len(found) < count:
        for attempt in range(1000):
            try:
                found += TASK.generate(params, Draw(("plans",), len(found), attempt), None)
                break
            except Reject:
                pass
    return found


def test_a_long_plan_is_read_to_its_end_and_legal() -> None:
    some = make_puzzles(4, "unlimited")
    made = pieces(TASK, some)
    assert made is not None and made.longest == LONGEST
    for number, puzzle in enumerate(some):
        plan = made.join(made.draw(LONGEST, make_generator("plan", number)))
        outcome = replay(TASK.open(puzzle), [plan])
        assert outcome.status in (Status.WRONG, Status.CORRECT)
        assert outcome.metrics["plan_length"] == LONGEST or outcome.status is Status.CORRECT


def test_one_long_plan_wins_where_all_turns_count_and_nowhere_else() -> None:
    """A guess of legal turns reaches one board in some thousands."""
    some = make_puzzles(54, "unlimited")

    def count_wins(budget: int) -> int:
        bounded = [replace(puzzle, budget=budget) for puzzle in some]
        made = pieces(TASK, bounded[:24])
        assert made is not None and made.longest == (budget or LONGEST)
        ((plan, _),) = made.fixed_replies
        plays = (replay(TASK.open(puzzle), [plan]) for puzzle in bounded[24:])
        return sum(outcome.status is Status.CORRECT for outcome in plays)

    assert count_wins(6) == 0
    assert count_wins(0) >= 3


def make_prompt(distance: int, *options: str) -> Prompt:
    lines = "\n".join(f"{x}: {move}" for x, move in zip("ABCD", options, strict=True))
    told = f"The cube is {distance} move{'s' * (distance > 1)} from solved."
    return Prompt((Message("user", (TextPart(f"{told}\n\nMoves:\n{lines}\n\nOne line."),)),))


def test_prompts_without_a_distance_or_moves_get_no_answer() -> None:
    form = AttemptForm("qtm", 2, 3, redrawn=False, recovery=False, taught=False)
    says = PosteriorPolicy(form, {}).begin("")
    assert says(Prompt((Message("user", (TextPart("A: U\nB: R"),)),))) == UNREADABLE
    assert says(Prompt((Message("user", (TextPart("The cube is 3 moves from solved."),)),))) == "?"
    assert says(make_prompt(3, "U2", "R", "F", "D")) == UNREADABLE, "no quarter turn"


def test_a_move_that_led_away_is_undone_and_another_one_tried() -> None:
    form = AttemptForm("htm", 2, 5, redrawn=False, recovery=False, taught=False)
    says = build_policy(form).begin("")
    assert says(make_prompt(2, "U", "R", "F", "D")) == letter_reply("A")
    assert says(make_prompt(3, "L", "B", "U'", "R2")) == letter_reply("C"), (
        "it leads back to where it was 2"
    )
    assert says(make_prompt(2, "U", "R", "F", "D")) != letter_reply("A"), "U is known to lead to 3"


def letter_reply(letter: str) -> str:
    return f"<ANSWER>{letter}</ANSWER>"


def make_attempt_cases(pool: CertifiedStates, task: AttemptTask, params: Params) -> list[PlayCase]:
    found = []
    for number, state in enumerate(pool.states):
        key = f"{number:032x}"
        item = Attempt(state, params.max_attempts, "text", "net", key, params.redraw, 0.0)
        found.append(PlayCase(task.group_key(item), item, tuple(task.reference(item))))
    return found


@pytest.mark.parametrize(
    ("task", "redraw", "least"),
    [
        (learning_curve.TASK, "state", 0.25),
        (learning_curve.TASK, "attempt", 0.45),
        (recovery.TASK, "state", 0.42),
        (recovery.TASK, "attempt", 0.6),
    ],
)
@pytest.mark.some(4)
def test_the_posterior_is_the_floor_of_attempts_and_under_what_they_declare(
    pools: Callable[..., CertifiedStates], task: AttemptTask, redraw: Any, least: float
) -> None:
    params = task.params(depth=3, redraw=redraw)
    found = blind_episode_players.score_blind_players(
        task, make_attempt_cases(pools("htm", 3, 200), task, params)
    )
    won = {name: hits.hits / hits.plays for name, hits in found.items()}
    assert set(won) == {"fixed", "random", "stalling", "posterior"}
    assert won["posterior"] == max(won.values())
    limit = task.blind_limit(params)
    assert limit is not None and least <= won["posterior"] <= limit.value


@pytest.mark.some(4)
@pytest.mark.parametrize("redraw", ["state", "attempt"])
@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("task", [learning_curve.TASK, recovery.TASK])
def test_no_depth_and_budget_is_won_more_often_than_declared(
    pools: Callable[..., CertifiedStates], task: AttemptTask, metric: Any, redraw: Any
) -> None:
    """Of 60 plays, three deviations above what is declared would be a false one in 700."""
    for depth, spare in ((1, 1), (1, 3), (2, 1), (2, 3), (3, 1), (3, 3), (4, 3)):
        params = task.params(metric, depth, depth + spare, redraw)
        pool = pools(metric, depth, 60)
        cases = make_attempt_cases(pool, task, params)
        limit = task.blind_limit(params)
        assert limit is not None
        for policy in chain(*players(task, [cases[0].instance]).values()):
            hits = blind_episode_players.PlayBudget(task, 10**6).count_wins(policy, cases)
            share, sway = limit.value, (limit.value * (1 - limit.value) / len(cases)) ** 0.5
            assert hits / len(cases) <= share + 3 * sway, (depth, spare, policy)


def test_other_tasks_of_cubes_have_no_such_player() -> None:
    assert players(step_by_step.TASK, []) == {}
