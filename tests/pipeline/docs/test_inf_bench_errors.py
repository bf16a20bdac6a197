"""Traces: replies made wrong in a known way are sorted as that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from inf_bench_errors import classify_error, classify_way

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.deformation import reasoning_chains

NAMES = [
    f"{family}/{way}_deformation" for family in ("shapes", "cube") for way in ("forward", "inverse")
]


def make_question(task: Any, level: int, index: int = 0) -> Any:
    for attempt in range(50):
        try:
            draw = Draw(("tracing", task.name), index, attempt)
            return task.generate(task.params(level=level, input="text"), draw, None)[0]
        except Reject:
            continue
    raise AssertionError("rejected")


@pytest.mark.parametrize("name", NAMES)
def test_who_follows_the_operations_goes_step_by_step_and_may_still_pair_wrongly(name: str) -> None:
    task = task_registry.load_task(name)
    for index in range(5):
        instance = make_question(task, 4, index)
        world, question = instance.world, instance.question
        told = reasoning_chains.write_chain(world, question, task.direction)
        for pictured in (False, True):
            given = (world, question, task.direction)
            assert classify_way(*given, told, pictured=pictured) == "stepwise"
            assert classify_error(*given, told, pictured=pictured) == "pairing"
            assert classify_way(*given, "It must be B.", pictured=pictured) == "direct"
            assert classify_error(*given, "It must be B.", pictured=pictured) == "pairing"
        if task.direction == "forward":
            right = question.results["ABCD".index(question.answer)]
            other = next(code for code in question.results if code not in told)
            slip = told.replace(right, other)
            assert classify_error(*given, slip, pictured=True) in (
                "abstracting",
                "executing",
            )
        shown = f"The start {question.start} looks like it. B"
        assert classify_way(*given, shown, pictured=False) == "direct"
        assert classify_way(*given, shown, pictured=True) == "stepwise"


def make_shape_question(given: str) -> Any:
    """Return a world and a forward question of quadrants with these operations."""
    task = task_registry.load_task("shapes/forward_deformation")
    instance = make_question(task, 4)
    question = replace(instance.question, start="CrRgWbSy", given=given, results=("--------",) * 4)
    return instance.world, question, "forward"


TWICE = "rotate_cw, mirror, rotate_cw, color(r)"


@pytest.mark.parametrize(
    ("reply", "pictured", "error"),
    [
        # Right all the way: SyCrRgWb, WbRgCrSy, SyWbRgCr, SrWrRrCr.
        ("CrRgWbSy, SyCrRgWb, WbRgCrSy, SyWbRgCr, SrWrRrCr. B", True, "pairing"),
        # The start is another.
        ("CrRgWbSr, SrCrRgWb. B", True, "encoding"),
        # The first turn is right and the second goes the other way.
        ("CrRgWbSy, SyCrRgWb, WbRgCrSy, RgCrSyWb. B", True, "executing"),
        # Every turn goes the other way.
        ("CrRgWbSy, RgWbSyCr. B", True, "abstracting"),
        # Turns that are left out are right where what follows is.
        ("CrRgWbSy, WbRgCrSy, RgCrSyWb. B", False, "executing"),
    ],
)
def test_errors_are_told_apart(reply: str, pictured: bool, error: str) -> None:
    world, question, direction = make_shape_question(TWICE)
    assert classify_error(world, question, direction, reply, pictured=pictured) == error
