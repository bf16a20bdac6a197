"""Buffer records in order, in memory while they are few, else in a temporary file.

The file has no name, so it disappears however the process ends. Buckets share one file.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Generic, TypeVar

R = TypeVar("R")

MEMORY_LIMIT = 1 << 20
"""Bytes of records in memory."""

BATCH = 64
"""Records of one write or read."""

UNPACKED_LIMIT = 1 << 11
"""Approximate number of unwritten records of all buckets."""

BUCKET = 1 << 12
"""Approximate number of records of a bucket."""


class SpillBuffer(Generic[R]):
    """Records in order, iterable any number of times.

    Args:
        file: the file for spilled records; buffers may share one.
        batch: number of records of one write.
    """

    def __init__(self, file: IO[bytes] | None = None, batch: int = BATCH) -> None:
        self._file = SpooledTemporaryFile(MEMORY_LIMIT) if file is None else file
        self._batch = batch
        self._begins = array("Q")
        self._held: list[R] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, record: R) -> None:
        """Append a record."""
        self._held.append(record)
        self._size += 1
        if len(self._held) >= self._batch:
            self._begins.append(self._file.seek(0, 2))
            pickle.dump(self._held, self._file, protocol=5)
            self._held.clear()

    def __iter__(self) -> Iterator[R]:
        """Yield the records; do not add any meanwhile."""
        for begin in self._begins:
            self._file.seek(begin)
            yield from pickle.load(self._file)
        yield from self._held


def split_buckets(
    records: Iterable[R], size: int, key: Callable[[R], bytes]
) -> list[SpillBuffer[R]]:
    """Return records in buckets: those of one key in one bucket, each bucket in order.

    Args:
        records: the records.
        size: number of records.
        key: a hash.
    """
    file, count = SpooledTemporaryFile[bytes](MEMORY_LIMIT), -(-size // BUCKET)
    found: list[SpillBuffer[R]] = [
        SpillBuffer(file, max(1, UNPACKED_LIMIT // count)) for _ in range(count)
    ]
    for record in records:
        found[int.from_bytes(key(record)[-4:], "big") % count].add(record)
    return found
