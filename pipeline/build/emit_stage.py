"""Redraw repeated items, render the pictures of composed rows, and write the published shards.

The pictures are drawn from the row alone: it is decoded and its episode opened again, and the
messages must come out as they were composed. So a published row holds all that its prompt needs.

Redraw items that repeat another item of their split.
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
from functools import cache, cached_property
from heapq import heapify, heappop, heappush
from itertools import groupby, islice
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
from facelet.pipeline.build.row_quota import select_published_runs
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.dataset.atomic_files import remove_file
from facelet.pipeline.dataset.dataset_reader import MANIFEST
from facelet.pipeline.dataset.row_columns import arrow_schema, prompt_to_messages, row_hashes
from facelet.pipeline.dataset.row_composer import attach_pictures
from facelet.pipeline.dataset.row_hashes import hash_sequence
from facelet.pipeline.dataset.source_fingerprint import import_closure, task_sources
from facelet.pipeline.family_modules import AnyTask, FamilySettings, prepare_family
from facelet.pipeline.spill_sort import SpillSorter, split_ranges
from facelet.renderers.api import painters_by_scene

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
            "facelet.pipeline.build.emit_stage",
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


BYTES = "images.list.element.bytes"
"""The leaf column of pictures, which is not compressed again."""


ROWS_IN_MEMORY = 128
"""Rows that are held as plain values at a time."""

DICTIONARY = 1 << 26
"""Most bytes of a dictionary: the pictures of a row group."""


@dataclass(frozen=True, slots=True)
class ShardSlice:
    """Consecutive rows of a composed shard."""

    record: CompletionRecord
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class EmitJob:
    """One published shard.

    Attributes:
        config: name of the config.
        split: name of the split.
        number: number of the shard, from 0.
        total: number of shards of the split.
        slices: where its rows stand, in order.
        task: the config's task.
        schema: the published schema with the Hub's metadata.
        group: rows a row group.
        family_settings: the settings of the task's family; they decide nothing here.
    """

    config: str
    split: str
    number: int
    total: int
    slices: tuple[ShardSlice, ...]
    task: AnyTask
    schema: pa.Schema
    group: int
    family_settings: FamilySettings

    @property
    def key(self) -> str:
        """Config, split and number."""
        return f"{self.config}/{self.split}-{self.number:05d}"

    @property
    def path(self) -> str:
        """The published path."""
        return f"{self.config}/{self.split}-{self.number:05d}-of-{self.total:05d}.parquet"

    @property
    def sources(self) -> tuple[str, ...]:
        """The task's, what writes a row, and what draws the scenes that the rows show."""
        here = (
            "facelet.pipeline.dataset.row_columns",
            "facelet.pipeline.dataset.row_columns",
            "facelet.pipeline.build.build_folder",
            "facelet.pipeline.build.emit_stage",
        )
        shown = {name for part in self.slices for name in part.record.about["scenes"]}
        return (*task_sources(self.task), *here, *_scene_sources(frozenset(shown)))

    @property
    def cost(self) -> float:
        """Number of rows."""
        return float(sum(part.stop - part.start for part in self.slices))

    def list_hashed_inputs(self) -> object:
        """Return the rows' files and places, and how they are written."""
        places = [[part.record.sha256, part.start, part.stop] for part in self.slices]
        metadata = {k.decode(): v.decode() for k, v in (self.schema.metadata or {}).items()}
        return [places, str(self.schema.remove_metadata()), metadata, self.group]

    def build_shard(self, out: Path) -> ShardContent:
        """Return the published rows.

        Raises:
            ValueError: a row decodes to something else than it was made of.
        """
        prepare_family(self.task, self.family_settings)
        rows = map(self._render_row, self._iterate_composed_rows(out))
        # Rows take many times as much memory as plain values as they do in a table.
        parts = [self.schema.empty_table()]
        while some := list(islice(rows, ROWS_IN_MEMORY)):
            parts.append(pa.Table.from_pylist(some, schema=self.schema))
        table = pa.concat_tables(parts).combine_chunks()
        return ShardContent(
            table,
            row_hashes=tuple(row_hashes(table)),
            parquet=parquet_options(self.schema, shared=shares_pictures(table)),
            group=self.group,
        )

    def _iterate_composed_rows(self, out: Path) -> Iterator[dict[str, Any]]:
        """Yield the composed rows."""
        for _, parts in groupby(self.slices, key=lambda part: part.record.path):
            table: pa.Table | None = None
            for part in parts:
                if table is None:
                    table = read_table(out, part.record)
                    table = table.drop_columns([KEYS] if KEYS in table.column_names else [])
                yield from table.slice(part.start, part.stop - part.start).to_pylist()

    def _render_row(self, row: dict[str, Any]) -> dict[str, object]:
        """Return a row with its pictures."""
        chat, scenes = prompt_to_messages(self.task.open(self.task.decode(row)).prompt())
        if chat != row["messages"]:
            raise ValueError(
                f"{row['id']}: the prompt of the decoded row is not the one that was composed; "
                f"{self.task.name}.decode must be the inverse of encode"
            )
        return attach_pictures(row, scenes)


def shares_pictures(table: pa.Table) -> bool:
    """Return whether rows share pictures so much that half of them at least are equal to others."""
    pictures = [
        picture["bytes"] for images in table.column("images").to_pylist() for picture in images
    ]
    return 2 * len(set(pictures)) <= len(pictures) > 0


