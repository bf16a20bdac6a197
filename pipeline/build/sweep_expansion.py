"""Sweeping: the values of one param that an entry of a suite makes a cell of each.

Either the entry names them itself (`sweep`), or the task has a param that the command line sweeps,
such as `depth`: then the cells are the values asked for, without those that the entry leaves out.
The items of each are shared out to the splits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.config.settings import Entry, Range
from facelet.pipeline.families import AnyTask
from facelet.pipeline.words import check_range


@dataclass(frozen=True, slots=True)
class Swept:
    """What the cells of an entry differ in.

    Attributes:
        cells: for each cell, the params that are its own with their values.
        left_out: which values asked for have no cell, in words; "" if none.
    """

    cells: tuple[Mapping[str, object], ...]
    left_out: str = ""


def sweep(entry: Entry, task: AnyTask, asked: Mapping[str, Range]) -> Swept:
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
        if own != Range() and param not in chosen:
            _refuse(entry, param, own)
    names = list(entry.sweep) or [k for k in chosen if _values(entry, k, asked) is not None]
    if len(names) > 1:
        raise ValueError(f"{entry.config}: sweep one param, not {sorted(names)}; fix the others")
    if not names:
        return Swept(({},))
    if entry.sweep:
        return Swept(tuple({names[0]: value} for value in entry.sweep[names[0]]))
    return _within(entry, names[0], asked)


def _refuse(entry: Entry, param: str, own: Range) -> None:
    """Raise ValueError about a range that bounds nothing."""
    key = f"{param}s" if own.values is not None else f"max_{param}"
    key = f"usual_{param}s" if own.usual is not None else key
    if entry.sweep:
        why = "it sweeps another param" if param not in entry.sweep else f"it sweeps {param} itself"
    elif param in entry.params:
        why = f"params.{param} fixes it"
    else:
        why = f"{entry.task} has no {param}s"
    raise ValueError(f"{entry.config}.{key} does nothing: {why}; leave it out")


def _values(entry: Entry, param: str, asked: Mapping[str, Range]) -> tuple[int, ...] | None:
    """Return the values of a param that are asked for; None where nobody says any."""
    everywhere = asked[param].values
    own = entry.ranges.get(param, Range())
    return (own.values or own.usual) if everywhere is None else everywhere


def _within(entry: Entry, param: str, asked: Mapping[str, Range]) -> Swept:
    """Return the cells of the values that are asked for and within the entry's range."""
    values = _values(entry, param, asked) or ()
    own = entry.ranges.get(param, Range())
    limits = [(asked[param].limit, f"max_{param}"), (own.limit, f"{entry.config}.max_{param}")]
    known = [(check_range(key, limit, 1), key) for limit, key in limits if limit is not None]
    limit, key = min(known, default=(max(values, default=0), ""))
    notes = []
    if beyond := [value for value in values if value > limit]:
        notes.append(f"{param}s {_ranges(beyond)} are left out ({key}={limit})")
    inside = [value for value in values if value <= limit]
    if own.values is not None and (others := [v for v in inside if v not in own.values]):
        said = f"{entry.config}.{param}s={_ranges(own.values)}"
        notes.append(f"{param}s {_ranges(others)} are left out ({said})")
        inside = [value for value in inside if value in own.values]
    note = f"{entry.config}: {'; '.join(notes)}" if notes else ""
    return Swept(tuple({param: value} for value in inside), note)


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as "1-3,7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def shares(count: int, splits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Share out a number of items by weight; what is left over goes to the largest remainders."""
    total = sum(weight for _, weight in splits)
    whole = {name: count * weight // total for name, weight in splits}
    by_rest = sorted(splits, key=lambda split: -(count * split[1] % total))
    for name, _ in by_rest[: count - sum(whole.values())]:
        whole[name] += 1
    return whole
