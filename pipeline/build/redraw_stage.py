"""Redraw items that repeat another item of their split.

What is drawn by chance repeats by chance, and the more rows a build has, the surer. Of items that
share a key (facelet.pipeline.build.compose_stage.row_keys) the one with the lowest number stands,
of equal numbers that of the first level; the others take the first later attempt whose keys no item
before them has. So an item is the same however many follow it, and where nothing repeats nothing
changes.

Keys are compared by ranges, so that memory is bounded whatever the number of rows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from facelet.pipeline.build.build_folder import (
    INTERMEDIATE_SUFFIX,
    WORK,
    CompletionRecord,
    ShardContent,
    read_table,
)
from facelet.pipeline.build.compose_stage import (
    KEYS,
    ComposedSplit,
    ComposeJob,
    row_keys,
    scene_class_name,
)
from facelet.pipeline.build.job_runner import StageRunner
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.row_columns import arrow_schema
from facelet.pipeline.spill_sort import SpillSorter, split_ranges

RANGE = 1 << 19
"""Keys that are compared at once, on average: some 30 MB, sorting included."""

TRIES = 1000
"""Later draws of an item that are tried; then it stays as it is, and the audit says so."""


@dataclass(frozen=True, slots=True)
class RedrawJob:
    """The composed rows of one split of a config.

    Attributes:
        config: name of the config.
        split: name of the split.
        parts: the jobs that composed them and the records, in order.
    """

    config: str
    split: str
    parts: tuple[tuple[ComposeJob, CompletionRecord], ...]

    @property
    def key(self) -> str:
        """Config and split."""
        return f"{self.config}/{self.split}"

    @property
    def path(self) -> str:
        """A file of the work folder."""
        return f"{WORK}/mend/{self.key}{INTERMEDIATE_SUFFIX}"

    @property
    def sources(self) -> tuple[str, ...]:
        """Those of the composed rows, and this."""
        return (
            *self.parts[0][0].sources,
            "facelet.pipeline.build.redraw_stage",
            "facelet.pipeline.spill_sort",
        )

    @property
    def cost(self) -> float:
        """Number of rows, each of which is compared and few of which are made."""
        return sum(record.rows for _, record in self.parts) / 100

    def list_hashed_inputs(self) -> object:
        """Return the files of the rows, and what decides other draws."""
        return [[job.list_hashed_inputs(), record.sha256] for job, record in self.parts]

    def build_shard(self, out: Path) -> ShardContent:
        """Return the rows that take the place of others; `about` says of which.

        Raises:
            ValueError: every draw of an item was rejected.
        """
        task = self.parts[0][0].task
        table = ComposedRows(out, self.parts)
        drawn = redraw_items(table)
        rows: list[dict[str, Any]] = []
        scenes: set[str] = set()
        places: list[tuple[str, int]] = []
        name = floor_record.find_chance_column(task)
        more: dict[str, list[float]] = defaultdict(list)
        for priority in sorted(drawn, key=lambda one: (one % table.level_count, one)):
            job, place = table.find_item(priority)
            row, shown = drawn[priority]
            rows.append(row)
            places.append((job.key, place))
            scenes.update(shown)
            if name is not None:
                more[job.cell.key] += [row[name], -table.read_value(job, place, name)]
        made = pa.Table.from_pylist(rows, schema=arrow_schema(task.columns, drawn=False))
        changed = {key: math.fsum(values) for key, values in more.items()}
        return ShardContent(
            made,
            about={"scenes": sorted(scenes), "redrawn": places, "chances": changed},
        )


@dataclass(eq=False)
class ComposedRows:
    """Composed rows and their keys, read as they are needed.

    An item's priority is its number times the number of levels, plus its level's place.

    Attributes:
        out: the dataset folder.
        parts: the jobs that composed the rows and the records.
    """

    out: Path
    parts: Sequence[tuple[ComposeJob, CompletionRecord]]

    @cached_property
    def level_places(self) -> dict[str, int]:
        """The levels' places by the key of their cell."""
        names = dict.fromkeys(job.cell.key for job, _ in self.parts)
        return {name: place for place, name in enumerate(names)}

    @property
    def level_count(self) -> int:
        """Number of levels."""
        return len(self.level_places)

    @cached_property
    def key_records(self) -> SpillSorter:
        """(keys, 2): the keys, and the priorities of their items."""
        found = SpillSorter(2)
        for job, record in self.parts:
            lists = read_table(self.out, record, [KEYS]).column(0).combine_chunks()
            counts = np.asarray(lists.value_lengths(), dtype=np.int64)
            first = job.first_number * self.level_count + self.level_places[job.cell.key]
            items = first + np.arange(len(counts)) * self.level_count
            own = np.asarray(lists.flatten(), dtype=np.int64)
            found.add(np.column_stack([own, np.repeat(items, counts)]).tobytes())
        return found

    def find_shared_keys(self, most: int = 0) -> dict[int, list[int]]:
        """Return the keys that several items have, with the priorities of these, ascending.

        Args:
            most: keys that are compared at once, on average; 0 for RANGE.
        """
        again: dict[int, list[int]] = {}
        for one in split_ranges([self.key_records], most or RANGE):
            if not (chunks := list(one.iterate_chunks())):
                continue
            every, of = np.concatenate(chunks).view(np.int64).T
            order = np.lexsort((of, every))
            every, of = every[order], of[order]
            same = np.flatnonzero((every[1:] == every[:-1]) & (of[1:] != of[:-1]))
            for place in same.tolist():
                holders = again.setdefault(int(every[place]), [int(of[place])])
                holders.append(int(of[place + 1]))
        return again

    def find_key_holders(self, wanted: Sequence[int]) -> dict[int, list[int]]:
        """Return the priorities of the items that have some keys, by key."""
        asked = np.unique(np.array(wanted, dtype=np.int64))
        found: dict[int, list[int]] = {key: [] for key in wanted}
        for both in self.key_records.iterate_blocks():
            own, mine = both.view(np.int64).T
            inside = np.isin(own, asked)
            for key, item in zip(own[inside].tolist(), mine[inside].tolist(), strict=True):
                found[key].append(item)
        return found

    def find_item(self, priority: int) -> tuple[ComposeJob, int]:
        """Return the job that composed an item, and the place of its row there."""
        index, level = divmod(priority, self.level_count)
        for job, _ in self.parts:
            if self.level_places[job.cell.key] == level and job.first_number <= index < job.stop:
                return job, index - job.first_number
        raise AssertionError(f"no item {index} of level {level}")

    def read_value(self, job: ComposeJob, place: int, name: str) -> Any:
        """Return a value of a composed row.

        Args:
            job: the job that composed it.
            place: its place there.
            name: the column.
        """
        record = next(record for own, record in self.parts if own.key == job.key)
        return read_table(self.out, record, [name])[name][place].as_py()