def parquet_options(schema: pa.Schema, *, shared: bool = False) -> dict[str, object]:
    """Return how a published shard is written.

    The image bytes are stored as they are; all else is zstd. A page index lets a reader fetch
    single rows, and content-defined chunks let the Hub store what two versions share only once.

    Args:
        schema: the shard's.
        shared: whether a picture that several rows of a row group show is stored once, in the
            dictionary of the column chunk. Any reader of Parquet gives each row its own.
    """
    leaves = [leaf for field in schema for leaf in _leaf_paths(field.name, field.type)]
    rest = [leaf for leaf in leaves if leaf != BYTES]
    pictures = shared and BYTES in leaves
    return {
        **({"dictionary_pagesize_limit": DICTIONARY} if pictures else {}),
        "compression": {leaf: "none" if leaf == BYTES else "zstd" for leaf in leaves},
        "use_dictionary": [*rest, BYTES] if pictures else rest,
        "write_statistics": rest,
        "write_page_index": True,
        "use_content_defined_chunking": True,
    }


def _leaf_paths(path: str, kind: pa.DataType) -> Iterator[str]:
    """Yield the Parquet paths of a column's leaves."""
    if pa.types.is_list(kind):
        yield from _leaf_paths(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            yield from _leaf_paths(f"{path}.{kind.field(i).name}", kind.field(i).type)
    else:
        yield path


@cache
def _scene_sources(names: frozenset[str]) -> tuple[str, ...]:
    """Return what decides the pictures of scenes, given the names of their classes."""
    drawn_by = {
        scene_class_name(kind): painter.__module__ for kind, painter in painters_by_scene().items()
    }
    known = sorted({drawn_by[name] for name in names if name in drawn_by})
    return import_closure(("facelet.renderers.api", *known)) if names else ()


@dataclass(frozen=True, slots=True)
class PublishedSplit:
    """The published shards of one split of a config.

    Attributes:
        config: name of the config.
        split: name of the split.
        shards: the records of the shards, in order.
        rows_hash: content hash of all rows, whatever the shards.
    """

    config: str
    split: str
    shards: tuple[CompletionRecord, ...]
    rows_hash: str


def emit_shards(
    stages: StageRunner, splits: Sequence[ComposedSplit], rows: int, group: int
) -> list[PublishedSplit]:
    """Publish the rows of all splits.

    The rows of a split are cut into shards of nearly equal size, by difficulty, item and row.

    Args:
        stages: runs the stage.
        splits: the composed rows.
        rows: most rows of a shard.
        group: rows of a Parquet row group.
    """
    # Loads datasets, which takes seconds and no worker needs.
    from facelet.pipeline.dataset.hub_features import with_features

    def remove_manifest(jobs: Sequence[EmitJob]) -> None:
        """Remove the manifest: the dataset is incomplete until it is written again."""
        del jobs
        remove_file(stages.folder.out / MANIFEST)

    jobs: list[EmitJob] = []
    with stages.timer.time_part("emit"):
        for one in splits:
            slices = _select_published_slices(stages.folder.out, one)
            count = sum(part.stop - part.start for part in slices)
            total = -(-count // rows)
            bounds = [count * number // total for number in range(total + 1)]
            schema = with_features(arrow_schema(one.task.columns))
            jobs += [
                EmitJob(
                    config=one.config,
                    split=one.split,
                    number=number,
                    total=total,
                    slices=_cut_slices(slices, bounds[number], bounds[number + 1]),
                    task=one.task,
                    schema=schema,
                    group=group,
                    family_settings=one.parts[0][0].family_settings,
                )
                for number in range(total)
            ]
    published: dict[tuple[str, str], list[tuple[str, CompletionRecord]]] = {}
    for job, record in stages.run_stage("emit", jobs, remove_manifest):
        published.setdefault((job.config, job.split), []).append((job.key, record))
    return [
        PublishedSplit(
            *split,
            tuple(record for _, record in shards),
            # One record with the hashes of its rows is in memory at a time.
            hash_sequence(
                row
                for key, _ in shards
                for row in stages.folder.load_record("emit", key).row_hashes
            ),
        )
        for split, shards in published.items()
    ]


def _select_published_slices(out: Path, split: ComposedSplit) -> list[ShardSlice]:
    """Return the composed rows of a split that are published, in order."""
    cells = [job.cell for job, _ in split.parts]
    levels = {key: level for level, key in enumerate(dict.fromkeys(cell.key for cell in cells))}
    shards = [(levels[job.cell.key], record) for job, record in split.parts]
    quota = split.task.row_quota(cells[0].make_params(split.task))
    redrawn = redrawn_rows(split)
    return [
        part
        for (job, record), runs in zip(
            split.parts, select_published_runs(out, shards, quota), strict=True
        )
        for low, high in runs
        for part in _merge_redrawn_rows(record, low, high, redrawn.get(job.key, {}))
    ]


def _merge_redrawn_rows(
    record: CompletionRecord,
    low: int,
    high: int,
    others: Mapping[int, tuple[CompletionRecord, int]],
) -> Iterator[ShardSlice]:
    """Yield the places of a composed shard's rows, redrawn rows at their new place."""
    for place in sorted(place for place in others if low <= place < high):
        if low < place:
            yield ShardSlice(record, low, place)
        mend, number = others[place]
        yield ShardSlice(mend, number, number + 1)
        low = place + 1
    if low < high:
        yield ShardSlice(record, low, high)


def _cut_slices(parts: Sequence[ShardSlice], start: int, stop: int) -> tuple[ShardSlice, ...]:
    """Return the slices of consecutive stretches that contain rows start to stop."""
    found: list[ShardSlice] = []
    first = 0
    for part in parts:
        size = part.stop - part.start
        low, high = max(start, first), min(stop, first + size)
        if low < high:
            skipped = part.start - first
            found.append(ShardSlice(part.record, low + skipped, high + skipped))
        first += size
    return tuple(found)
