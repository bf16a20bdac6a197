"""Bound the memory and time spent on an untrusted file.

Most bounds follow from one setting, the largest record: a line, an element of a list, a sample of a
log. Memory is a small multiple of it, whatever a file unpacks to. Work is bounded by the size of
the file: the bytes that it unpacks to, and its records. Both are counts, so a file gives the same
figures on a busy machine. The clock comes last: it ends what no count foresaw, and the report says
so.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

T = TypeVar("T")

MEBI = 1 << 20


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """The limits of a prediction file.

    Attributes:
        record_mb: largest record in MiB (of UTF-8 text, in Mi characters where it is a document).
        seconds: processor seconds that reading a file may take, besides one for each MiB of it.
    """

    record_mb: int = 32
    seconds: int = 60

    @property
    def record_bytes(self) -> int:
        """Largest record in bytes."""
        return self.record_mb * MEBI

    @property
    def value_limit(self) -> int:
        """Most JSON values of a record: one of a byte each would take 24 times its text."""
        return max(self.record_bytes // 32, 1)


USELESS = 100_000
"""Reading of a file stops after this many records without a prediction, if most have none."""

STRANGE = 300_000
"""Reading of a file stops after this many predictions for unknown rows, if no id is known."""

RECORDS_FREE = 200_000
"""Records that any file may contain; a larger file may contain one per byte."""

_LONG = 0.02
"""Wall seconds that no record of a usual file needs."""

UNPACKED_FREE = 256 * MEBI
"""Bytes that any packed file may unpack to."""

UNPACKED_TIMES = 300
"""Times its own size that a packed file may unpack to, beyond that."""

MEMBERS = 64 * MEBI
"""Largest table of contents of a zip file in bytes: some 600,000 members."""


class ReadStopped(UnreadableRecord):
    """The rest of a file was not read, so it is read in part; the message says why."""


class LimitExceeded(ValueError):  # noqa: N818 - an outcome, not a fault
    """A file exceeds a limit; the message names it."""


class UnpackMeter:
    """Counts the bytes that a packed file unpacks to."""

    def __init__(self, packed: int) -> None:
        """Take the size of the packed file in bytes."""
        self._most = max(UNPACKED_FREE, UNPACKED_TIMES * packed)
        self._seen = 0

    def count_bytes(self, count: int) -> None:
        """Count bytes.

        Raises:
            LimitExceeded: they are more than a file may contain.
        """
        self._seen += count
        if self._seen > self._most:
            raise LimitExceeded(
                f"the file unpacks to more than {self._most // MEBI:,} MiB, more than "
                f"{UNPACKED_TIMES} times its size; unpack it first if it is meant to be so large"
            )


class ReadWatch:
    """Stops reading a file that has too many records for its size, or takes too long."""

    def __init__(self, limits: IngestLimits, size: int, taken: float = 0.0) -> None:
        """Take the file's size in bytes, and the processor seconds that reading it took before."""
        self._records = max(RECORDS_FREE, size)
        self._allowed = limits.seconds + size / MEBI
        self._seconds = limits.seconds
        self._taken = taken

    def watch_records(self, found: Iterator[T]) -> Iterator[T]:
        """Yield what a reader finds, and time the reader alone.

        Raises:
            LimitExceeded: a limit is reached.
        """
        clock = time.process_time()
        for number in count(1):
            begun = time.perf_counter()
            one = next(found, None)
            # The processor's clock is dear: it is asked now and then, and after a long while.
            if (wall := time.perf_counter() - begun) > _LONG or number % 64 == 0:
                now = time.process_time()
                self._taken += min(wall, now - clock)
                clock = now
            if self._taken > self._allowed:
                raise LimitExceeded(
                    f"reading took more than {self._allowed:.0f} seconds of the processor "
                    f"(seconds={self._seconds}, and one for each MiB of the file)"
                )
            if one is None:
                return
            if number > self._records:
                raise LimitExceeded(
                    f"it contains more than {self._records:,} records, more than one per byte; "
                    "unpack it first if it is meant to be so large"
                )
            yield one


class MeteredStream(io.RawIOBase):
    """A stream of unpacked bytes that is counted as it is read."""

    def __init__(self, stream: io.BufferedIOBase, meter: UnpackMeter) -> None:
        """Read from a stream and count in a meter."""
        self._stream = stream
        self._meter = meter

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read up to the buffer's length.

        Raises:
            LimitExceeded: the file unpacks to too much.
        """
        view = memoryview(buffer)
        data = self._stream.read1(len(view))
        view[: len(data)] = data
        self._meter.count_bytes(len(data))
        return len(data)
