"""The forms that prompts show are read: in every config of the suites, written as they are shown.

A player sees states, lists, commands and an answer's form in its prompt, and writes the answer the
same way. What it writes must be read, however plain or decorated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.generators.options.deformation.deformation_task import Deformation, WrittenAnswers
from facelet.generators.options.letter_placement import LETTERS

SUITE_FILES = Path(__file__).parents[2] / "conf" / "suite"
NAMES = (
    *("inf_bench", "inf_bench_variants", "inf_bench_methods", "inf_bench_as_published"),
    *("marble", "marble_variants", "marble_as_published", "cube_bench", "cube_bench_variants"),
    *("cube_bench_as_published", "cubebench", "cubebench_variants", "cubebench_as_published"),
)


def configs() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the distinct tasks with params of the suites, by the first config that has them."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for suite in NAMES:
        text = (SUITE_FILES / f"{suite}.yaml").read_text(encoding="utf-8")
        for name, config in yaml.safe_load(text)[suite]["tasks"].items():
            asked = (config["task"], config.get("params") or {})
            if asked not in found.values():
                found[f"{suite}.{name}"] = asked
    return found


CONFIGS = configs()


def made(make_case: Callable[..., Any], config: str) -> tuple[Any, Any]:
    name, params = CONFIGS[config]
    task: Any = task_registry.load_task(name)
    level = {"level": 3} if isinstance(task, Deformation) and "level" not in params else {}
    return task, make_case(name, task.params(**params | level)).instances[0]


def told(prompt: Any) -> str:
    return "\n".join(
        part.text for one in prompt.messages for part in one.parts if hasattr(part, "text")
    )


@pytest.mark.parametrize("config", CONFIGS)
def test_the_requested_form_is_read_and_strict(config: str, make_case: Callable[..., Any]) -> None:
    task, instance = made(make_case, config)
    replies = task.reference(instance)
    outcome = replay(task.open(instance), replies)
    assert outcome.status is Status.CORRECT and outcome.strict
    for wrapped in ("**{}**", "```\n{}\n```", "{}\n\nThat is it."):
        last = wrapped.format(replies[-1])
        if "Action: " not in last and not last.startswith("**{"):
            said = replay(task.open(instance), [*replies[:-1], last])
            assert said.status is Status.CORRECT, last


WRITTEN = [
    name
    for name, (task, _) in CONFIGS.items()
    if isinstance(task_registry.load_task(task), WrittenAnswers)
]


@pytest.mark.parametrize("config", WRITTEN)
def test_written_answers_are_read_in_every_form_that_the_prompt_shows(
    config: str, make_case: Callable[..., Any]
) -> None:
    task, instance = made(make_case, config)
    world, gold = instance.world, task.gold_answer(instance)
    prompt = told(task.open(instance).prompt())
    if task.direction == "forward":
        shown = world.format_state(world.read(gold))
        forms = [shown, f"The {world.item_noun} at the end:\n{shown}"]
    else:
        steps = [world.write_steps([step]) for step in world.read_steps(gold)]
        forms = ["\n".join(steps), ", ".join(steps), f"in this order:\n{gold}"]
        sample = re.search(r"written like (.+), and with nothing else", prompt)
        assert sample is None or task.open(instance).reply(sample[1]).status is Status.WRONG
    for reply in forms:
        assert task.open(instance).reply(reply).status is Status.CORRECT, reply


@pytest.mark.parametrize("method", ["tool", "react"])
@pytest.mark.parametrize("name", ["shapes/inverse_writing", "cube/forward_writing"])
def test_a_call_of_the_tool_is_read_with_states_as_the_prompt_shows_them(
    method: str, name: str, make_case: Callable[..., Any]
) -> None:
    task: Any = task_registry.load_task(name)
    instance = make_case(name, task.params(level=2, input="text", method=method)).instances[0]
    world, question = instance.world, instance.question
    steps = question.lists[LETTERS.index(question.answer)]
    step = world.write_steps(world.read_steps(steps)[:1])
    after = world.write_state(
        world.apply_step(world.read(question.start), world.read_steps(step)[0])
    )
    for line in (
        f"Apply {step} to {question.start}",
        f"Apply `{step}` to `{question.start}`.",
        f"**Apply {step.replace(chr(39), chr(0x2019))} to {question.start}**",
    ):
        reply = f"Thought: one step.\nAction: {line}" if method == "react" else line
        assert after in told(task.open(instance).reply(reply)), line
