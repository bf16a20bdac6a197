"""Items of the labyrinth's tasks, and the words of their prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from facelet.generators.core.prompts import TextPart
from facelet.generators.core.seeding import Draw


def iterate_items(task: Any, params: Any, count: int) -> Iterator[Any]:
    """Yield the first items of a task."""
    for index in range(count):
        yield from task.generate(params, Draw(("tests", task.name), index), None)


def prompt_text(prompt: Any) -> str:
    """Return the words of a prompt."""
    return "\n".join(
        part.text
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, TextPart)
    )
