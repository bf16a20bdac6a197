"""Depths: the difficulty of a cube task is the optimal depth of its state, in either metric."""

from __future__ import annotations

from facelet.generators.core.params import check_choice, check_range
from facelet.generators.core.task import Difficulty
from facelet.generators.cube.engine.metrics import DIAMETER, Metric

AXIS = "optimal_depth"


def check(metric: Metric, depth: int) -> None:
    """Raise ValueError unless the metric is known and has states of this depth."""
    check_choice("metric", metric, DIAMETER)
    check_range("depth", depth, 1, DIAMETER[metric])


def difficulty(depth: int) -> Difficulty:
    """Return the place of a depth on the axis "optimal_depth", labelled as in "d07"."""
    return Difficulty(AXIS, depth, f"d{depth:02d}")
