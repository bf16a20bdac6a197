"""Render the pictures of composed rows, and write the published shards.

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

from facelet.pipeline.build.build_folder import CompletionRecord, ShardContent, read_table
from facelet.pipeline.build.compose_stage import KEYS, ComposedSplit, scene_class_name
from facelet.pipeline.build.job_runner import StageRunner
from facelet.pipeline.build.redraw_stage import redrawn_rows
from facelet.pipeline.build.row_quota import select_published_runs
from facelet.pipeline.dataset.atomic_files import remove_file
from facelet.pipeline.dataset.dataset_reader import MANIFEST
from facelet.pipeline.dataset.row_columns import arrow_schema, prompt_to_messages, row_hashes
from facelet.pipeline.dataset.row_composer import attach_pictures
from facelet.pipeline.dataset.row_hashes import hash_sequence
from facelet.pipeline.dataset.source_fingerprint import import_closure, task_sources
from facelet.pipeline.family_modules import AnyTask, FamilySettings, prepare_family
from facelet.renderers.api import painters_by_scene

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
            "facelet.pipeline.dataset.row_composer",
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
