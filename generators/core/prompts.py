"""Prompts: chat messages made of text and undrawn scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from facelet.renderers.scenes.records import Scene

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A run of text inside a message."""

    text: str


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture inside a message, still undrawn."""

    scene: Scene


Part = TextPart | PicturePart


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message: who speaks, and the parts in reading order."""

    role: Role
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages that are new to the player since its last reply, oldest first.

    Attributes:
        messages: the messages.
        fresh: whether a new chat begins with them: what was said before is no longer shown.
    """

    messages: tuple[Message, ...]
    fresh: bool = False

    def iterate_scenes(self) -> Iterator[Scene]:
        """Yield the scenes in reading order, repeats included."""
        for message in self.messages:
            yield from (part.scene for part in message.parts if isinstance(part, PicturePart))


def chat_prompt(system: str, *user: str | Scene) -> Prompt:
    """Return a prompt of one system message and one user message.

    Args:
        system: the text of the system message.
        user: strings and scenes, in reading order.
    """
    parts = tuple(TextPart(part) if isinstance(part, str) else PicturePart(part) for part in user)
    return Prompt((Message("system", (TextPart(system),)), Message("user", parts)))
