"""What gives an answer and what only mentions one, over all readers of the registry.

mentions.json holds replies around an answer {x}, some with another answer {y} that is not given. A
careful person takes those of "given" for the answer {x}, and those of "mentioned" for none. Every
task's reference reply goes into all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core import registry
from facelet.generators.core.game import Game
from facelet.generators.core.replay import replay
from facelet.generators.core.replies.command import read
from facelet.generators.core.task import Status

CORPUS = json.loads(Path(__file__).with_name("mentions.json").read_text(encoding="utf-8"))
LINE, BLOCK, MENTIONED = (
    CORPUS[kind] for kind in ("given on a line", "given as a block", "mentioned")
)
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
    assert all("{x}" in text for text in (*LINE, *BLOCK, *MENTIONED))


def bare(reply: str) -> str:
    """Return an answer without what announces it; a letter with its tag, as prose has none."""
    for opening in OPENINGS:
        reply = reply.removeprefix(opening).strip()
    for closing in CLOSINGS:
        reply = reply.removesuffix(closing)
    return f"<ANSWER>{reply}</ANSWER>" if reply in set("ABCD") else reply


def filled(texts: list[str], x: str, y: str | None) -> Iterator[tuple[str, str]]:
    for text in texts:
        if "{y}" not in text or y is not None:
            yield text, text.replace("{x}", x).replace("{y}", y or "")


@pytest.mark.parametrize("name", registry.names())
def test_answers_are_read_and_mentions_are_not(name: str, make_case: Callable[..., Any]) -> None:
    task: Any = registry.task(name)
    instances = make_case(name, task.params()).instances
    judge = commands if isinstance(task, Game) else outcomes
    wrong = [*judge(task, [one for one in instances if task.gold(one)])]
    assert not wrong, "\n".join(f"{kind}, {text!r}: {whole!r}" for kind, text, whole in wrong)


def commands(task: Any, instances: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what is read wrongly of a game's commands: one of each form that its player gives."""
    replies = [reply for one in instances[:3] for reply in task.reference(one)]
    firsts: dict[str, str] = {}
    others: dict[str, str] = {}
    for reply in replies:
        said = read(reply, task.forms).value
        assert said is not None
        if firsts.setdefault(said.form, reply) != reply:
            others.setdefault(said.form, reply)
    for form, reply in firsts.items():
        said = read(reply, task.forms).value
        for text, whole in filled([*LINE, *BLOCK], reply, others.get(form)):
            if read(whole, task.forms).value != said:
                yield "not read", text, whole
        for text, whole in filled(MENTIONED, reply, None):
            if read(whole, task.forms).value is not None:
                yield "read", text, whole


def outcomes(task: Any, instances: list[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what is judged wrongly, where every reply of a play is written alike."""
    instance = instances[0]
    replies = [bare(reply) for reply in task.reference(instance)]
    another = next(
        (
            said
            for other in instances[1:]
            if len(said := [bare(reply) for reply in task.reference(other)]) == len(replies)
            and not set(said) & set(replies)
        ),
        None,
    )
    line = not any("\n" in reply for reply in replies)
    for text in [*BLOCK, *(LINE if line else ())]:
        if "{y}" in text and another is None:
            continue
        ys = another or replies
        whole = [text.replace("{x}", x).replace("{y}", y) for x, y in zip(replies, ys, strict=True)]
        if replay(task.open(instance), whole).status is not Status.CORRECT:
            yield "not read", text, whole[0]
    judging = set(replies) & {"Answer: Yes", "Answer: No"}
    for text in MENTIONED:
        if judging and text in TAKEN_BACK:
            continue
        whole = [text.replace("{x}", reply) for reply in replies]
        outcome = replay(task.open(instance), whole)
        if outcome.status is Status.CORRECT or (len(replies) == 1 and outcome.answer):
            yield "read", text, whole[0]
