"""`chamber/plan`: whatever leads out is right; the verdict is that of the twin, step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from chamber_twin import ChamberTwin, ImpossibleStep

from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import MapParams, MapPool
from facelet.generators.chamber.plans.step_sentences import FORMS, format_sentence
from facelet.generators.chamber.replies.plan_parser import write_plan
from facelet.generators.chamber.tasks.plan import COMMANDS, TASK, Whole
from facelet.generators.chamber.world.chamber_records import ARGUMENTS, LEAVE, Step
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Need, Outcome, Status


@pytest.fixture(scope="module")
def rows(resource: Callable[[Need], MapPool]) -> list[Whole]:
    maps = resource(MapParams().map_need())
    return [
        TASK.generate(MapParams(), Draw(("whole",), k, 0), maps)[0] for k in range(len(maps.maps))
    ]


def judge_plan(row: Whole, plan: tuple[Step, ...]) -> Outcome:
    return replay(TASK.open(row), [write_plan(plan)])


def judge_by_twin(row: Whole, plan: tuple[Step, ...]) -> tuple[Status, int]:
    """Return what the twin makes of a plan: its status, and how many steps can be done."""
    twin = ChamberTwin(map_columns.read_chamber(row.ground))
    now = twin.first_moment()
    for number, step in enumerate(plan[: row.budget]):
        try:
            now = twin.apply_step(now, step)
        except ImpossibleStep:
            return Status.ILLEGAL, number
        if step == LEAVE:
            return Status.CORRECT, number + 1
    return Status.WRONG, min(len(plan), row.budget)


def change_plan(plan: tuple[Step, ...], rng: np.random.Generator) -> tuple[Step, ...]:
    """Return a plan with a step left out, two exchanged, one said twice, or without its end."""
    at, way = int(rng.integers(len(plan) - 1)), int(rng.integers(4))
    if way == 0:
        return plan[:at] + plan[at + 1 :]
    if way == 1:
        return (*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :])
    return (*plan[: at + 1], *plan[at:]) if way == 2 else plan[: at + 1]


def test_a_shortest_plan_is_right_in_commands_and_in_sentences(rows: list[Whole]) -> None:
    for row in rows:
        plan = map_columns.plan_steps(row.ground)
        outcome = judge_plan(row, plan)
        assert (outcome.status, outcome.strict) == (Status.CORRECT, True)
        assert outcome.metrics["success_in_fewest"] == outcome.metrics["carried_out"] == 1
        words = "\n".join(
            f"{n}. {format_sentence(step, n % FORMS)}" for n, step in enumerate(plan, 1)
        )
        assert replay(TASK.open(row), [words]).status is Status.CORRECT


def test_a_plan_with_more_steps_is_right_inside_the_budget(rows: list[Whole]) -> None:
    for row in rows:
        plan = map_columns.plan_steps(row.ground)
        shot = next(n for n, step in enumerate(plan) if step.verb in ("both", "shoot"))
        more = plan[: shot + 1] + (plan[shot],) * (row.budget - len(plan))
        outcome = judge_plan(row, (*more, *plan[shot + 1 :]))
        twin = judge_by_twin(row, (*more, *plan[shot + 1 :]))
        assert outcome.status is twin[0]
        late = judge_plan(row, (*more, plan[shot], *plan[shot + 1 :]))
        assert late.status is not Status.CORRECT
        if outcome.status is Status.CORRECT:
            assert outcome.metrics["success_in_fewest"] == 0
            assert outcome.metrics["steps_over_shortest"] == 2
            assert late.status is Status.WRONG and "still inside" in late.note


def test_verdicts_are_those_of_the_twin(rows: list[Whole]) -> None:
    rng = np.random.default_rng(3)
    seen: dict[Status, int] = {}
    for row in rows:
        for _ in range(12):
            plan = change_plan(map_columns.plan_steps(row.ground), rng)
            outcome, (status, done) = judge_plan(row, plan), judge_by_twin(row, plan)
            assert outcome.status is status, list(map(str, plan))
            counted = plan[: plan.index(LEAVE) + 1] if LEAVE in plan else plan
            assert outcome.metrics["carried_out"] == done / len(counted[: row.budget])
            if status is Status.ILLEGAL:
                assert outcome.note.startswith(f"step {done + 1} cannot be done: ")
            seen[status] = seen.get(status, 0) + 1
    assert set(seen) == {Status.CORRECT, Status.WRONG, Status.ILLEGAL}, "each verdict occurs"


def test_what_follows_the_exit_does_not_matter(rows: list[Whole]) -> None:
    plan = map_columns.plan_steps(rows[0].ground)
    outcome = judge_plan(rows[0], (*plan, Step("take", ("C9",))))
    assert outcome.status is Status.CORRECT and outcome.metrics["carried_out"] == 1
    assert replay(TASK.open(rows[0]), ["I see no way out."]).status is Status.UNPARSED


def test_the_prompt_tells_of_every_verb(rows: list[Whole]) -> None:
    assert {line.split()[0] for line in COMMANDS.split("\n")} - {"turn"} == set(ARGUMENTS)
    text = str(TASK.open(rows[0]).prompt())
    assert f"first {rows[0].budget} steps count" in text


def test_chance_is_stated_where_it_was_measured() -> None:
    assert TASK.chance_level(MapParams(steps=12)) is not None
    assert (
        TASK.chance_level(MapParams(steps=13))
        is TASK.chance_level(MapParams(steps=12, decoys=0))
        is None
    )
