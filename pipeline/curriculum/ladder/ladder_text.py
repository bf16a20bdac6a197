"""Format a ladder in a few lines, with both readings of R."""

from __future__ import annotations

from facelet.pipeline.curriculum.ladder.ladder_difference import BaselineLadder, subtract_estimates
from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    IntervalEstimate,
    ModelLadder,
    floor_reach,
)


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
