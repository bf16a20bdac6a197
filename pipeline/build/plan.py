"""The plan: everything that decides the bytes of a dataset, worked out before any work starts.

A plan is a pure function of the settings and of the tasks' versions. Two runs with equal plan
hashes make equal bytes; where they run, on how many workers and into which folder is no part of it.

A cell is one (suite, task, params, split, difficulty). Its items are numbered from 0, and number i
is the same however many are asked for.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from facelet.generators.core import registry
from facelet.generators.core.seeding import Name
from facelet.generators.core.task import Difficulty, Need, Task
from facelet.pipeline import resources
from facelet.pipeline.config.params import read_params
from facelet.pipeline.config.settings import Entry, Settings
from facelet.pipeline.dataset.hashing import hash_value
from facelet.pipeline.dataset.rows import CANARY, SCHEMA_VERSION, row_id
from facelet.pipeline.options import check_range
from facelet.pipeline.resources import Pool, Request, World

DEFAULT_SPLIT = "test"
"""The split whose name is left out of row ids."""

MAX_ROWS = 9999
"""Room in ids for the rows of an item, where their number differs between items."""

Params = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The items of one task at one difficulty in one split.

    Attributes:
        config: name on the Hub, "<suite>.<name>".
        suite: name of the suite.
        task: name of the task.
        task_version: its version.
        params: the task's knobs, all of them, as (name, plain value) pairs.
        split: name of the split.
        difficulty: place on the task's axis.
        label: path element of row ids.
        asked: items asked for.
        rows_per_item: rows that an item becomes, or None where that differs between items.
        pool: key of the pool that the items are drawn from, or None.
    """

    config: str
    suite: str
    task: str
    task_version: int
    params: Params
    split: str
    difficulty: Difficulty
    label: str
    asked: int
    rows_per_item: int | None
    pool: str | None

    @property
    def key(self) -> str:
        """Name of the cell, the beginning of its rows' ids."""
        return f"{self.config}/{self.label}"

    @property
    def seed_names(self) -> tuple[Name, ...]:
        """Names under which the cell draws, after the root seed."""
        axis, value = self.difficulty.axis, self.difficulty.value
        return (self.task, self.task_version, self.split, axis, value)

    def make_params(self, task: Task[Any, Any]) -> Any:
        """Return the task's params record of this cell."""
        return read_params(task, dict(self.params), self.config)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the bytes of a dataset."""

    schema_version: int
    canary: str
    name: str
    profile: str
    seed: int
    splits: tuple[tuple[str, int], ...]
    cells: tuple[Cell, ...]
    pools: tuple[Pool, ...]
    compose_items: int
    compose_attempts: int
    emit_rows: int
    emit_group: int
    left_out: tuple[str, ...]

    def pool(self, key: str) -> Pool:
        """Return a pool by its key."""
        return next(pool for pool in self.pools if pool.key == key)

    def configs(self) -> dict[str, list[Cell]]:
        """Return the cells by config, both in the plan's order."""
        found: dict[str, list[Cell]] = {}
        for cell in self.cells:
            found.setdefault(cell.config, []).append(cell)
        return found

    def content(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        return dataclasses.asdict(self)

    @property
    def hash(self) -> str:
        """Hash of the plan's content."""
        return hash_value(self.content())


def make_plan(settings: Settings) -> Plan:
    """Return the plan of a build.

    Raises:
        ValueError: a task, a knob or a depth is not allowed, or two cells would share row ids.
    """
    drafts = [draft for entry in settings.entries for draft in _drafts(entry, settings)]
    left_out = [note for entry in settings.entries if (note := _left_out(entry, settings))]
    if not drafts:
        raise ValueError(f"nothing to build: {'; '.join(left_out) or 'no task was chosen'}")
    world = World(settings.seed, settings.splits, settings.table)
    requests: dict[str, list[Request]] = {}
    for _, request in drafts:
        if request is not None:
            requests.setdefault(request.need.kind, []).append(request)
    served: dict[Request, Pool] = {}
    for kind, wanted in requests.items():
        served.update(resources.provider(kind).plan(wanted, world))
    cells = [
        cell if request is None else dataclasses.replace(cell, pool=served[request].key)
        for cell, request in drafts
    ]
    _check_distinct(cells)
    return Plan(
        schema_version=SCHEMA_VERSION,
        canary=CANARY,
        name=settings.name,
        profile=settings.profile,
        seed=settings.seed,
        splits=settings.splits,
        cells=tuple(cells),
        pools=tuple(sorted(set(served.values()), key=lambda pool: pool.key)),
        compose_items=settings.stages.compose_items,
        compose_attempts=settings.stages.compose_attempts,
        emit_rows=settings.stages.emit_rows,
        emit_group=settings.stages.emit_group,
        left_out=tuple(left_out),
    )


def shares(count: int, splits: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Share out a number of items by weight; what is left over goes to the largest remainders."""
    total = sum(weight for _, weight in splits)
    whole = {name: count * weight // total for name, weight in splits}
    by_rest = sorted(splits, key=lambda split: -(count * split[1] % total))
    for name, _ in by_rest[: count - sum(whole.values())]:
        whole[name] += 1
    return whole


def _swept(entry: Entry, settings: Settings) -> list[dict[str, Any]]:
    """Return the knobs that differ between the cells of an entry."""
    if entry.depths is not None and not _has_depth(entry):
        why = "it sweeps another knob" if entry.sweep else f"{entry.task} has no depths"
        raise ValueError(f"{entry.config}.depths does nothing: {why}; leave it out")
    if len(entry.sweep) > 1:
        raise ValueError(f"{entry.config}: sweep one knob, not {sorted(entry.sweep)}")
    for name, values in entry.sweep.items():
        return [{name: value} for value in values]
    if not _has_depth(entry):
        return [{}]
    limit, _ = _depth_limit(entry, settings)
    own = settings.depths if entry.depths is None else entry.depths
    return [{"depth": depth} for depth in settings.depths if depth <= limit and depth in own]


def _has_depth(entry: Entry) -> bool:
    """Whether the key `depths` sweeps an entry."""
    fields = dataclasses.fields(registry.task(entry.task).params)
    return not entry.sweep and "depth" in {item.name for item in fields}


def _depth_limit(entry: Entry, settings: Settings) -> tuple[int, str]:
    """Return the greatest depth of an entry and the key that sets it."""
    if entry.max_depth is None:
        return settings.max_depth, "max_depth"
    key = f"{entry.config}.max_depth"
    own = check_range(key, entry.max_depth, 1)
    return min((settings.max_depth, "max_depth"), (own, key))


def _left_out(entry: Entry, settings: Settings) -> str:
    """Return which depths asked for an entry has not, in words; "" if it has them all."""
    if not _has_depth(entry):
        return ""
    limit, key = _depth_limit(entry, settings)
    notes = []
    if beyond := [depth for depth in settings.depths if depth > limit]:
        notes.append(f"depths {_ranges(beyond)} are left out ({key}={limit})")
    if entry.depths is not None:
        others = [
            depth for depth in settings.depths if depth <= limit and depth not in entry.depths
        ]
        if others:
            own = f"{entry.config}.depths={_ranges(entry.depths)}"
            notes.append(f"depths {_ranges(others)} are left out ({own})")
    return f"{entry.config}: {'; '.join(notes)}" if notes else ""


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as "1-3,7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _drafts(entry: Entry, settings: Settings) -> Iterator[tuple[Cell, Request | None]]:
    """Yield the cells of an entry, without their pools, and what each requests."""
    task = registry.task(entry.task)
    names = {item.name for item in dataclasses.fields(task.params)}
    common = {"metric": settings.metric} if "metric" in names else {}
    count = settings.count * check_range(f"{entry.config}.times", entry.times, 1)
    if entry.count is not None:
        count = check_range(f"{entry.config}.count", entry.count, 1)
    parts = shares(count, settings.splits)
    for knobs in _swept(entry, settings):
        params = read_params(task, {**common, **entry.params, **knobs}, entry.config)
        difficulty = params.difficulty()
        need: Need | None = task.needs(params)
        for split, asked in parts.items():
            if not asked:
                continue
            label = difficulty.label if split == DEFAULT_SPLIT else f"{split}-{difficulty.label}"
            rows_per_item = task.rows_per_item(params)
            if rows_per_item is None:
                row_id(entry.config, label, asked, MAX_ROWS)
            else:
                row_id(entry.config, label, asked * rows_per_item)
            cell = Cell(
                config=entry.config,
                suite=entry.suite,
                task=task.name,
                task_version=task.version,
                params=tuple(
                    (item.name, getattr(params, item.name)) for item in dataclasses.fields(params)
                ),
                split=split,
                difficulty=difficulty,
                label=label,
                asked=asked,
                rows_per_item=rows_per_item,
                pool=None,
            )
            yield cell, None if need is None else Request(need, split, asked)


def _check_distinct(cells: Sequence[Cell]) -> None:
    """Raise ValueError if two cells would give rows the same id."""
    seen: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        other = seen.setdefault((cell.config, cell.label), cell)
        if other is not cell:
            raise ValueError(
                f"{cell.config} would have two cells {cell.label!r}: {dict(other.params)} and "
                f"{dict(cell.params)}; give one of them an entry of its own in the suite"
            )


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return in words where the contents of two plans differ."""
    found: list[str] = []
    for key in sorted(new.keys() | old.keys()):
        if key in ("cells", "pools", "left_out") or old.get(key) == new.get(key):
            continue
        found.append(f"{key} was {old.get(key)!r}, is {new.get(key)!r}")
    olds, news = (_by_config(content.get("cells", ())) for content in (old, new))
    found += _named("it holds", [name for name in olds if name not in news])
    found += _named("asked for are", [name for name in news if name not in olds])
    # Cells of configs that both have: a config that only one has is told by its name.
    before = [line for name, lines in olds.items() if name in news for line in lines]
    after = [line for name, lines in news.items() if name in olds for line in lines]
    changed = [line for line in difflib.ndiff(before, after) if line[:1] in "+-"]
    found += [f"{'now' if line[0] == '+' else 'before'} {line[2:]}" for line in changed[:4]]
    if len(changed) > 4:
        found.append(f"and {len(changed) - 4} more")
    return "; ".join(found) or "the pools differ"


def _by_config(cells: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return one line a cell, by config."""
    lines: dict[str, list[str]] = {}
    for cell in cells:
        lines.setdefault(cell["config"], []).append(
            f"{cell['config']}/{cell['label']} ({cell['task']} version {cell['task_version']}, "
            f"{cell['asked']} items, {dict(cell['params'])})"
        )
    return lines


def _named(what: str, names: Sequence[str]) -> list[str]:
    """Return the first three names in words, if there are any."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"{what} {', '.join(names[:3])}{more}"] if names else []
