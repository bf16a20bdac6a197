"""Placeholders: marks in a published prompt that the player's own earlier replies replace.

A row that follows another row of the same item shows the player what it said before. What it said
is not known when the row is made, so the prompt holds a mark, a name in braces:

    {draft_choice}           the letter that its draft chose; NO_CHOICE if it had no valid answer
    {redacted_reflection}    the text of its reflection, thoughts removed, of the condition named
    {unredacted_reflection}

Whoever runs a player fills the marks before sending the prompt. No other braces in a prompt mean
anything, and marks inside a filled-in text are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from facelet.generators.core.prompts import Message, Part, Prompt, Text

DRAFT_CHOICE = "draft_choice"
REDACTED_REFLECTION = "redacted_reflection"
UNREDACTED_REFLECTION = "unredacted_reflection"
NO_CHOICE = "none"
"""What stands for a draft without a valid answer."""

_MARK = re.compile(rf"\{{({DRAFT_CHOICE}|{REDACTED_REFLECTION}|{UNREDACTED_REFLECTION})\}}")


def mark(name: str) -> str:
    """Return the mark of a placeholder, its name in braces."""
    return f"{{{name}}}"


def names(text: str) -> tuple[str, ...]:
    """Return the names of the placeholders in a text, in order, each once."""
    return tuple(dict.fromkeys(_MARK.findall(text)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with its marks replaced.

    Args:
        text: the text of one message part.
        values: what stands for each placeholder, by its name without braces.

    Raises:
        ValueError: the text has a placeholder without a value.
    """
    missing = [name for name in names(text) if name not in values]
    if missing:
        raise ValueError(
            f"no value for the placeholder {mark(missing[0])}; "
            f"this text needs {', '.join(names(text))}"
        )
    return _MARK.sub(lambda found: values[found[1]], text)


def fill_prompt(prompt: Prompt, values: Mapping[str, str]) -> Prompt:
    """Return the prompt with the marks in its texts replaced; see `fill`."""

    def filled(part: Part) -> Part:
        return Text(fill(part.text, values)) if isinstance(part, Text) else part

    return Prompt(
        tuple(
            Message(message.role, tuple(filled(part) for part in message.parts))
            for message in prompt.messages
        )
    )
