"""Base of the tasks about one certified state: its params, its pool, its group, its claims.

The difficulty of a cube task is the optimal depth of its state, in either metric. Items of Cube
Bench come in two kinds. Distinct: states are as different as the depth allows, and the depth is the
proven distance to solved. As published (sections 4.3 and 5, table 1): every item is a scramble of
its own with that number of moves. Where there are few states they repeat: the paper asks a hundred
items of the 18 states of depth 1. A scramble may end nearer to solved than it is long; row and
prompts contain the proven distance, and the difficulty is the length of the scramble.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import BaseParams, check_choice, check_range, param
from facelet.generators.core.task import Claim, Difficulty, Need, Task
from facelet.generators.cube.engine.notation import DIAMETER, Metric
from facelet.generators.cube.states.certified_states import CertifiedState, depth_claims, pool_need

Items = Literal["distinct", "as_published"]

SCRAMBLE_AXIS = "scramble_length"
"""The difficulty axis of scrambles; that of states is "optimal_depth"."""

LONGEST = 12
"""The longest scramble; the paper's have 1 to 5 moves."""

REPEATED = "as in the paper each item is a scramble of its own, also where there are few states"
"""Why items may be equal, in words for cards and audits."""


def depth_param(default: int, doc: str = "optimal depth of the state; at most 20 in htm") -> Any:
    """Return the field of params that holds the depth.

    Args:
        default: the depth.
        doc: its meaning, in a line without a full stop.
    """
    highest = max(DIAMETER.values())
    tried = (1, 2, 3)  # Shallow enough to be certified by any test.
    return param(
        default, doc, low=1, high=highest, axis="optimal_depth", label="d{:02d}", tried=tried
    )


@dataclass(frozen=True, slots=True)
class CubeParams(BaseParams):
    """Params of a task about a certified state."""

    metric: Metric = param(
        "htm", "how moves are counted: htm (half turn = 1) or qtm (half turn = 2)"
    )
    depth: int = depth_param(1)

    @property
    def uses_scrambles(self) -> bool:
        """Whether items are scrambles; never, but for items of Cube Bench."""
        return False

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        check_choice("metric", self.metric, DIAMETER)
        check_range("depth", self.depth, 1, DIAMETER[self.metric])
        BaseParams.validate(self)

    def item_need(self, *, neighbours: bool = False) -> Need:
        """Return the need for the states of the items.

        Args:
            neighbours: whether the distances of their neighbours are needed as well.
        """
        return pool_need(self.metric, self.depth, neighbours=neighbours)

    def repeat_reason(self) -> str:
        """Return why items may be equal; "" where they may not."""
        return ""


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
        return Difficulty(SCRAMBLE_AXIS, found.value, found.label) if self.uses_scrambles else found

    def item_need(self, *, neighbours: bool = False) -> Need:
        """Return the need for the states of the items, distinct or scrambled."""
        return pool_need(
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


P = TypeVar("P", bound=CubeParams)
I = TypeVar("I")  # noqa: E741 - an instance, as in facelet.generators.core.task


class StateTask(Task[P, I], Generic[P, I], vocabulary=True):
    """A task whose items are made of the certified states of one pool."""

    shared_group: ClassVar[str] = (
        "rows about one state are one puzzle asked in several ways; shallow states are few"
    )

    def _certified_state(self, instance: Any) -> CertifiedState:
        """Return the state that an instance is about; its field `state` by default."""
        state: CertifiedState = instance.state
        return state

    def needs(self, params: P) -> Need:
        """Return the pool of the depth."""
        return params.item_need()

    def items_per_state(self, params: P) -> int:
        """Return how many items a state may have: `draws`, where params have it."""
        return 1 if params.uses_scrambles else getattr(params, "draws", 1)

    def repeat_reason(self, params: P) -> str:
        """Return why items may be equal."""
        return params.repeat_reason()

    def group_key(self, instance: I) -> str:
        """Return the state itself, as its facelet string.

        Other states of its family are other puzzles to a player, so a family is no group. Nor is it
        a sampling unit: a dataset of depths 1 to 3 has states of every family there is, and
        intervals over families come out two to three times too wide.
        """
        return self._certified_state(instance).facelets

    def claims(self, instance: I) -> Sequence[Claim]:
        """Return the depth of the state."""
        return depth_claims(self._certified_state(instance))
