"""What the two perception tasks share: knobs, columns, positions, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task
from facelet.generators.labyrinth import parsing, puzzles, wording
from facelet.generators.labyrinth.parsing import ParsingParams, Position


class ParsingTask(Task[ParsingParams, Position]):
    """A task whose instances are positions; a subclass adds its name, its request and its judge."""

    params: ClassVar[type[ParsingParams]] = ParsingParams
    columns: ClassVar[tuple[Column, ...]] = parsing.COLUMNS

    def generate(self, params: ParsingParams, draw: Draw, resource: Any) -> tuple[Position, ...]:
        """Return a random position."""
        return (parsing.make(params, draw),)

    def group(self, instance: Position) -> str:
        """Return the board."""
        return puzzles.canonical(instance.board)

    def check(self, instance: Position) -> list[str]:
        """Return what is false about the position."""
        return puzzles.board_faults(instance.board, instance.target)

    def encode(self, instance: Position) -> dict[str, Any]:
        """Return the typed columns."""
        return parsing.encode(instance)

    def decode(self, row: Mapping[str, Any]) -> Position:
        """Return the position that a row holds."""
        return parsing.decode(row)


def ask(position: Position, request: str) -> Prompt:
    """Return the prompt: the picture, how to read it, and what to write down."""
    return chat(
        "You are a careful assistant who reads pictures exactly.",
        puzzles.scene(position.board, position.target, position.look),
        f"{wording.pictured(position.look)}\n\n{request}",
    )
