"""Collect records of a few 64-bit words, spill them to disk, and compare them by ranges.

Beyond `MEMORY_LIMIT` bytes the records go to a temporary file without a name, so nothing is left of
it however the process ends. Records are compared one range of their first word at a time, so memory
is bounded whatever their number.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
"""(n, width): records of that many words."""

RANGE_SIZE = 1 << 18
"""Records that are compared at once, on average: of hashes some 20 MB, sorting included."""

MEMORY_LIMIT = 1 << 20
"""Bytes that are collected in memory."""

BLOCK = 1 << 14
"""Records that are written or read at a time."""

_SIZE = 8
"""Bytes of a word."""


@dataclass(frozen=True, slots=True)
class StoredRecords:
    """Records in memory or in a file.

    Attributes:
        width: words of a record.
        size: how many they are.
        data: their bytes, or the file of nothing else.
    """

    width: int
    size: int
    data: bytes | Path

    def __len__(self) -> int:
        return self.size

    def iterate_blocks(self) -> Iterator[Words]:
        """Yield all records in order, few at a time."""
        if isinstance(self.data, Path):
            with self.data.open("rb") as file:
                yield from _iterate_blocks(file, self.width)
        elif self.size:
            yield np.frombuffer(self.data, dtype=np.uint64).reshape(-1, self.width)

    def to_file(self, path: Path) -> StoredRecords:
        """Return the same records, in a file."""
        if isinstance(self.data, Path):
            return self
        path.write_bytes(self.data)
        return StoredRecords(self.width, self.size, path)


class SpillSorter:
    """Collects records of words, in memory as long as they are few.

    Args:
        width: words of a record.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._written = 0
        self._file: IO[bytes] = SpooledTemporaryFile(MEMORY_LIMIT)

    def __len__(self) -> int:
        return self._written // (self.width * _SIZE)

    def add(self, records: bytes) -> None:
        """Add one record, or several consecutive ones."""
        self._written += self._file.write(records)

    def iterate_blocks(self) -> Iterator[Words]:
        """Yield all records in order, few at a time; add none in between."""
        self._file.seek(0)
        yield from _iterate_blocks(self._file, self.width)
        self._file.seek(0, 2)

    def store_records(self, path: Path | None) -> StoredRecords:
        """Return the records in a file, or without a path in memory, and forget them."""
        self._file.seek(0)
        with self._file as file:
            data = file.read() if path is None else path
            if path is not None:
                with path.open("wb") as kept:
                    shutil.copyfileobj(file, kept)
        return StoredRecords(self.width, len(self), data)


Records = SpillSorter | StoredRecords


def _iterate_blocks(file: IO[bytes], width: int) -> Iterator[Words]:
    while data := file.read(BLOCK * width * _SIZE):
        yield np.frombuffer(data, dtype=np.uint64).reshape(-1, width)


@dataclass(frozen=True, slots=True)
class HashRange:
    """The records whose first word has one remainder.

    Attributes:
        parts: the records.
        remainder: the remainder.
        divisor: the number of ranges.
        chunk_size: about how many records are yielded at once.
    """

    parts: Sequence[Records]
    remainder: int
    divisor: int
    chunk_size: int

    def iterate_chunks(self, *, numbered: bool = False) -> Iterator[Words]:
        """Yield the records in order, some at a time; all of a range may be equal to each other.

        Args:
            numbered: whether each gets its place among all records as one more word.
        """
        held, size, begin = [], 0, 0
        for block in (block for part in self.parts for block in part.iterate_blocks()):
            places = np.flatnonzero(
                block[:, 0] % np.uint64(self.divisor) == np.uint64(self.remainder)
            )
            mine = block[places]
            if numbered:
                mine = np.column_stack([mine, (begin + places).astype(np.uint64)])
            held.append(mine)
            size, begin = size + len(mine), begin + len(block)
            if size >= self.chunk_size:
                yield np.concatenate(held)
                held, size = [], 0
        if size:
            yield np.concatenate(held)


def split_ranges(parts: Sequence[Records], most: int = 0) -> Iterator[HashRange]:
    """Yield ranges of the first word that together have all records.

    Args:
        parts: the records, all of one width.
        most: how many are in a range on average, and in a chunk of it; 0 for RANGE.
    """
    size = most or RANGE_SIZE
    passes = max(1, -(-sum(map(len, parts)) // size))
    yield from (HashRange(parts, number, passes, size) for number in range(passes))
