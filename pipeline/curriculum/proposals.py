"""Proposing: from the accuracies of a model at each level of a config to the rows to build next.

Four rules; the first three as published:

    curriculum  one level: one more than the highest that the model can do at all (DOWN) if it wins
                more than UP of it, that level itself if it wins less, and one less than the lowest
                where it can do none (C.1)
    capability  the levels around the one at which it wins half of what guessing leaves: those of
                the fitted curve's interval, or the ones beyond where nothing bounds it (C.2)
    failures    the levels that were asked, each with rows in proportion to what failed there (C.3)
    siblings    the hardest level that the model wins more than UP of, with one param a step harder,
                once for each param that has such steps, and once with all of them

Levels stay inside the task's own bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from facelet.pipeline.build.sweep_expansion import allocate_by_weight
from facelet.pipeline.curriculum.psychometric_fit import FittedCurve, LevelResult, fit_curve

Rule = Literal["curriculum", "capability", "failures", "siblings"]

PROMOTE_ABOVE, DEMOTE_BELOW = 0.9, 0.1
"""Win rates above and below which a curriculum moves (C.1)."""
EXTRA_LEVELS = 3
"""Levels that are tried where the answers do not bound the capability."""
MAX_LEVELS = 5
"""Levels of an interval that are tried; of more, so many are spread over it."""


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """A model's results on a config.

    Attributes:
        config: name of the config.
        level_results: results at each level with answers, ascending.
        low: the task's lowest level.
        high: its highest level; None for no bound.
        steps: params that make its puzzles harder at the same level, each with its next value.
    """

    config: str
    level_results: tuple[LevelResult, ...]
    low: int
    high: int | None
    steps: Mapping[str, object] = field(default_factory=dict)

    def clamp_level(self, level: int) -> int:
        """Return the nearest level that the task has."""
        least = max(self.low, level)
        return least if self.high is None else min(least, self.high)


@dataclass(frozen=True, slots=True)
class LevelProposal:
    """The rows to build of a config.

    Attributes:
        config: name of the config.
        counts: rows by level, ascending.
        why: the reason, in words.
        fit: the fitted curve, by the rule that fits one.
        params: params that differ from the config's.
    """

    config: str
    counts: Mapping[int, int]
    why: str
    fit: FittedCurve | None = None
    params: Mapping[str, object] = field(default_factory=dict)


def propose_curriculum(result: ConfigResult, count: int) -> LevelProposal:
    """Return the level to train on next.

    Args:
        result: the model's results.
        count: rows of the level.
    """
    able = [
        one
        for one in result.level_results
        if one.accuracy_above_guess >= DEMOTE_BELOW and one.beats_guessing
    ]
    if not able:
        first = result.level_results[0]
        level, why = first.level - 1, f"below {DEMOTE_BELOW:.0%} at every level"
        if any(one.guess for one in result.level_results):
            why += ", or no more than may be won without looking"
    else:
        last = able[-1]
        up = last.accuracy_above_guess > PROMOTE_ABOVE
        level = last.level + up
        why = f"{last.accuracy:.0%} at level {last.level}"
        if last.guess:
            why += f", {last.accuracy_above_guess:.0%} of what is not won without looking"
    if (inside := result.clamp_level(level)) != level:
        why += f"; there is no level {level}"
    return LevelProposal(result.config, {inside: count}, why)


def propose_capability(result: ConfigResult, count: int) -> LevelProposal:
    """Return the levels that best locate the model's limit.

    Args:
        result: the model's results.
        count: rows of each level.
    """
    found = fit_curve(result.level_results)
    first, last = result.level_results[0].level, result.level_results[-1].level
    if found.low is None and found.high is None:
        levels = range(first - 1, last + 2)
    elif found.high is None:
        levels = range(last + 1, last + EXTRA_LEVELS + 1)
    elif found.low is None:
        levels = range(first - EXTRA_LEVELS, first)
    else:
        levels = range(math.floor(found.low), math.ceil(found.high) + 1)
    kept = sorted({result.clamp_level(level) for level in _spread_levels(levels)})
    low, high = (
        "open" if end is None else f"{max(end, result.low):.1f}" for end in (found.low, found.high)
    )
    why = f"half is won at level {found.threshold:.1f}, interval {low} to {high}"
    if found.high is None and found.low is not None:
        why = f"half is won beyond level {found.low:.1f}; no upper end is seen"
    if found.low is None and found.high is not None:
        why = f"half is won below level {found.high:.1f}; no lower end is seen"
    return LevelProposal(result.config, dict.fromkeys(kept, count), why, found)


def propose_siblings(result: ConfigResult, count: int) -> list[LevelProposal]:
    """Return harder siblings of the hardest solved level; none where no level is solved.

    Args:
        result: the model's results.
        count: rows of each sibling.
    """
    solved = [
        one
        for one in result.level_results
        if one.accuracy_above_guess > PROMOTE_ABOVE and one.beats_guessing
    ]
    if not solved:
        return []
    last = solved[-1]
    mixes = [{name: value} for name, value in result.steps.items()]
    mixes += [dict(result.steps)] if len(mixes) > 1 else []
    why = f"{last.accuracy:.0%} at level {last.level}"
    return [
        LevelProposal(
            result.config, {last.level: count}, f"{why}, so with {_format_params(mix)}", params=mix
        )
        for mix in mixes
    ]


def _format_params(mix: Mapping[str, object]) -> str:
    """Return changed params in words."""
    return " and ".join(f"{name}={str(value).lower()}" for name, value in mix.items())


def propose_failures(results: Sequence[ConfigResult], count: int) -> list[LevelProposal]:
    """Return the asked levels, with more rows where more answers failed.

    The failure rate includes half a failure and half a success more (Jeffreys), so a level without
    failures keeps a few rows.

    Args:
        results: the model's results on each config.
        count: mean rows of a level; their sum is count times the number of levels.
    """
    rates = {
        f"{result.config} {one.level}": (one.total - one.right + 0.5) / (one.total + 1)
        for result in results
        for one in result.level_results
    }
    dealt = allocate_by_weight(
        count * len(rates), [(name, round(1e9 * rate)) for name, rate in rates.items()]
    )
    found = []
    for result in results:
        counts = {
            one.level: dealt[f"{result.config} {one.level}"]
            for one in result.level_results
            if dealt[f"{result.config} {one.level}"]
        }
        failed = sum(one.total - one.right for one in result.level_results)
        total = sum(one.total for one in result.level_results)
        why = f"{failed:g} of {total:g} failed"
        if counts:
            found.append(LevelProposal(result.config, counts, why))
    return found


def count_all_wins(results: Sequence[ConfigResult]) -> list[ConfigResult]:
    """Return results of which all wins count, not only those above guessing (C.1)."""
    return [
        replace(one, level_results=tuple(replace(each, guess=0.0) for each in one.level_results))
        for one in results
    ]


def propose_levels(results: Sequence[ConfigResult], rule: Rule, count: int) -> list[LevelProposal]:
    """Return the rows to build next.

    Args:
        results: the model's results on each config.
        rule: the rule.
        count: rows of a level.
    """
    if rule == "failures":
        return propose_failures(results, count)
    if rule == "siblings":
        return [found for result in results for found in propose_siblings(result, count)]
    one = propose_curriculum if rule == "curriculum" else propose_capability
    return [one(result, count) for result in results]


def _spread_levels(levels: range) -> list[int]:
    """Return at most MAX_LEVELS of some levels, both ends among them."""
    if len(levels) <= MAX_LEVELS:
        return list(levels)
    step = (len(levels) - 1) / (MAX_LEVELS - 1)
    return [levels[round(place * step)] for place in range(MAX_LEVELS)]
