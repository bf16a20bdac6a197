"""Recorded playthroughs: what a task asked at every turn, and how it judged, word for word.

Of the first item under any params three whole plays are recorded, prompt by prompt, as far as they
have several turns: the reference player's, one that begins with a reply that cannot be read, and
one that begins with a reply that breaks the rules (where a task has none, with what belongs to
another item).

A playthrough is history. When it is meant to change, move the task's version, record again with
`make golden TASK=family/task`, read the difference, and commit both.
"""

import dataclasses
import difflib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.replies.command import Command
from facelet.generators.core.task import Outcome
from facelet.generators.core.text_game import Game

FOLDER = Path(__file__).parents[1] / "golden" / "tasks"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS", "")

SHOWN = 2
"""Items of the default params; of others one. Columns equal to the first row's are left out."""


def iterate_playthrough(task: Any, cases: list[tuple[str, Any]]) -> Iterator[str]:
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
                yield from iterate_prompt(task, instance, told)
                row = task.encode(instance)
                yield "--- row"
                for column, value in row.items():
                    if column not in usual or value != usual[column]:
                        yield f"{column}: {json.dumps(value)}"
                usual = usual or row
                if number == 0:
                    for replies in recorded_plays(task, case, instance):
                        yield from iterate_play(task, instance, replies, told)
                if name == "default" and number == 0:
                    yield from iterate_verdicts(task, instance)


def iterate_prompt(task: Any, instance: Any, told: set[str]) -> Iterator[str]:
    """Yield the prompt; texts that were told before are left out."""
    yield from iterate_messages(task.open(instance).prompt(), told)


def iterate_messages(prompt: Any, told: set[str]) -> Iterator[str]:
    """Yield the messages of a prompt; texts that were told before are left out."""
    for message in prompt.messages:
        yield f"--- {message.role}"
        for part in message.parts:
            text = part.text if isinstance(part, TextPart) else f"[{format_scene(part.scene)}]"
            yield "(as before)" if text in told else text
            told.add(text)


def recorded_plays(task: Any, case: Any, instance: Any) -> list[list[str]]:
    """Return the replies of the recorded plays."""
    right = task.reference(instance)
    bad = ("I do not know.", blunder(task, case, instance))
    return [right, *([reply, *right] for reply in bad)]


def iterate_play(task: Any, instance: Any, replies: list[str], told: set[str]) -> Iterator[str]:
    """Yield a play of several turns: every reply, what it was answered, and how it ended."""
    episode = task.open(instance)
    lines: list[str] = []
    for reply in replies:
        answer = episode.reply(reply)
        lines.append(f"--- reply {reply!r}")
        if isinstance(answer, Outcome):
            break
        lines += iterate_messages(answer, told)
    else:
        answer = episode.outcome_when_halted()
        lines.append("--- no reply")
    if len(lines) > 1:
        yield from lines
        yield from iterate_end(answer)


def iterate_end(outcome: Outcome) -> Iterator[str]:
    for field in dataclasses.fields(outcome):
        if field.name == "one_reply":  # set by plays, after the episode
            continue
        value = getattr(outcome, field.name)
        if value or field.name != "note":
            yield f"{field.name}: {value!r}"


def blunder(task: Any, case: Any, instance: Any) -> str:
    """Return a reply that can be read and is against the rules, or belongs to another item."""
    if isinstance(task, Game):
        state = task.start(instance)
        for said in iterate_extremes(task):
            if task.legal(instance, state, said):
                return task.format_command(said)
    others = (task.reference(other) for other in case.instances if other != instance)
    return next((replies[0] for replies in others if replies != task.reference(instance)), "")


def iterate_extremes(game: Any) -> Iterator[Command]:
    """Yield commands of each form whose values no sensible player would choose."""
    for number, several, word in ((10**9, (10**9,), "z"), (-1, (-1, -1), "zzzzzzz")):
        values = {"int": number, "ints": several, "word": word, "words": (word,), "bits": "0" * 99}
        for form in game.forms:
            kinds = re.findall(r"{([^{}]*)}", form.template)
            args = (values.get(kind, kind.split("|")[0]) for kind in kinds)
            yield Command(form.name, tuple(args))


def iterate_verdicts(task: Any, instance: Any) -> Iterator[str]:
    """Yield what the task says about a row, and how it judges some replies."""
    yield f"group: {task.group_key(instance)}"
    yield f"gold: {task.gold_answer(instance)!r}"
    claims = task.claims(instance)
    yield from (f"claim 1 of {len(claims)}: {claim}" for claim in claims[:1])
    reference = task.reference(instance)
    for replies in (reference, [f"It is\n\n{reference[-1]}"], ["I do not know."]):
        yield f"--- replies {replies}"
        yield from iterate_end(replay(task.open(instance), replies))


def format_scene(scene: Any) -> str:
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
    text = "\n".join(iterate_playthrough(task, cases)) + "\n"
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


class RewordedTask:
    """A task one of whose turns says one word more."""

    def __init__(self, task: Any, turn: int) -> None:
        self._task = task
        self._turn = turn

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def open(self, instance: Any) -> Any:
        episode, turns = self._task.open(instance), 0
        ask, hear = episode.prompt, episode.reply

        def reword_prompt(prompt: Any) -> Any:
            last = prompt.messages[-1]
            said = dataclasses.replace(last, parts=(*last.parts, TextPart("indeed")))
            return dataclasses.replace(prompt, messages=(*prompt.messages[:-1], said))

        def reword_reply(text: str) -> Any:
            nonlocal turns
            turns += 1
            answer = hear(text)
            changed = turns == self._turn and not isinstance(answer, Outcome)
            return reword_prompt(answer) if changed else answer

        prompt = (lambda: reword_prompt(ask())) if self._turn == 0 else ask
        return SimpleNamespace(
            prompt=prompt, reply=reword_reply, outcome_when_halted=episode.outcome_when_halted
        )


@pytest.mark.some(4)
def test_rewording_any_turn_is_noticed(task: Any, cases: list[tuple[str, Any]]) -> None:
    """What a play shows at any of its turns is recorded, so a word more is a difference."""
    for name, case in cases:
        instance = case.items[0][0]
        turns = max(
            len(list_prompts(task, instance, said)) for said in recorded_plays(task, case, instance)
        )
        for turn in range(turns + 1):
            lines = "\n".join(iterate_playthrough(RewordedTask(task, turn), [(name, case)])).split(
                "\n"
            )
            assert "indeed" in lines, f"{name}: nothing records what turn {turn} shows"


def list_prompts(task: Any, instance: Any, replies: list[str]) -> list[Any]:
    """Return the prompts that follow the replies, up to the end of the episode."""
    episode, prompts = task.open(instance), []
    for reply in replies:
        answer = episode.reply(reply)
        if isinstance(answer, Outcome):
            break
        prompts.append(answer)
    return prompts


def test_every_golden_has_a_task(registered: frozenset[str]) -> None:
    recorded = {str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.txt")}
    assert recorded <= registered
