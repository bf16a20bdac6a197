"""Subtract the R of the same model without a method, as papers on methods print it.

The R without the method comes from a file of `facelet ladder out=`. The distances to the ends of
the two intervals are added as squares (Zou and Donner 2008); where both ladders ask the same
questions, the interval is somewhat too wide.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.curriculum.ladder.prediction_ladders import IntervalEstimate, ModelLadder


@dataclass(frozen=True, slots=True)
class BaselineLadder:
    """The mean R of a written ladder.

    Attributes:
        model: name of the model.
        config: the config.
        levels: the lowest and the highest level.
        mean: by reading, R; None where it was open.
    """

    model: str
    config: str
    levels: tuple[int, int]
    mean: dict[str, IntervalEstimate | None]


def read_baseline_ladders(path: Path) -> list[BaselineLadder]:
    """Return the ladders of a file.

    Raises:
        ValueError: the file is missing, or has no ladders.
    """
    try:
        return [
            BaselineLadder(
                one["model"],
                one["config"],
                (one["levels"][0], one["levels"][1]),
                {name: value and IntervalEstimate(**value) for name, value in one["mean"].items()},
            )
            for one in json.loads(path.read_text(encoding="utf-8"))
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(
            f"vanilla={path} holds no ladders; name a file that `facelet ladder out=` wrote"
        ) from error


def find_baseline(found: ModelLadder, known: Sequence[BaselineLadder]) -> BaselineLadder:
    """Return the ladder without the method, of the same config, levels and model.

    If a config has only one, its model may have another name.

    Raises:
        ValueError: there is none.
    """
    levels = (found.rungs.levels[0], found.rungs.levels[-1])
    same = [one for one in known if (one.config, one.levels) == (found.rungs.config, levels)]
    named = [one for one in same if one.model == found.model] or same
    if len(named) != 1:
        raise ValueError(
            f"vanilla= has {len(named)} ladders of {found.rungs.config}, levels {levels[0]} to "
            f"{levels[1]}, that {found.model} could be compared with; one is needed"
        )
    return named[0]


def subtract_estimates(
    with_it: IntervalEstimate | None, without_it: IntervalEstimate | None
) -> IntervalEstimate | None:
    """Return the difference of two values of R; None where one of them is open."""
    if with_it is None or without_it is None:
        return None
    value = with_it.value - without_it.value
    ends = (with_it.low, with_it.high, without_it.low, without_it.high)
    low, high, other_low, other_high = ends
    if low is None or high is None or other_low is None or other_high is None:
        return IntervalEstimate(value, None, None)
    below = math.hypot(with_it.value - low, other_high - without_it.value)
    above = math.hypot(high - with_it.value, without_it.value - other_low)
    return IntervalEstimate(value, value - below, value + above)
