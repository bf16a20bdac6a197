"""The shapes' questions: every option by the twin, at every level and under every reading."""

from typing import Any

import pytest
import shapes_twin as twin

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.deformation import questions

FORWARD, INVERSE = (
    task_registry.load_task(f"shapes/{name}_deformation") for name in ("forward", "inverse")
)
SPACES = ("2d", "2.5d")


def make_instances(task: Any, count: int, **params: Any) -> list[Any]:
    path = (0, "test", task.name, *(str(value) for value in params.values()))
    return [make_question(task, Draw(path, i), **params) for i in range(count)]


def make_question(task: Any, draw: Draw, **params: Any) -> Any:
    for attempt in range(50):
        try:
            return task.generate(task.params(**params), Draw(draw.path, draw.index, attempt), None)[
                0
            ]
        except Reject:
            continue
    raise AssertionError("rejected 50 times")


@pytest.mark.parametrize("task", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("level", [1, 2, 3, 7, 15, 30])
def test_every_option_is_replayed_by_the_twin(task: Any, space: str, level: int) -> None:
    for instance in make_instances(task, 24, space=space, level=level):
        asked = instance.question
        results = [twin.apply_operations(asked.start, operations) for operations in asked.lists]
        assert tuple(results) == asked.results
        assert len(set(results)) == 4
        right = "ABCD".index(asked.answer)
        assert asked.given == (asked.lists if task is FORWARD else asked.results)[right]
        for operations in asked.lists:
            code = asked.start
            words = operations.split(", ")
            assert len(words) == level
            for word in words:
                before, code = code, twin.apply_operation(code, word)
                assert code != before and twin.is_supported(code) and code != "--------"


def test_readings_of_the_rules_can_be_had_back() -> None:
    floating = make_instances(FORWARD, 60, space="2.5d", level=8, floating=True)
    ends = [result for instance in floating for result in instance.question.results]
    assert not all(twin.is_supported(code) for code in ends)
    words = {
        word.partition("(")[0]
        for instance in make_instances(INVERSE, 60, space="2.5d", level=12, filling=False)
        for operations in instance.question.lists
        for word in operations.split(", ")
    }
    assert "stack" in words and "fill" not in words
    for instance in make_instances(FORWARD, 30, space="2.5d", level=8, coloring="all"):
        for operations, result in zip(
            instance.question.lists, instance.question.results, strict=True
        ):
            code = instance.question.start
            for word in operations.split(", "):
                code = twin.apply_operation(code, word, "all")
            assert code == result
    wild = make_instances(FORWARD, 60, space="2d", level=12, steps="any", replaced=1)
    near = [questions.measure_nearness(i.world, i.question) for i in wild]
    assert any(sum(one.idle) for one in near) and min(one.live for one in near) < 8
    some = make_instances(FORWARD, 60, space="2d", level=12, steps="effective", replaced=1)
    assert not any(sum(questions.measure_nearness(i.world, i.question).idle) for i in some)
    tame = make_instances(FORWARD, 60, space="2d", level=12)
    assert all(questions.measure_nearness(i.world, i.question).live == 12 for i in tame)
    (mild,) = make_instances(FORWARD, 1, space="2d", level=12, replaced=1)
    assert mild.world.steps == "effective"
    for space in SPACES:
        for instance in make_instances(INVERSE, 20, space=space, level=6, filler="shape"):
            asked = instance.question
            assert (
                tuple(twin.apply_operations(asked.start, text) for text in asked.lists)
                == asked.results
            )
            assert INVERSE.find_faults(instance) == []
            assert "fill(layer): every empty" in str(INVERSE.open(instance).prompt().messages)
    plain = make_instances(FORWARD, 60, space="2d", level=5, types="four")
    assert not any("F" in instance.question.start for instance in plain)


def test_halves_share_no_shape_not_even_turned_over() -> None:
    found = {
        half: {
            instance.question.canonical
            for level in (1, 5, 9)
            for instance in make_instances(FORWARD, 300, space="2d", level=level, half=half)
        }
        for half in ("test", "train")
    }
    assert len(found["test"]) > 700 and len(found["train"]) > 700
    assert not found["test"] & found["train"]


def test_a_level_of_a_thousand_is_made_and_checked() -> None:
    for task in (FORWARD, INVERSE):
        for space in SPACES:
            (instance,) = make_instances(task, 1, space=space, level=1000)
            assert task.find_faults(instance) == []
            assert instance.question.lists[0].count(", ") == 999
