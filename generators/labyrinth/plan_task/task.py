"""Base of the two planning tasks: generate and check their instances.

Both draw under one name, so items of equal turns, split and number have the same board and target,
whether they are planned or acted out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task, Traits
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board.actions import write_turn
from facelet.generators.labyrinth.plan_task import instances, outcomes
from facelet.generators.labyrinth.plan_task.instances import Instance, Params

_BOARDS = "labyrinth/boards 1"
"""Under which the boards of both tasks are drawn."""


class PlanningTask(Task[Params, Instance]):
    """A task of plans to a treasure; a subclass adds its name, its prompts and its replies."""

    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS
    traits: ClassVar[Traits] = Traits(simulated=True)
    measures: ClassVar[tuple[Measure, ...]] = outcomes.MEASURES
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "any board with a treasure at the requested number of turns",
            "insertions alone cannot bring pawn and treasure together in twice these turns",
            "four turns apart they are on few pairs of cells, and one list of insertions that "
            "never looked solved an eighth of all boards",
            "shifted=any",
        ),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return that each row says its own."""
        return ChanceFromRows()

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random instance of the wanted number of turns."""
        rng = draw.derive_shared_draw(_BOARDS).rng
        budget, shifts = params.budget_in_turns(), params.count_blocked_shifts()
        return (instances.draw_instance(params.turns, params.board_display(), rng, budget, shifts),)

    def gold_answer(self, instance: Instance) -> str:
        """Return the reference, a turn a line; any other plan that reaches the target is right."""
        return "\n".join(map(write_turn, instance.solution))

    def group_key(self, instance: Instance) -> str:
        """Return the board."""
        return board_columns.canonical_key(instance.board)

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false; the fewest turns and all counts are searched anew."""
        return instances.find_instance_faults(instance)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return instances.encode_instance(instance)

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return instances.decode_instance(row)
