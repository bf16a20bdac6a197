"""Standpoint, a choice: is C in front or behind, and to the left or to the right?

The options are left or right by front or back, so either half alone leaves two.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from facelet.generators.core.seeding import Draw
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.spatial.spatial_task import ChoiceTask, Shown
from facelet.generators.spatial.standpoints import (
    Standpoint,
    StandpointParams,
    StandpointTask,
    draw_standpoint,
    measure_angle,
)

QUARTERS = (
    *("in front to the right", "behind to the right"),
    *("behind to the left", "in front to the left"),
)
"""What the letters stand for, clockwise from straight ahead."""
CLEAR = 10
"""Least degrees between an object and the border of its quarter."""


class StandpointChoice(ChoiceTask[StandpointParams, Standpoint], StandpointTask):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/standpoint_choice"
    version: ClassVar[int] = 1
    decided_by = ("answer",)

    def generate(self, params: StandpointParams, draw: Draw, resource: Any) -> tuple[Standpoint]:
        """Return a person among objects, one of which is in the dealt quarter."""
        letter = draw.deal_card("gold", LETTERS)
        start = 90 * LETTERS.index(letter)
        row = draw_standpoint(params, draw, start + CLEAR, start + 90 - CLEAR)
        return (replace(row, answer=letter),)

    def describe_puzzle(self, instance: Standpoint) -> Shown:
        """Return the map, the steps and the options."""
        *shown, said = super().describe_puzzle(instance)
        options = (f"{letter}: {words}" for letter, words in zip(LETTERS, QUARTERS, strict=True))
        question = f"In which direction is {instance.target} from you now?"
        return (*shown, "\n".join((f"{said}\n\n{question}", *options)))

    def list_right_letters(self, instance: Standpoint) -> str:
        """Return the letter of the quarter with the object."""
        angle = measure_angle(instance.list_places(), instance.moves, instance.target)
        return LETTERS[int(angle // 90)] * (CLEAR - 1e-9 <= angle % 90 <= 90 - CLEAR + 1e-9)


TASK = StandpointChoice()
