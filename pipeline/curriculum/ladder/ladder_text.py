"""Telling: a ladder in a few lines, by both readings of R."""

from __future__ import annotations

from facelet.pipeline.ladder.differing import Vanilla, difference
from facelet.pipeline.ladder.ladders import Estimate, Ladder, floor


def told(found: Ladder, plain: Vanilla | None = None) -> str:
    """Return a ladder in a few lines.

    Args:
        found: the ladder.
        plain: the ladder without a method that it is compared with.
    """
    levels = found.rungs
    lines = [
        f"{found.model}  {levels.config}/{levels.split}  {levels.axis} "
        f"{levels.levels[0]} to {levels.levels[-1]}"
    ]
    ended = [r for r in found.reached() if r is not None]
    static, guess = found.static(), floor(levels)
    for reading in ("failed", "below"):
        runs = " ".join(f"{getattr(r, reading):g}" for r in ended)
        parts = [f"runs {runs}" if runs else "no climb has ended"]
        mean = found.mean(reading)
        parts.insert(0, f"R {_spelled(mean)}" if mean else "R open")
        deep = found.deep(reading)
        if mean and deep is not None and abs(deep - mean.value) > 0.005:
            parts.append(f"in steps that count {deep:.2f}")
        apart = difference(mean, plain.mean.get(reading)) if plain else None
        if apart:
            parts.append(f"difference from vanilla {_spelled(apart, '+')}")
        if static:
            parts.append(f"from accuracies {_spelled(static[reading])}")
        if guess:
            parts.append(f"floor {getattr(guess, reading):.3f}")
        lines.append(f"  {reading:<7} {'; '.join(parts)}")
    tops = sum(one.end == "top" for one in found.climbs)
    if tops:
        lines.append(f"  {tops} of {len(found.climbs)} climbs passed the highest level there is")
    if found.missing:
        lines.append(f"  {len(found.missing)} questions are due")
    return "\n".join(lines)


def _spelled(one: Estimate, sign: str = "") -> str:
    if one.low is None or one.high is None:
        return f"{one.value:{sign}.2f}"
    return f"{one.value:{sign}.2f} ({one.low:{sign}.2f} to {one.high:{sign}.2f})"
