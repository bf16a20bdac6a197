"""What the two parsing tasks share: making, checking and showing their instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task
from facelet.generators.labyrinth.board import columns
from facelet.generators.labyrinth.parsing import instances
from facelet.generators.labyrinth.parsing.instances import Instance, Params
from facelet.generators.labyrinth.showing import displays, wording


class ParsingTask(Task[Params, Instance]):
    """A task of boards to be read; a subclass adds its name, its request and its judge."""

    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random board."""
        return (instances.make(params, draw),)

    def group(self, instance: Instance) -> str:
        """Return the board."""
        return columns.canonical(instance.board)

    def check(self, instance: Instance) -> list[str]:
        """Return what is false about the board."""
        return columns.faults(instance.board, instance.target)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return instances.encode(instance)

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return instances.decode(row)


def ask(instance: Instance, request: str) -> Prompt:
    """Return the prompt: the picture, how to read it, and what to write down."""
    return chat(
        "You are a careful assistant who reads pictures exactly.",
        displays.scene(instance.board, instance.target, instance.display),
        f"{wording.pictured(instance.display)}\n\n{request}",
    )
