"""Format a ladder in a few lines, with both readings of R, beside one without a method.

The R of the same model without a method comes from a file of `facelet ladder out=`, as papers on
methods print the difference. The distances to the ends of the two intervals are added as squares
(Zou and Donner 2008); where both ladders ask the same questions, the interval is somewhat too wide.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    IntervalEstimate,
    ModelLadder,
    floor_reach,
)


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


def format_ladder(found: ModelLadder, plain: BaselineLadder | None = None) -> str:
    """Return a ladder in a few lines.

    Args:
        found: the ladder.
        plain: the ladder without a method, to compare with.
    """
    levels = found.rungs
    lines = [
        f"{found.model}  {levels.config}/{levels.split}  {levels.axis} "
        f"{levels.levels[0]} to {levels.levels[-1]}"
    ]
    ended = [r for r in found.list_reached_levels() if r is not None]
    static, guess = found.static_reach(), floor_reach(levels)
    for reading in ("failed", "below"):
        runs = " ".join(f"{getattr(r, reading):g}" for r in ended)
        parts = [f"runs {runs}" if runs else "no climb has ended"]
        mean = found.mean_reach(reading)
        parts.insert(0, f"R {_format_estimate(mean)}" if mean else "R open")
        deep = found.mean_depth_reach(reading)
        if mean and deep is not None and abs(deep - mean.value) > 0.005:
            parts.append(f"in steps that count {deep:.2f}")
        apart = subtract_estimates(mean, plain.mean.get(reading)) if plain else None
        if apart:
            parts.append(f"difference from vanilla {_format_estimate(apart, '+')}")
        if static:
            parts.append(f"from accuracies {_format_estimate(static[reading])}")
        if guess:
            parts.append(f"floor {getattr(guess, reading):.3f}")
        lines.append(f"  {reading:<7} {'; '.join(parts)}")
    if tops := sum(one.end == "top" for one in found.climbs):
        lines.append(f"  {tops} of {len(found.climbs)} climbs passed the highest level there is")
    if found.due_ids:
        lines.append(f"  {len(found.due_ids)} questions are due")
    return "\n".join(lines)


def _format_estimate(one: IntervalEstimate, sign: str = "") -> str:
    if one.low is None or one.high is None:
        return f"{one.value:{sign}.2f}"
    return f"{one.value:{sign}.2f} ({one.low:{sign}.2f} to {one.high:{sign}.2f})"
