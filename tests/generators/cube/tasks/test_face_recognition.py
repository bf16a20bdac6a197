"""Face recognition: what is read, what is scored, what the picture must show."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cube_twins import face

from facelet.generators.core.prompts import Picture, Text
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.tasks.face_recognition import TASK, Instance, Params

LETTER = {"White": "W", "Yellow": "Y", "Green": "G", "Blue": "B", "Orange": "O", "Red": "R"}
FACE = {"White": "U", "Yellow": "D", "Green": "F", "Blue": "B", "Orange": "L", "Red": "R"}


def items(pools: Callable[..., Any], params: Params, count: int = 40) -> list[Instance]:
    pool = pools(params.metric, params.depth)
    return [TASK.generate(params, Draw(("t",), index), pool)[0] for index in range(count)]


def rows(names: list[str]) -> str:
    return "\n".join(" ".join(names[i : i + 3]) for i in (0, 3, 6))


def test_the_face_is_the_states(pools: Callable[..., Any]) -> None:
    for instance in items(pools, Params(depth=3)):
        letters = "".join(face(instance.state.facelets, "F"))
        assert "".join(FACE[name] for name in instance.front) == letters


@pytest.mark.parametrize("words", [LETTER, FACE], ids=["colour letters", "face letters"])
def test_both_vocabularies_are_read(pools: Callable[..., Any], words: dict[str, str]) -> None:
    for instance in items(pools, Params(depth=3)):
        outcome = TASK.open(instance).reply(rows([words[name] for name in instance.front]))
        assert (outcome.status, outcome.strict) == (Status.CORRECT, False)


def test_every_sticker_counts_a_ninth(pools: Callable[..., Any]) -> None:
    instance = items(pools, Params(depth=2), 1)[0]
    names = list(instance.front)
    for wrong in range(1, 10):
        names[wrong - 1] = "Red" if names[wrong - 1] != "Red" else "White"
        outcome = TASK.open(instance).reply(rows(names))
        assert outcome.status is Status.WRONG
        assert outcome.metrics["element_accuracy"] == pytest.approx((9 - wrong) / 9)
        assert outcome.metrics["matrix_accuracy"] == 0.0
        assert outcome.answer == tuple(names) and outcome.gold == instance.front


def test_an_unreadable_reply_has_no_metrics(pools: Callable[..., Any]) -> None:
    instance = items(pools, Params(), 1)[0]
    outcome = TASK.open(instance).reply("Row 1: [Red, Red]")
    assert (outcome.status, outcome.metrics, outcome.answer) == (Status.UNPARSED, {}, ())


def test_patches_spare_the_front_face(pools: Callable[..., Any]) -> None:
    for instance in items(pools, Params(depth=3, variant="occluded", patches=24)):
        assert len(instance.look.hidden) == 24
        assert not set(instance.look.hidden) & set(range(18, 27))
        assert TASK.check(instance) == []


def test_the_palette_of_the_prompt_is_that_of_the_picture(pools: Callable[..., Any]) -> None:
    for variant in ("clean", "recoloured"):
        for instance in items(pools, Params(depth=2, variant=variant), 10):
            system, user = TASK.open(instance).prompt().messages
            assert isinstance(system.parts[0], Text) and isinstance(user.parts[0], Picture)
            for name, shade in zip(FACE, (0, 3, 2, 5, 4, 1), strict=True):
                colour = user.parts[0].scene.colours[shade]
                assert f"- {name}: {colour}" in system.parts[0].text


def test_a_false_face_is_found(pools: Callable[..., Any]) -> None:
    instance = items(pools, Params(depth=2), 1)[0]
    changed = replace(instance, front=("Red", *instance.front[1:]))
    if changed == instance:
        changed = replace(instance, front=("White", *instance.front[1:]))
    assert TASK.check(changed) == ["the colours of the front face are not those of the state"]
    reply = TASK.reference(instance)[0]
    assert TASK.open(changed).reply(reply).status is Status.CORRECT, "the state decides"
