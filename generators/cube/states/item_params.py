"""Items: whether the items of a task are distinct states of a depth, or scrambles as in Cube Bench.

Distinct: the states of an item's depth are as different as the depth allows, and the depth is the
proven distance to solved. As published (sections 4.3 and 5, table 1): every item is a scramble of
its own of so many moves. Where there are few states they repeat: the paper asks a hundred items of
the 18 states of depth 1. A scramble may lead less far from solved than it is long; the row says
its proven distance, prompts tell that one, and the difficulty is the length of the scramble.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import check_range, param
from facelet.generators.core.task import Difficulty, Need
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.depth_params import CubeParams

Items = Literal["distinct", "as_published"]

AXIS = "scramble_length"
"""The difficulty axis of scrambles."""

LONGEST = 12
"""The longest scramble; the paper's have 1 to 5 moves."""

REPEATED = "as in the paper each item is a scramble of its own, also where there are few states"
"""Why items may be equal, in words for cards and audits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemParams(CubeParams):
    """Params of a task of Cube Bench; the depth of scrambles is their length."""

    items: Items = param(
        "distinct",
        "what items are: distinct states of a proven depth, or scrambles of so many moves, which "
        "may repeat, as in the paper",
    )

    @property
    def uses_scrambles(self) -> bool:
        """Whether items are scrambles."""
        return self.items == "as_published"

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        CubeParams.validate(self)
        if self.uses_scrambles:
            check_range("depth", self.depth, 1, LONGEST)

    def difficulty(self) -> Difficulty:
        """Return the depth, or the length of scrambles."""
        found = CubeParams.difficulty(self)
        return Difficulty(AXIS, found.value, found.label) if self.uses_scrambles else found

    def item_need(self, *, neighbours: bool = False) -> Need:
        """Return the need for the states of the items.

        Args:
            neighbours: whether the distances of their neighbours are needed as well.
        """
        return certified_states.pool_need(
            self.metric, self.depth, neighbours=neighbours, scrambled=self.uses_scrambles
        )

    def repeat_reason(self) -> str:
        """Return why items may be equal; "" where they may not."""
        return REPEATED if self.uses_scrambles else ""


SCRAMBLES = Deviation(
    "an item is d random moves, which may repeat or have a shorter solution; the teacher "
    "undoes them",
    "distinct states, or repeats up to `draws`, of proven optimal depth; the teacher "
    "is a shortest solution",
    "equal items count twice (100 items at depth 1, of 18 states), and a scramble does not "
    "measure what a solution needs",
    "items=as_published, with a shortest solution as the teacher",
)
"""What all tasks of Cube Bench do otherwise than the paper."""

DEALT = Deviation(
    "options are shuffled for each item",
    "right answers are dealt evenly, in shuffled blocks",
    "luck of the shuffle is no part of a score",
)
"""What the tasks with options do otherwise."""
