"""Standpoint: at A, facing B, perhaps after some steps: at how many o'clock is C?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.seeding import Draw
from facelet.generators.spatial.spatial_task import Arguments, WrittenTask
from facelet.generators.spatial.standpoints import (
    Standpoint,
    StandpointParams,
    StandpointTask,
    draw_standpoint,
    measure_angle,
)

HOURS = range(1, 13)
CLEAR = 5
"""Least degrees between an object and the border of its hour."""


class StandpointClock(WrittenTask[StandpointParams, Standpoint], StandpointTask):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/standpoint"
    version: ClassVar[int] = 1
    form: ClassVar[CommandForm] = CommandForm("clock", "My Clock: {int}")

    def chance_level(self, params: StandpointParams) -> Chance:
        """Return one of twelve hours, which are dealt evenly."""
        return ExactChance(1 / len(HOURS))

    def generate(self, params: StandpointParams, draw: Draw, resource: Any) -> tuple[Standpoint]:
        """Return a person among objects, one of which is at the dealt hour."""
        hour = draw.deal_card("hour", HOURS)
        reach = 15 - CLEAR
        row = draw_standpoint(params, draw, 30 * hour - reach, 30 * hour + reach)
        return (replace(row, answer=str(hour)),)

    def describe_reply(self, instance: Standpoint) -> str:
        """Return the form of the answer."""
        return (
            f"In which direction is {instance.target} from you now? Answer by the nearest hour of "
            "a clock around you: 12 is straight ahead, 3 to your right, 6 behind you, 9 to your "
            f"left. Write it in the last line as\n{self.form.show_form()}"
        )

    def simulate_answer(self, instance: Standpoint, args: Arguments) -> str:
        """Return the hour."""
        if args[0] not in HOURS:
            raise ValueError(f"there is no hour {args[0]}; use 1 to 12")
        return str(args[0])

    def describe_goal(self, instance: Standpoint) -> str:
        """Return the nearest hour."""
        return str(round(_measure(instance) / 30) or 12)

    def list_picture_faults(self, instance: Standpoint) -> list[str]:
        """Return whether the object is near the border of two hours, or two objects meet."""
        border = abs((_measure(instance) + 15) % 30)
        near = min(border, 30 - border) < CLEAR - 1e-9
        return ["the object is near the border of two hours"] * near + (
            super().list_picture_faults(instance)
        )


def _measure(row: Standpoint) -> float:
    return measure_angle(row.list_places(), row.moves, row.target)


TASK = StandpointClock()
