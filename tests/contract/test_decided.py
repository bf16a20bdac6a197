"""What decides a reply's worth, where a task names it: rows that share it judge any reply alike."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay

DECIDED = [name for name, task in task_registry.tasks().items() if task.decided_by]

REPLIES = (
    "",
    "A",
    "B",
    "Answer: C",
    "(D)",
    "Yes",
    "Answer: No",
    "<ANSWER>B</ANSWER>",
    "Not A but rather C, as the second list shows.",
    "<think>First A, then D.</think>\nThe answer is **D**.",
    "A: increase\nB: decrease\nC: no change\nD: increase",
    "I cannot tell.",
    '{"answer": "A"}',
)
"""Replies of each form, right for some rows and wrong for others."""


def test_tasks_with_few_answers_name_what_decides():
    assert {"cube/move_prediction", "shapes/forward_deformation"} <= set(DECIDED)
    assert not set(DECIDED) & {"shapes/forward_writing", "cube/inverse_writing"}


@pytest.mark.parametrize("name", DECIDED)
def test_rows_that_share_what_decides_judge_any_reply_alike(name, make_case, knobs_of):
    task: Any = task_registry.load_task(name)
    columns = {column.name for column in task.columns}
    assert set(task.decided_by) <= columns
    mentions = json.loads(Path(__file__).with_name("mentions.json").read_text())
    alike: dict[str, list[Any]] = defaultdict(list)
    for _, params in knobs_of(task):
        for instance in make_case(name, params).instances:
            row = task.encode(instance)
            alike[repr([row[column] for column in task.decided_by])].append(instance)
    shown = [text for instances in alike.values() for text in option_texts(task, instances[0])]
    replies = [*REPLIES, *shown[:8], *list_texts(mentions)[::40][:20]]
    compared = 0
    for instances in alike.values():
        first, *others = instances[:: max(1, len(instances) // 6)]
        answered = [*replies, *task.reference(first)[:1]]
        wanted = judge_all(task, first, answered)
        for other in others:
            assert judge_all(task, other, answered) == wanted
            compared += 1
    assert compared >= 3


def judge_all(task: Any, instance: Any, replies: list[str]) -> tuple[str, list[Any]]:
    """Return the form of reply that an instance asks for, and what each reply to it comes to."""
    return task.reply_form(instance), [replay(task.open(instance), [said]) for said in replies]


def option_texts(task: Any, instance: Any) -> list[str]:
    """Return the lines that an option of an instance is told in, as replies repeat them."""
    row = task.encode(instance)
    named = [row[column.name] for column in task.columns if column.role == "options"]
    return [f"It is {value}" for values in named for value in list_texts(values)[:4]]


def list_texts(value: Any) -> list[str]:
    """Return all texts within a value, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for one in value for text in list_texts(one)] if isinstance(value, list) else []
