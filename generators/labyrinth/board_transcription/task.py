"""Base of the two board-parsing tasks: generate, check and show their instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board_transcription import instances
from facelet.generators.labyrinth.board_transcription.instances import Instance, Params
from facelet.generators.labyrinth.presentation import displays, rule_text


class BoardParsingTask(Task[Params, Instance]):
    """A task of boards to be read; a subclass adds its name, its request and its judge."""

    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random board."""
        return (instances.draw_instance(params, draw),)

    def group_key(self, instance: Instance) -> str:
        """Return the board."""
        return board_columns.canonical_key(instance.board)

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the board."""
        return board_columns.find_column_faults(instance.board, instance.target)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return instances.encode_instance(instance)

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return instances.decode_instance(row)


def parsing_prompt(instance: Instance, request: str) -> Prompt:
    """Return the prompt: the picture, how to read it, and what to write down."""
    return chat_prompt(
        "You are a careful assistant who reads pictures exactly.",
        displays.board_scene(instance.board, instance.target, instance.display),
        f"{rule_text.picture_guide(instance.display)}\n\n{request}",
    )
