"""Depths: the difficulty of a cube task is the optimal depth of its state, in either metric.

`CubeParams` is the base of the params of every cube task: it holds the metric and the depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facelet.generators.core.params import BaseParams, check_choice, check_range, param
from facelet.generators.core.task import Difficulty
from facelet.generators.cube.engine.turn_metrics import DIAMETER, Metric

AXIS = "optimal_depth"
_LABEL = "d{:02d}"


def depth_param(default: int, doc: str = "optimal depth of the state; at most 20 in htm") -> Any:
    """Return the field of params that holds the depth.

    Args:
        default: the depth.
        doc: its meaning, in a line without a full stop.
    """
    highest = max(DIAMETER.values())
    tried = (1, 2, 3)  # Shallow enough to be certified by any test.
    return param(default, doc, low=1, high=highest, axis=AXIS, label=_LABEL, tried=tried)


@dataclass(frozen=True, slots=True)
class CubeParams(BaseParams):
    """Params of a task about a certified state."""

    metric: Metric = param(
        "htm", "how moves are counted: htm (half turn = 1) or qtm (half turn = 2)"
    )
    depth: int = depth_param(1)

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        check_depth(self.metric, self.depth)
        BaseParams.validate(self)


def check_depth(metric: Metric, depth: int) -> None:
    """Raise ValueError unless the metric is known and has states of this depth."""
    check_choice("metric", metric, DIAMETER)
    check_range("depth", depth, 1, DIAMETER[metric])


def depth_difficulty(depth: int) -> Difficulty:
    """Return the place of a depth on the axis "optimal_depth", labelled as in "d07"."""
    return Difficulty(AXIS, depth, _LABEL.format(depth))
