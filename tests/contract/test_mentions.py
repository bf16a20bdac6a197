"""What gives an answer and what only mentions one, over all readers of the registry.

mentions.json holds replies around an answer {x}, some with another answer {y} that is not given. A
careful person takes those of "given" for the answer {x}, and those of "mentioned" for none. Every
task's reference reply goes into all of them.

"withdrawn" and "refuted" take the answer back, and "kept" only sounds alike. Commands go into
sentences about two: "planned" gives {x} and speaks of {y}, "corrected" replaces {y} by {x}, "two"
gives both and so none, and "supposed" gives none.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.replies.command import read_command
from facelet.generators.core.task import Status
from facelet.generators.core.text_game import Game
from facelet.generators.labyrinth.plan_task.plan_parser import read_action

CORPUS = json.loads(Path(__file__).with_name("mentions.json").read_text(encoding="utf-8"))
LINE, BLOCK, MENTIONED = (
    CORPUS[kind] for kind in ("given on a line", "given as a block", "mentioned")
)
WITHDRAWN, REFUTED, KEPT = (CORPUS[kind] for kind in ("withdrawn", "refuted", "kept"))
TWO_COMMANDS = [
    *((text, True) for kind in ("planned", "corrected") for text in CORPUS[kind]),
    *((text, False) for kind in ("two", "supposed") for text in CORPUS[kind]),
]
"""Replies about two commands, and whether {x} is given."""
# What announces the answer in a requested format: a sentence cannot be put around it.
OPENINGS = (
    *("The final solution is:\n", "The final solution is\n", "Here is the converted 2D array:"),
    *("The plan is:\n", "My action:\n", "The state is:\n", "The board is:\n", "ANSWER:\n"),
)
# Said behind "Answer: No", these are about the statement that was asked about.
TAKEN_BACK = ("{x}\nWait, that's wrong.", "{x}\n\nNo, this is not right.")
CLOSINGS = ("\nAnswer verified for correctness.",)


def test_the_corpus_is_large_enough() -> None:
    assert len(set(LINE)) == len(LINE) >= 60
    assert len(set(BLOCK)) == len(BLOCK) >= 40
    assert len(set(MENTIONED)) == len(MENTIONED) >= 100
    assert all("{x}" in text for texts in CORPUS.values() for text in texts)
    assert len({*WITHDRAWN, *REFUTED}) >= 70 and len(set(KEPT)) == len(KEPT) >= 30
    assert 40 * len(CORPUS["planned"]) >= 2000


def strip_announcement(reply: str) -> str:
    """Return an answer without what announces it; a letter with its tag, as prose has none."""
    for opening in OPENINGS:
        reply = reply.removeprefix(opening).strip()
    for closing in CLOSINGS:
        reply = reply.removesuffix(closing)
    return f"<ANSWER>{reply}</ANSWER>" if reply in set("ABCD") else reply


def fill_texts(texts: list[str], x: str, y: str | None) -> Iterator[tuple[str, str]]:
    for text in texts:
        if "{y}" not in text or y is not None:
            yield text, text.replace("{x}", x).replace("{y}", y or "")


@pytest.mark.parametrize("name", task_registry.task_names())
def test_answers_are_read_and_mentions_are_not(name: str, make_case: Callable[..., Any]) -> None:
    task: Any = task_registry.load_task(name)
    instances = make_case(name, task.params()).instances
    judge = misread_commands if isinstance(task, Game) else misjudged_outcomes
    wrong = [*judge(task, [one for one in instances if task.gold_answer(one)])]
    assert not wrong, "\n".join(f"{kind}, {text!r}: {whole!r}" for kind, text, whole in wrong)


def misread_commands(task: Any, instances: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what is read wrongly of a game's commands: one of each form that its player gives."""
    replies = [reply for one in instances[:3] for reply in task.reference(one)]
    firsts: dict[str, str] = {}
    others: dict[str, str] = {}
    for reply in replies:
        said = read_command(reply, task.forms).value
        assert said is not None
        if firsts.setdefault(said.form, reply) != reply:
            others.setdefault(said.form, reply)
    for form, reply in firsts.items():
        said = read_command(reply, task.forms).value
        for text, whole in fill_texts([*LINE, *BLOCK], reply, others.get(form)):
            if read_command(whole, task.forms).value != said:
                yield "not read", text, whole
        for text, whole in fill_texts(KEPT, reply, None):
            if read_command(whole, task.forms).value != said:
                yield "not read", text, whole
        for text, whole in fill_texts([*MENTIONED, *WITHDRAWN, *REFUTED], reply, None):
            if read_command(whole, task.forms).value is not None:
                yield "read", text, whole
        # Another command of the same play, of the same form or of another one.
        rng = random.Random(f"{task.name} {form}")
        for text, is_given in TWO_COMMANDS:
            other = rng.choice(
                [one for one in replies if read_command(one, task.forms).value != said]
            )
            whole = text.replace("{x}", reply).replace("{y}", other)
            value = read_command(whole, task.forms).value
            if value != (said if is_given else None):
                yield f"read as {value}", text, whole


def misjudged_outcomes(task: Any, instances: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what is judged wrongly, where every reply of a play is written alike."""
    instance = instances[0]
    replies = [strip_announcement(reply) for reply in task.reference(instance)]
    another = next(
        (
            said
            for other in instances[1:]
            if len(said := [strip_announcement(reply) for reply in task.reference(other)])
            == len(replies)
            and not set(said) & set(replies)
        ),
        None,
    )
    line = not any("\n" in reply for reply in replies)
    for text in [*BLOCK, *KEPT, *(LINE if line else ())]:
        if "{y}" in text and another is None:
            continue
        ys = another or replies
        whole = [text.replace("{x}", x).replace("{y}", y) for x, y in zip(replies, ys, strict=True)]
        if replay(task.open(instance), whole).status is not Status.CORRECT:
            yield "not read", text, whole[0]
    judging = set(replies) & {"Answer: Yes", "Answer: No"}
    for text in [*MENTIONED, *WITHDRAWN, *(() if judging else REFUTED)]:
        if judging and text in TAKEN_BACK:
            continue
        whole = [text.replace("{x}", reply) for reply in replies]
        outcome = replay(task.open(instance), whole)
        if outcome.status is Status.CORRECT or (len(replies) == 1 and outcome.answer):
            yield "read", text, whole[0]


@pytest.mark.parametrize(("text", "is_given"), TWO_COMMANDS)
def test_actions_of_the_labyrinth_are_read_as_commands_are(text: str, is_given: bool) -> None:
    """A plan for the next turn must not become this turn's action."""
    x = "INSERT(side='top', slot=1, rotation=0)"
    for y in ("MOVE(x=3, y=5)", "INSERT(side='left', slot=5, rotation=2)"):
        value = read_action(text.replace("{x}", x).replace("{y}", y)).value
        assert str(value) == (x if is_given else "None")
