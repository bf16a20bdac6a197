"""Stage emit: rows are read back, their pictures drawn, and the published shards written.

The pictures are drawn from the row alone: it is decoded and its episode opened again, and the
messages must come out as they were composed. So a published row holds all that its prompt needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.pipeline import families
from facelet.pipeline.build.compose import KEYS, ComposeJob, class_name
from facelet.pipeline.build.mend import mended
from facelet.pipeline.build.rationing import runs
from facelet.pipeline.build.shards import Job, Made, Record, read_table
from facelet.pipeline.build.stages import Build, Stage
from facelet.pipeline.dataset.composing import pictured
from facelet.pipeline.dataset.files import remove
from facelet.pipeline.dataset.reading import MANIFEST
from facelet.pipeline.dataset.rows import messages, row_hashes, schema
from facelet.pipeline.dataset.sources import closure, of_task
from facelet.pipeline.families import AnyTask, Told
from facelet.renderers.api import painters

BYTES = "images.list.element.bytes"
"""The one leaf column that holds pictures; PNG does not compress further."""


HELD = 128
"""Rows that are held as plain values at a time."""

DICTIONARY = 1 << 26
"""Most bytes of a dictionary: the pictures of a row group."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive rows of a composed shard."""

    record: Record
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
        told: what the task's family is told; decides nothing here.
    """

    config: str
    split: str
    number: int
    total: int
    slices: tuple[Slice, ...]
    task: AnyTask
    schema: pa.Schema
    group: int
    told: Told

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
            "facelet.pipeline.dataset.rows",
            "facelet.pipeline.dataset.composing",
            "facelet.pipeline.build.shards",
            "facelet.pipeline.build.emit",
        )
        shown = {name for part in self.slices for name in part.record.about["scenes"]}
        return (*of_task(self.task), *here, *_of_scenes(frozenset(shown)))

    @property
    def cost(self) -> float:
        """Number of rows."""
        return float(sum(part.stop - part.start for part in self.slices))

    def inputs(self) -> object:
        """Return the rows' files and places, and how they are written."""
        places = [[part.record.sha256, part.start, part.stop] for part in self.slices]
        metadata = {k.decode(): v.decode() for k, v in (self.schema.metadata or {}).items()}
        return [places, str(self.schema.remove_metadata()), metadata, self.group]

    def make(self, out: Path) -> Made:
        """Return the published rows.

        Raises:
            ValueError: a row decodes to something else than it was made of.
        """
        families.ready(self.task, self.told)
        rows = map(self._drawn, self._rows(out))
        # Rows take many times as much memory as plain values as they do in a table.
        parts = [self.schema.empty_table()]
        while some := list(islice(rows, HELD)):
            parts.append(pa.Table.from_pylist(some, schema=self.schema))
        table = pa.concat_tables(parts).combine_chunks()
        return Made(
            table,
            row_hashes=tuple(row_hashes(table)),
            parquet=parquet_options(self.schema, shared=shared(table)),
            group=self.group,
        )

    def _rows(self, out: Path) -> Iterator[dict[str, Any]]:
        """Yield the composed rows."""
        for _, parts in groupby(self.slices, key=lambda part: part.record.path):
            table: pa.Table | None = None
            for part in parts:
                if table is None:
                    table = read_table(out, part.record)
                    table = table.drop_columns([KEYS] if KEYS in table.column_names else [])
                yield from table.slice(part.start, part.stop - part.start).to_pylist()

    def _drawn(self, row: dict[str, Any]) -> dict[str, object]:
        """Return a row with its pictures."""
        chat, scenes = messages(self.task.open(self.task.decode(row)).prompt())
        if chat != row["messages"]:
            raise ValueError(
                f"{row['id']}: the prompt of the decoded row is not the one that was composed; "
                f"{self.task.name}.decode must be the inverse of encode"
            )
        return pictured(row, scenes)


def shared(table: pa.Table) -> bool:
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
    leaves = [leaf for field in schema for leaf in _leaves(field.name, field.type)]
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


