"""Stage emit: rows are read back, their pictures drawn, and the published shards written.

The pictures are drawn from the row alone: it is decoded and its episode opened again, and the
messages must come out as they were composed. So a published row holds all that its prompt needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.task import Task
from facelet.pipeline.build.compose import ComposeJob
from facelet.pipeline.build.plan import Plan
from facelet.pipeline.build.shards import Made, Record
from facelet.pipeline.cube import oracle_tables
from facelet.pipeline.dataset.rows import messages, row_hashes
from facelet.renderers.api import render_png
from facelet.renderers.scenes.records import Scene

BYTES = "images.list.element.bytes"
"""The one leaf column that holds pictures; PNG does not compress further."""


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
        cache: folder of pruning tables; decides nothing.
    """

    config: str
    split: str
    number: int
    total: int
    slices: tuple[Slice, ...]
    task: Task[Any, Any]
    schema: pa.Schema
    group: int
    cache: Path | None = None

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
        """Generators, renderers, and what writes a row."""
        own = type(self.task).__module__
        here = (
            "facelet.pipeline.dataset.rows",
            "facelet.pipeline.build.shards",
            "facelet.pipeline.build.emit",
        )
        return ("facelet.generators", own, "facelet.renderers", *here)

    @property
    def cost(self) -> float:
        """Number of rows."""
        return float(sum(part.stop - part.start for part in self.slices))

    def inputs(self) -> Any:
        """Return the rows' files and places, and how they are written."""
        places = [[part.record.sha256, part.start, part.stop] for part in self.slices]
        metadata = {k.decode(): v.decode() for k, v in (self.schema.metadata or {}).items()}
        return [places, str(self.schema.remove_metadata()), metadata, self.group]

    def make(self, out: Path) -> Made:
        """Return the published rows.

        Raises:
            ValueError: a row decodes to something else than it was made of.
        """
        oracle_tables.connect(self.cache)
        rows = [self._drawn(row) for row in self._rows(out)]
        table = pa.Table.from_pylist(rows, schema=self.schema)
        return Made(
            table,
            row_hashes=tuple(row_hashes(table)),
            options=parquet_options(self.schema),
            group=self.group,
        )

    def _rows(self, out: Path) -> Iterator[dict[str, Any]]:
        """Yield the composed rows."""
        for part in self.slices:
            table = pq.read_table(out / part.record.path, use_threads=False)
            yield from table.slice(part.start, part.stop - part.start).to_pylist()

    def _drawn(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row with its pictures."""
        chat, scenes = messages(self.task.open(self.task.decode(row)).prompt())
        if chat != row["messages"]:
            raise ValueError(
                f"{row['id']}: the prompt of the decoded row is not the one that was composed; "
                f"{self.task.name}.decode must be the inverse of encode"
            )
        drawn = [_draw(scene) for scene in scenes]
        images = [
            {"bytes": data, "path": f"{row['id']}#{k}.png"} for k, (data, _) in enumerate(drawn)
        ]
        return {**row, "images": images, "image_hashes": [pixels for _, pixels in drawn]}


@lru_cache(maxsize=1024)
def _draw(scene: Scene) -> tuple[bytes, str]:
    """Draw a scene; rows that show the same puzzle stand close to each other."""
    return render_png(scene)


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """Return how a published shard is written.

    The image bytes are stored as they are; all else is zstd. A page index lets a reader fetch
    single rows, and content-defined chunks let the Hub store what two versions share only once.
    """
    leaves = [leaf for field in schema for leaf in _leaves(field.name, field.type)]
    rest = [leaf for leaf in leaves if leaf != BYTES]
    return {
        "compression": {leaf: "none" if leaf == BYTES else "zstd" for leaf in leaves},
        "use_dictionary": rest,
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


def emit_jobs(
    plan: Plan,
    composed: Sequence[tuple[ComposeJob, Record]],
    schemas: Mapping[str, pa.Schema],
) -> list[EmitJob]:
    """Return the jobs of the emit stage.

    The rows of a split are cut into shards of nearly equal size, by difficulty, item and row.

    Args:
        plan: the plan.
        composed: the jobs of the compose stage with their records.
        schemas: the published schema of each config.
    """
    groups: dict[tuple[str, str], list[tuple[ComposeJob, Record]]] = {}
    for job, record in composed:
        groups.setdefault((job.cell.config, job.cell.split), []).append((job, record))
    jobs: list[EmitJob] = []
    for (config, split), parts in groups.items():
        rows = sum(record.rows for _, record in parts)
        total = -(-rows // plan.emit_rows)
        bounds = [rows * number // total for number in range(total + 1)]
        for number in range(total):
            slices = _slices([record for _, record in parts], bounds[number], bounds[number + 1])
            jobs.append(
                EmitJob(
                    config=config,
                    split=split,
                    number=number,
                    total=total,
                    slices=slices,
                    task=parts[0][0].task,
                    schema=schemas[config],
                    group=plan.emit_group,
                    cache=parts[0][0].cache,
                )
            )
    return jobs


def _slices(records: Sequence[Record], start: int, stop: int) -> tuple[Slice, ...]:
    """Return where rows start to stop of consecutive files stand."""
    found: list[Slice] = []
    first = 0
    for record in records:
        low, high = max(start, first), min(stop, first + record.rows)
        if low < high:
            found.append(Slice(record, low - first, high - first))
        first += record.rows
    return tuple(found)
