"""Written answers: other lists that lead there are right, parts are counted, replies are read."""

from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status

FORWARD, INVERSE = (
    task_registry.load_task(f"shapes/{way}_writing") for way in ("forward", "inverse")
)
CUBE_FORWARD, CUBE_INVERSE = (
    task_registry.load_task(f"cube/{way}_writing") for way in ("forward", "inverse")
)


def make_question(task: Any, level: int = 4, **params: Any) -> Any:
    return task.generate(task.params(level=level, **params), Draw((0, "w"), 3), None)[0]


def grade_reply(task: Any, instance: Any, reply: str) -> Any:
    return task.open(instance).reply(reply)


def test_another_list_that_leads_there_is_right() -> None:
    """A clockwise turn and a mirror come to what a mirror and a counterclockwise turn do."""
    other = {
        "rotate_cw, mirror": "mirror, rotate_ccw",
        "mirror, rotate_ccw": "rotate_cw, mirror",
        "rotate_ccw, mirror": "mirror, rotate_cw",
        "mirror, rotate_cw": "rotate_ccw, mirror",
    }
    found = 0
    for index in range(20):
        instance = INVERSE.generate(INVERSE.params(level=6), Draw((0, "o"), index), None)[0]
        gold = INVERSE.gold_answer(instance)
        for said, same in other.items():
            if said in gold:
                outcome = grade_reply(INVERSE, instance, gold.replace(said, same, 1))
                assert outcome.status is Status.CORRECT and outcome.answer != outcome.gold
                found += 1
    assert found >= 5


@pytest.mark.parametrize("task", [INVERSE, CUBE_INVERSE], ids=["shapes", "cube"])
def test_a_list_of_another_length_is_wrong(task: Any) -> None:
    instance = make_question(task)
    split = ", " if task is INVERSE else " "
    words = task.gold_answer(instance).split(split)
    outcome = grade_reply(task, instance, split.join(words[:-1]))
    assert outcome.status is Status.WRONG and "3 operations where 4" in outcome.note
    assert outcome.metrics == {"parts": 0.0}


def test_parts_that_are_right_are_counted() -> None:
    instance = make_question(FORWARD)
    gold = FORWARD.gold_answer(instance)
    other = ("Sr" if gold[:2] != "Sr" else "Sg") + gold[2:]
    outcome = grade_reply(FORWARD, instance, other)
    assert outcome.status is Status.WRONG and outcome.metrics["parts"] == pytest.approx(3 / 4)
    cube = make_question(CUBE_FORWARD)
    code = CUBE_FORWARD.gold_answer(cube)
    swapped = code[:2] + code[3] + code[2] + code[4:]
    parts = grade_reply(CUBE_FORWARD, cube, swapped).metrics["parts"]
    assert parts == pytest.approx(52 / 54 if swapped != code else 1)


def test_an_operation_that_leaves_parts_unsupported_is_illegal() -> None:
    task = INVERSE
    for index in range(200):
        instance = task.generate(task.params(level=2, space="2.5d"), Draw((0, "i"), index), None)[0]
        outcome = grade_reply(task, instance, "cut, stack(CrCrCrCr)")
        again = grade_reply(task, instance, "stack(CrCr----), cut")
        if Status.ILLEGAL in (outcome.status, again.status):
            return
    raise AssertionError("no unsupported part in 200 questions")


def test_codes_are_read_however_they_are_laid_out() -> None:
    cube = make_question(CUBE_FORWARD, input="text")
    world, gold = cube.world, CUBE_FORWARD.gold_answer(cube)
    for reply in (
        f"The cube is\n{world.format_state(world.read(gold))}",
        f"`{gold}`",
        f"Result: {gold}.",
    ):
        outcome = grade_reply(CUBE_FORWARD, cube, reply)
        assert outcome.status is Status.CORRECT and not outcome.strict
    assert grade_reply(CUBE_FORWARD, cube, gold).strict
    assert grade_reply(CUBE_FORWARD, cube, f"It is not {gold}").status is Status.UNPARSED


def test_long_lists_are_read() -> None:
    for task in (INVERSE, CUBE_INVERSE):
        instance = make_question(task, 600)
        outcome = grade_reply(task, instance, task.gold_answer(instance))
        assert outcome.status is Status.CORRECT and outcome.strict
