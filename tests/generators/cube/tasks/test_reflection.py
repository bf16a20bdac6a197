"""Reflection: five linked rows, placeholders for what was said, and no leak where none is meant."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from facelet.generators.core.prompts import Prompt, Text
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.states.certified import CertifiedStates
from facelet.generators.cube.tasks import move_prediction
from facelet.generators.cube.tasks.reflection import (
    DRAFT_CHOICE,
    REDACTED_REFLECTION,
    STEPS,
    TASK,
    UNREDACTED_REFLECTION,
    Instance,
    Params,
)

Pools = Callable[..., CertifiedStates]
DRAFT, REDACTED, AGAIN_REDACTED, UNREDACTED, AGAIN_UNREDACTED = range(5)


@pytest.fixture
def rows(pools: Pools) -> tuple[Instance, ...]:
    return TASK.generate(Params(depth=2), Draw(("t",), 7), pools("htm", 2))


def words(prompt: Prompt) -> str:
    return "\n".join(
        part.text for message in prompt.messages for part in message.parts if isinstance(part, Text)
    )


def test_an_item_is_five_linked_rows(rows: tuple[Instance, ...], pools: Pools) -> None:
    assert tuple((row.stage, row.condition) for row in rows) == STEPS
    assert len({row.item for row in rows}) == 1 == len({row.question for row in rows})
    links = {
        TASK.generate(Params(depth=depth), Draw(("t", depth), index), pools("htm", depth))[0].item
        for depth in (1, 2)
        for index in range(18)
    }
    assert len(links) == 36


def test_the_draft_is_the_move_question(rows: tuple[Instance, ...]) -> None:
    twin = move_prediction.Instance(rows[DRAFT].question, "image_text")
    assert TASK.open(rows[DRAFT]).prompt() == move_prediction.TASK.open(twin).prompt()


def test_placeholders_stand_where_they_should(rows: tuple[Instance, ...]) -> None:
    found = [re.findall(r"\{\w+\}", words(TASK.open(row).prompt())) for row in rows]
    draft, redacted, unredacted = DRAFT_CHOICE, REDACTED_REFLECTION, UNREDACTED_REFLECTION
    assert found == [[], [draft], [redacted], [draft], [unredacted]]


def test_both_re_answers_are_the_same_once_filled(rows: tuple[Instance, ...]) -> None:
    prompts = [TASK.open(rows[place]).prompt() for place in (AGAIN_REDACTED, AGAIN_UNREDACTED)]
    assert list(prompts[0].scenes()) == list(prompts[1].scenes())
    left = words(prompts[0]).replace(REDACTED_REFLECTION, "I was hasty.")
    right = words(prompts[1]).replace(UNREDACTED_REFLECTION, "I was hasty.")
    assert left == right
    assert "I was hasty." in left and "A > B > C > D" in left


def test_only_the_unredacted_reflection_tells_the_answer(rows: tuple[Instance, ...]) -> None:
    for place, row in enumerate(rows):
        prompts = {
            TASK.open(replace(row, question=replace(row.question, answer=letter))).prompt()
            for letter in "ABCD"
        }
        assert len(prompts) == (4 if place == UNREDACTED else 1)
    assert "[REDACTED]" in words(TASK.open(rows[REDACTED]).prompt())
    told = f"The option that solves the cube is {rows[0].question.answer}."
    assert told in words(TASK.open(rows[UNREDACTED]).prompt())


@pytest.mark.parametrize("place", [REDACTED, UNREDACTED])
def test_a_reflection_is_taken_but_not_graded(rows: tuple[Instance, ...], place: int) -> None:
    assert TASK.gold(rows[place]) == ""
    assert TASK.open(rows[place]).reply("Hm.").status is Status.UNGRADED
    assert TASK.open(rows[place]).reply(" \n").status is Status.UNPARSED
    answer = f"<ANSWER>{rows[place].question.answer}</ANSWER>"
    assert TASK.open(rows[place]).reply(answer).status is Status.UNGRADED


@pytest.mark.parametrize("place", [DRAFT, AGAIN_REDACTED, AGAIN_UNREDACTED])
def test_answers_are_judged(rows: tuple[Instance, ...], place: int) -> None:
    gold = rows[place].question.answer
    strict = TASK.open(rows[place]).reply(f"<ANSWER>{gold}</ANSWER>")
    assert (strict.status, strict.strict) == (Status.CORRECT, True)
    loose = TASK.open(rows[place]).reply(f"After reflection, the answer is {gold}.")
    assert (loose.status, loose.strict) == (Status.CORRECT, False)
    for letter in set("ABCD") - {gold}:
        assert TASK.open(rows[place]).reply(f"ANSWER: {letter}").status is Status.WRONG


def test_a_step_that_does_not_exist_is_found(rows: tuple[Instance, ...]) -> None:
    assert TASK.check(replace(rows[DRAFT], condition="redacted")) == [
        "there is no step 'draft' in 'redacted'"
    ]