def _leaves(path: str, kind: pa.DataType) -> Iterator[str]:
    """Yield the Parquet paths of a column's leaves."""
    if pa.types.is_list(kind):
        yield from _leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            yield from _leaves(f"{path}.{kind.field(i).name}", kind.field(i).type)
    else:
        yield path


@cache
def _of_scenes(names: frozenset[str]) -> tuple[str, ...]:
    """Return what decides the pictures of scenes, given the names of their classes."""
    drawn_by = {class_name(kind): painter.__module__ for kind, painter in painters().items()}
    known = sorted({drawn_by[name] for name in names if name in drawn_by})
    return closure(("facelet.renderers.api", *known)) if names else ()


def _jobs(build: Build) -> list[EmitJob]:
    """Return the jobs that publish the rows of all splits.

    The rows of a split are cut into shards of nearly equal size, by difficulty, item and row.
    """
    from facelet.pipeline.dataset.features import with_features  # takes seconds; no worker needs it

    groups: dict[tuple[str, str], list[tuple[ComposeJob, Record]]] = {}
    for job, record in build.made["compose"]:
        assert isinstance(job, ComposeJob)
        groups.setdefault((job.cell.config, job.cell.split), []).append((job, record))
    jobs: list[EmitJob] = []
    for (config, split), parts in groups.items():
        first = parts[0][0]
        kept = _kept(build, parts)
        rows = sum(part.stop - part.start for part in kept)
        total = -(-rows // build.plan.emit_rows)
        bounds = [rows * number // total for number in range(total + 1)]
        kind = with_features(schema(first.task.columns))
        jobs += [
            EmitJob(
                config=config,
                split=split,
                number=number,
                total=total,
                slices=_slices(kept, bounds[number], bounds[number + 1]),
                task=first.task,
                schema=kind,
                group=build.plan.emit_group,
                told=first.told,
            )
            for number in range(total)
        ]
    return jobs


def _prepare(build: Build, jobs: Sequence[Job]) -> None:
    """Take away the manifest: the dataset is not whole until it is written again."""
    del jobs
    remove(build.folder.out / MANIFEST)


EMIT = Stage("emit", _jobs, _prepare)


def published(build: Build) -> dict[tuple[str, str], list[Record]]:
    """Return the records of the published shards by (config, split)."""
    shards: dict[tuple[str, str], list[Record]] = {}
    for job, record in build.made["emit"]:
        assert isinstance(job, EmitJob)
        shards.setdefault((job.config, job.split), []).append(record)
    return shards


def _kept(build: Build, parts: Sequence[tuple[ComposeJob, Record]]) -> list[Slice]:
    """Return the composed rows of one split of a config that are published, in order."""
    task, cells = parts[0][0].task, [job.cell for job, _ in parts]
    levels = {key: level for level, key in enumerate(dict.fromkeys(cell.key for cell in cells))}
    shards = [(levels[job.cell.key], record) for job, record in parts]
    ration = task.ration(cells[0].make_params(task))
    found = runs(build.folder.out, shards, ration)
    others = mended(build)
    return [
        part
        for (job, record), inside in zip(parts, found, strict=True)
        for low, high in inside
        for part in _with(record, low, high, others.get(job.key, {}))
    ]


def _with(
    record: Record, low: int, high: int, others: Mapping[int, tuple[Record, int]]
) -> Iterator[Slice]:
    """Yield where rows of a composed shard stand, of those that were mended the others."""
    for place in sorted(place for place in others if low <= place < high):
        if low < place:
            yield Slice(record, low, place)
        mend, number = others[place]
        yield Slice(mend, number, number + 1)
        low = place + 1
    if low < high:
        yield Slice(record, low, high)


def _slices(parts: Sequence[Slice], start: int, stop: int) -> tuple[Slice, ...]:
    """Return where rows start to stop of consecutive stretches stand."""
    found: list[Slice] = []
    first = 0
    for part in parts:
        size = part.stop - part.start
        low, high = max(start, first), min(stop, first + size)
        if low < high:
            skipped = part.start - first
            found.append(Slice(part.record, low + skipped, high + skipped))
        first += size
    return tuple(found)
