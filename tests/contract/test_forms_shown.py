"""The form of a reply that a prompt shows is read as kept to the letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome
from facelet.generators.core.text_game import Game


def shown(prompt: Prompt) -> str:
    parts = (part for message in prompt.messages for part in message.parts)
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


@pytest.mark.parametrize("name", task_registry.task_names())
def test_the_form_that_a_prompt_shows_is_read(name: str, make_case: Callable[..., Any]) -> None:
    task: Any = task_registry.load_task(name)
    instances = [one for one in make_case(name, task.params()).instances if task.gold_answer(one)][
        :6
    ]
    lasts: dict[str, str] = {}
    for instance in instances:
        episode = task.open(instance)
        asked = episode.prompt()
        replies = task.reference(instance)
        for reply in replies:
            lasts.setdefault(reply, shown(asked))
            after = episode.reply(reply)
            if isinstance(after, Outcome):
                assert after.strict, reply
                break
            asked = after if after.fresh else asked
        assert replay(task.open(instance), replies).strict
    if isinstance(task, Game):
        for form in task.forms:
            assert all(form.show_form() in shown(task.open(one).prompt()) for one in instances)
        return
    for said in (list(lasts), [reply.rsplit("\n", 1)[-1] for reply in lasts]):
        words = common(said).strip().rstrip("[({<\"'").split("\n")[0]
        if len(lasts) == 1 or all(words in text for text in lasts.values()):
            return
    pytest.fail(f"no prompt shows {words!r}")


def common(texts: list[str]) -> str:
    """Return what all texts begin with."""
    return next(
        first[:end]
        for first in [min(texts)]
        for end in range(len(first), -1, -1)
        if all(text.startswith(first[:end]) for text in texts)
    )


FREE = ("chamber/plan", "jigsaw/", "labyrinth/", "_writing", "_deformation", "cube/navigate")
"""Tasks whose answers are plans, JSON or words alone, of which prompts show how they begin."""


@pytest.mark.parametrize("name", task_registry.task_names())
def test_each_line_of_a_reply_is_shown_with_the_signs_that_its_reader_takes(
    name: str, make_case: Callable[..., Any]
) -> None:
    task: Any = task_registry.load_task(name)
    if isinstance(task, Game) or any(part in name for part in FREE):
        return
    instance = make_case(name, task.params()).instances[0]
    episode = task.open(instance)
    text = shown(episode.prompt())
    for line in task.reference(instance)[0].split("\n"):
        first, rest = re.fullmatch(r"(\W*\w*)(.*)", line).groups()
        sign = re.sub(r"(?<!/)\b[\w']+", lambda _: r"[\w'|/. -]+?", re.escape(rest))
        shortened = rf"\n{re.escape(line.partition(':')[0])}: [^\n]*, \.\.\."
        assert re.search(rf"{re.escape(first)}{sign}|{shortened}", text), line
