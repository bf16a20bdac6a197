"""Recorded playthroughs: what a task asked, and how it judged, word for word.

A playthrough is history. When it is meant to change, move the task's version, record again with
`make golden TASK=family/task`, read the difference, and commit both.
"""

import dataclasses
import difflib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core.prompts import Text
from facelet.generators.core.replay import replay

FOLDER = Path(__file__).parents[1] / "golden" / "tasks"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS", "")

SHOWN = 2
"""Items of the default params; of others one. Columns equal to the first row's are left out."""


def playthrough(task: Any, cases: list[tuple[str, Any]]) -> Iterator[str]:
    """Yield the lines of a task's golden."""
    yield f"{task.name} version {task.version}"
    for column in task.columns:
        null = ", may be null" if column.optional else ""
        role = f", {column.role}" if column.role else ""
        yield f"column {column.name}: {column.type}{null}{role}"
    for measure in task.measures:
        # What is left at its default may be joined by other fields without a change of any task.
        said = (
            f"{item.name}={value!r}"
            for item in dataclasses.fields(measure)
            if (value := getattr(measure, item.name)) != item.default
        )
        yield f"measure {type(measure).__name__}({', '.join(said)})"
    told: set[str] = set()
    usual: dict[str, Any] = {}
    for name, case in cases:
        for number, item in enumerate(case.items[: SHOWN if name == "default" else 1]):
            for place, instance in enumerate(item):
                yield f"\n===== {name}, item {number}, row {place} ====="
                yield from asked(task, instance, told)
                row = task.encode(instance)
                yield "--- row"
                for column, value in row.items():
                    if column not in usual or value != usual[column]:
                        yield f"{column}: {json.dumps(value)}"
                usual = usual or row
                if name == "default" and number == 0:
                    yield from judged(task, instance)


def asked(task: Any, instance: Any, told: set[str]) -> Iterator[str]:
    """Yield the prompt; texts that were told before are left out."""
    for message in task.open(instance).prompt().messages:
        yield f"--- {message.role}"
        for part in message.parts:
            text = part.text if isinstance(part, Text) else f"[{brief(part.scene)}]"
            yield "(as before)" if text in told else text
            told.add(text)


def judged(task: Any, instance: Any) -> Iterator[str]:
    """Yield what the task says about a row, and how it judges some replies."""
    yield f"group: {task.group(instance)}"
    yield f"gold: {task.gold(instance)!r}"
    claims = task.claims(instance)
    yield from (f"claim 1 of {len(claims)}: {claim}" for claim in claims[:1])
    reference = task.reference(instance)
    for replies in (reference, [f"It is\n\n{reference[-1]}"], ["I do not know."]):
        yield f"--- replies {replies}"
        for field in dataclasses.fields(outcome := replay(task.open(instance), replies)):
            value = getattr(outcome, field.name)
            if value or field.name != "note":
                yield f"{field.name}: {value!r}"


def brief(scene: Any) -> str:
    """Return a scene with the fields that are not at their defaults."""
    special = [
        f"{field.name}={value!r}"
        for field in dataclasses.fields(scene)
        if (value := getattr(scene, field.name)) != field.default
    ]
    return f"{type(scene).__name__}({', '.join(special)})"


@pytest.fixture
def cases(task: Any, make_case: Callable[..., Any], knobs_of: Callable[..., Any]) -> Any:
    return [(name, make_case(task.name, params)) for name, params in knobs_of(task)]


def test_playthrough_is_the_recorded_one(task: Any, cases: list[tuple[str, Any]]) -> None:
    path = FOLDER / f"{task.name}.txt"
    text = "\n".join(playthrough(task, cases)) + "\n"
    if RECORD in ("1", "all", task.name):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = f"make golden TASK={task.name}"
    assert path.exists(), f"{task.name} has no golden; record one with `{command}` and read it"
    recorded = path.read_text(encoding="utf-8")
    if text != recorded:
        lines = difflib.unified_diff(
            recorded.splitlines(), text.splitlines(), "recorded", "now", n=1, lineterm=""
        )
        pytest.fail(
            f"the playthrough of {task.name} changed. If that is meant, move its version, record "
            f"it with `{command}`, and review the difference:\n" + "\n".join([*lines][:60])
        )


def test_every_golden_has_a_task(registered: frozenset[str]) -> None:
    recorded = {str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.txt")}
    assert recorded <= registered
