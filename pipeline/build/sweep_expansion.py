"""Sweeping: the values of one param that an entry of a suite makes a cell of each.

Either the entry names them itself (`expand_sweep`), or the task has a param that the command line
sweeps, such as `depth`: then the cells are the values asked for, without those that the entry
leaves out. The items of each are shared out to the splits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.argument_text import check_range
from facelet.pipeline.config.build_settings import ParamRange, SuiteTask
from facelet.pipeline.family_modules import AnyTask


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What the cells of an entry differ in.

    Attributes:
        cells: for each cell, the params that are its own with their values.
        left_out: which values asked for have no cell, in words; "" if none.
    """

    cells: tuple[Mapping[str, object], ...]
    left_out: str = ""


def expand_sweep(entry: SuiteTask, task: AnyTask, asked: Mapping[str, ParamRange]) -> SweepResult:
    """Return the cells of an entry.

    Args:
        entry: the entry.
        task: its task.
        asked: what is asked for of the params that are swept in every task that has them.

    Raises:
        ValueError: several params would be swept, or a key of the entry does nothing.
    """
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
    if not names:
        return SweepResult(({},))
    if entry.sweep:
        return SweepResult(tuple({names[0]: value} for value in entry.sweep[names[0]]))
    return _limit_cells(entry, names[0], asked)


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


def _limit_cells(entry: SuiteTask, param: str, asked: Mapping[str, ParamRange]) -> SweepResult:
    """Return the cells of the values that are asked for and within the entry's range."""
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
        said = f"{entry.config_name}.{param}s={_format_ranges(own.values)}"
        notes.append(f"{param}s {_format_ranges(others)} are left out ({said})")
        inside = [value for value in inside if value in own.values]
    note = f"{entry.config_name}: {'; '.join(notes)}" if notes else ""
    return SweepResult(tuple({param: value} for value in inside), note)


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
