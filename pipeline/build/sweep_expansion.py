"""Expand an entry of a suite into cells: the values of the param that it sweeps.

Either the entry lists the values, or the task has a param that the command line sweeps, such as
`depth`: then the cells are the requested values, without those that the entry leaves out. The items
of each cell are allocated to the splits by weight.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.argument_text import check_range
from facelet.pipeline.config.build_settings import ParamRange, SuiteTask
from facelet.pipeline.config.setting_precedence import ResolvedEntry
from facelet.pipeline.family_modules import AnyTask


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The cells of an entry.

    Attributes:
        cells: for each cell, the params in which it differs from the others, with their values.
        items: by split, the items of each cell.
        left_out: in words, the requested values and the splits that have no cell.
    """

    cells: tuple[Mapping[str, object], ...]
    items: Mapping[str, int]
    left_out: tuple[str, ...] = ()


def expand_sweep(
    resolved: ResolvedEntry, task: AnyTask, count: int, splits: Sequence[tuple[str, int]]
) -> SweepResult:
    """Return the cells of an entry.

    Args:
        resolved: the entry, with the ranges of the params that every task with them sweeps.
        task: its task.
        count: items of a cell that the build requests, over all splits.
        splits: names and weights of the splits.

    Raises:
        ValueError: several params would be swept, a key of the entry has no effect, or a number is
            out of range.
    """
    entry, asked = resolved.entry, resolved.ranges
    params = {item.name for item in dataclasses.fields(task.params)}
    chosen = [] if entry.sweep else [k for k in asked if k in params and k not in entry.params]
    for param, own in entry.ranges.items():
        if own != ParamRange() and param not in chosen:
            _refuse_unused_range(entry, param, own)
    names = list(entry.sweep) or [k for k in chosen if _select_values(entry, k, asked) is not None]
    if len(names) > 1:
        raise ValueError(
            f"{entry.config_name}: sweep one param, not {sorted(names)}; fix the others"
        )
    notes: list[str] = []
    cells: list[Mapping[str, object]] = [{}]
    if entry.sweep:
        cells = [{names[0]: value} for value in entry.sweep[names[0]]]
    elif names:
        values, notes = _limit_values(entry, names[0], asked)
        cells = [{names[0]: value} for value in values]
    items = allocate_by_weight(_count_items(entry, count), splits)
    notes += [
        f"{entry.config_name}: split {split} gets none of so few items; raise count, or its weight"
        for split, own_items in items.items()
        if not own_items
    ]
    return SweepResult(tuple(cells), items, tuple(notes))


def _count_items(entry: SuiteTask, count: int) -> int:
    """Return how many items an entry requests in each cell, all splits together."""
    if entry.count is not None:
        return check_range(f"{entry.config_name}.count", entry.count, 1)
    if not 0 < entry.times < math.inf:
        raise ValueError(
            f"{entry.config_name}.times={entry.times} is out of range; use more than 0, such as 0.5"
        )
    if count <= entry.few:
        return 1
    # Rounded to nine places first, since 100 * 0.16 is a little more than 16.
    return max(1, math.ceil(round(count * entry.times, 9)))


def _refuse_unused_range(entry: SuiteTask, param: str, own: ParamRange) -> None:
    """Raise ValueError about a range that bounds nothing."""
    key = f"{param}s" if own.values is not None else f"max_{param}"
    key = f"usual_{param}s" if own.default_values is not None else key
    if entry.sweep:
        why = "it sweeps another param" if param not in entry.sweep else f"it sweeps {param} itself"
    elif param in entry.params:
        why = f"params.{param} fixes it"
    else:
        why = f"{entry.task} has no {param}s"
    raise ValueError(f"{entry.config_name}.{key} does nothing: {why}; leave it out")


def _select_values(
    entry: SuiteTask, param: str, asked: Mapping[str, ParamRange]
) -> tuple[int, ...] | None:
    """Return the values of a param that are asked for; None where nobody says any."""
    everywhere = asked[param].values
    own = entry.ranges.get(param, ParamRange())
    return (own.values or own.default_values) if everywhere is None else everywhere


def _limit_values(
    entry: SuiteTask, param: str, asked: Mapping[str, ParamRange]
) -> tuple[list[int], list[str]]:
    """Return the requested values within the entry's range, and a note about the others."""
    values = _select_values(entry, param, asked) or ()
    own = entry.ranges.get(param, ParamRange())
    limits = [(asked[param].limit, f"max_{param}"), (own.limit, f"{entry.config_name}.max_{param}")]
    known = [(check_range(key, limit, 1), key) for limit, key in limits if limit is not None]
    limit, key = min(known, default=(max(values, default=0), ""))
    notes = []
    if beyond := [value for value in values if value > limit]:
        notes.append(f"{param}s {_format_ranges(beyond)} are left out ({key}={limit})")
    inside = [value for value in values if value <= limit]
    if own.values is not None and (others := [v for v in inside if v not in own.values]):
        allowed = f"{entry.config_name}.{param}s={_format_ranges(own.values)}"
        notes.append(f"{param}s {_format_ranges(others)} are left out ({allowed})")
        inside = [value for value in inside if value in own.values]
    return inside, [f"{entry.config_name}: {'; '.join(notes)}"] if notes else []


def _format_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as "1-3,7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def allocate_by_weight(count: int, splits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Share out a number of items by weight; what is left over goes to the largest remainders."""
    total = sum(weight for _, weight in splits)
    whole = {name: count * weight // total for name, weight in splits}
    by_rest = sorted(splits, key=lambda split: -(count * split[1] % total))
    for name, _ in by_rest[: count - sum(whole.values())]:
        whole[name] += 1
    return whole