Row = tuple[dict[str, Any], list[str]]
"""A composed row, and the classes of its scenes."""


def redraw_items(composed: ComposedRows) -> Mapping[int, Row]:
    """Return the rows of items that are drawn anew, by priority.

    Args:
        composed: all rows.

    Raises:
        ValueError: every draw of an item was rejected.
    """
    groups = composed.find_shared_keys()
    suspected: dict[int, set[int]] = defaultdict(set)
    for key, holders in groups.items():
        for item in holders[1:]:
            suspected[item].add(key)
    waiting = list(suspected)
    heapify(waiting)
    known: dict[int, list[int]] = dict(groups)
    drawn: dict[int, Row] = {}
    taken: dict[int, int] = {}  # keys of rows drawn anew, by whom

    def is_key_free(key: int, item: int) -> bool:
        """Return whether no item before this one has a key."""
        if taken.get(key, item) != item:
            return False
        return not any(other < item and other not in drawn for other in known[key])

    settled: set[int] = set()
    ahead = {item: next(_iterate_redraws(composed, item)) for item in waiting}
    known |= composed.find_key_holders(
        sorted({key for _, own in ahead.values() for key in own} - known.keys())
    )
    while waiting:
        item = heappop(waiting)
        if item in settled or all(is_key_free(key, item) for key in suspected[item]):
            continue
        settled.add(item)
        for row, own in _iterate_redraws(composed, item):
            if new := [key for key in own if key not in known]:
                known |= composed.find_key_holders(new)
            if not all(is_key_free(key, item) for key in own):
                continue
            drawn[item] = row
            for key in own:
                taken[key] = item
                for other in known[key]:
                    if other > item:
                        suspected[other].add(key)
                        heappush(waiting, other)
            break
    return drawn


def _iterate_redraws(composed: ComposedRows, item: int) -> Iterator[tuple[Row, list[int]]]:
    """Yield the later draws of an item, with their keys."""
    job, place = composed.find_item(item)
    said = composed.read_value(job, place, "provenance")
    attempt = int(said["attempt"])
    for _ in range(TRIES):
        wanted = [(job.first_number + place, attempt + 1)]
        for row, scenes in job.iterate_rows(composed.out, wanted):
            attempt = int(row["provenance"]["attempt"])
            shown = [scene_class_name(type(scene)) for scene in scenes]
            yield (row, shown), row_keys(job.task, row)


def redraw_repeats(stages: StageRunner, splits: Sequence[ComposedSplit]) -> list[ComposedSplit]:
    """Redraw repeated items of each split whose items must differ; return all splits in order."""
    jobs = [
        RedrawJob(one.config, one.split, one.parts)
        for one in splits
        if all(job.needs_distinct_items for job, _ in one.parts)
    ]
    records = {job.key: record for job, record in stages.run_stage("mend", jobs)}
    return [replace(one, redrawn=records.get(f"{one.config}/{one.split}")) for one in splits]


def redrawn_rows(split: ComposedSplit) -> dict[str, dict[int, tuple[CompletionRecord, int]]]:
    """Return the rows of a split that replace others.

    Returns:
        By key of the job that composed the others: by place in its shard, the record and the place.
    """
    found: dict[str, dict[int, tuple[CompletionRecord, int]]] = defaultdict(dict)
    if split.redrawn is not None:
        for number, (key, place) in enumerate(split.redrawn.about["redrawn"]):
            found[key][place] = split.redrawn, number
    return found
