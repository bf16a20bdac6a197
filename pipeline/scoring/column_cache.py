"""Cache the columns that grading needs in compressed files that every process can read.

A pack contains consecutive rows. Packs are read from the files on demand, so a million rows take no
memory and parallel workers share the pages on disk. The files are in a scratch folder that is
deleted with the dataset that made them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path

import numpy as np
import pyarrow as pa

from facelet.pipeline.dataset.arrow_values import to_python
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.dataset.dataset_reader import RowGroupSpan
from facelet.pipeline.scoring.array_types import Ints

PACK = 16384
"""Most rows of a pack."""

SPAN_ROWS = 65536
"""Least rows of a span that is read as one job, if a shard has as many."""

_SLICE = 1024
_DENSE = 1.25
"""Up to this many rows per wanted row, reading a whole range is cheaper than taking rows."""


class ScratchFolder:
    """A scratch folder that is deleted with this object, and with the process at the latest."""

    def __init__(self) -> None:
        """Create the folder on demand."""
        self._folder: Path | None = None

    def file_path(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        if self._folder is None:
            opened = ExitStack()
            self._folder = opened.enter_context(open_scratch_folder("rows"))
            weakref.finalize(self, opened.close)
        return self._folder / name


@dataclass(frozen=True, slots=True, eq=False)
class ColumnPacks:
    """The packs of a split.

    Attributes:
        paths: the files.
        files: (packs,) place in `paths` of the file of each.
        numbers: (packs,) number of each in its file.
        starts: (packs,) first row of each.
        count: number of rows.
    """

    paths: tuple[Path, ...]
    files: Ints
    numbers: Ints
    starts: Ints
    count: int

    def iterate_rows(
        self, numbers: Ints, columns: Sequence[str] | None = None
    ) -> Iterator[dict[str, object]]:
        """Yield rows as dicts.

        Args:
            numbers: numbers of rows within the split, ascending.
            columns: the columns to read; all of them by default.
        """
        packs = np.searchsorted(self.starts, numbers, side="right") - 1
        for pack in np.unique(packs).tolist():
            inside = numbers[packs == pack] - self.starts[pack]
            batch = _read_pack(self.paths[self.files[pack]], int(self.numbers[pack]), columns)
            for first in range(0, len(inside), _SLICE):
                yield from _iterate_dicts(batch, inside[first : first + _SLICE])


def _read_pack(path: Path, number: int, columns: Sequence[str] | None) -> pa.RecordBatch:
    """Return a pack of a file, or some of its columns."""
    with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
        if columns is None:
            return reader.get_batch(number)
        places = [reader.schema.get_field_index(name) for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=places)
        return pa.ipc.open_file(file, options=options).get_batch(number)


@dataclass(frozen=True, slots=True)
class WrittenPacks:
    """The packs of consecutive rows, in a file of their own.

    Attributes:
        path: the file.
        rows: rows of each pack.
    """

    path: Path
    rows: tuple[int, ...]


def write_packs(batches: Iterable[pa.RecordBatch], path: Path) -> WrittenPacks:
    """Write batches of consecutive rows, one pack each.

    Args:
        batches: the rows; one batch at least.
        path: the file.
    """
    rest = iter(batches)
    first = next(rest)
    rows = []
    # They are written once and read once, so the fastest compression is best.
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_file(str(path), first.schema, options=options) as writer:
        for batch in chain([first], rest):
            writer.write_batch(batch)
            rows.append(len(batch))
    return WrittenPacks(path, tuple(rows))


def pack_span(span: RowGroupSpan, path: Path) -> WrittenPacks:
    """Write the rows of a span as packs.

    Args:
        span: the rows.
        path: the file.

    Raises:
        ValueError: a column is not as expected.
    """
    found = write_packs(span.iterate_batches(PACK), path)
    # The allocator would otherwise keep the memory that reading used.
    pa.default_memory_pool().release_unused()
    return found


def join_packs(found: Sequence[WrittenPacks]) -> ColumnPacks:
    """Return the packs of consecutive files as one."""
    rows = np.array([count for one in found for count in one.rows], dtype=np.int64)
    packs = [len(one.rows) for one in found]
    return ColumnPacks(
        paths=tuple(one.path for one in found),
        files=np.repeat(np.arange(len(found)), packs),
        numbers=np.concatenate([np.arange(count) for count in packs]),
        starts=np.cumsum(rows) - rows,
        count=int(rows.sum()),
    )


def _iterate_dicts(batch: pa.RecordBatch, places: Ints) -> Iterator[dict[str, object]]:
    """Yield the rows at ascending places as dicts, in a third of the time of `to_pylist`."""
    first, span = int(places[0]), int(places[-1] - places[0]) + 1
    if span <= _DENSE * len(places):
        batch = batch.slice(first, span)
        wanted = np.zeros(span, dtype=bool)
        wanted[places - first] = True
    else:
        batch = batch.take(pa.array(places))
        wanted = np.ones(len(places), dtype=bool)
    names = batch.schema.names
    every = zip(*map(to_python, batch.columns), strict=True)
    yield from (dict(zip(names, row, strict=True)) for row in compress(every, wanted.tolist()))
