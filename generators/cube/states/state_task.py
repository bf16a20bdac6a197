"""Base of the tasks about one certified state: its pool, its group, its claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from facelet.generators.core.task import Claim, Need, Task
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import CertifiedState
from facelet.generators.cube.states.cube_params import CubeParams

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
        return certified_states.depth_claims(self._certified_state(instance))
