"""Generate rows ahead of their consumer in processes or threads, in order.

joblib's process pool needs no guard in the caller's main module. Workers end with their parent
process.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal

from facelet.pipeline.parent_watch import end_with_parent
from facelet.pipeline.rollout.streams.row_maker import RowMaker
from facelet.pipeline.rollout.streams.samplers import RowPlace

By = Literal["processes", "threads"]
Rows = list[dict[str, object]]

_maker: RowMaker | None = None
"""The row maker of this worker."""


class RowPrefetcher:
    """Pending chunks of rows, in the order of their requests."""

    def __init__(self, maker: RowMaker, workers: int, by: By) -> None:
        """Start the workers.

        Args:
            maker: generates the rows.
            workers: number of workers, at least 1.
            by: kind of workers.
        """
        self._executor: Executor
        if by == "threads":
            self._executor = ThreadPoolExecutor(workers, "stream", _start_worker, (maker, 0))
        else:
            from joblib.externals.loky import ProcessPoolExecutor  # not needed for threads

            self._executor = ProcessPoolExecutor(
                workers, initializer=_start_worker, initargs=(maker, os.getpid())
            )
        self._local = maker if by == "threads" else None
        self._chunks: deque[Future[Rows]] = deque()

    def __len__(self) -> int:
        """Return the number of pending chunks."""
        return len(self._chunks)

    def request_rows(self, places: Sequence[RowPlace]) -> None:
        """Request the rows of some places."""
        work = _make_rows if self._local is None else self._local.make_rows
        self._chunks.append(self._executor.submit(work, list(places)))

    def next_rows(self) -> Rows:
        """Wait for the rows of the oldest chunk and return them.

        Raises:
            ValueError: a row cannot be generated.
        """
        return self._chunks.popleft().result()

    def stop_workers(self) -> None:
        """Stop the workers."""
        for chunk in self._chunks:
            chunk.cancel()
        self._chunks.clear()
        self._executor.shutdown(wait=True)


def _start_worker(maker: RowMaker, leader: int) -> None:
    """Prepare a worker."""
    global _maker
    if leader:
        end_with_parent(leader)
        _maker = maker


def _make_rows(places: Sequence[RowPlace]) -> Rows:
    assert _maker is not None
    return _maker.make_rows(places)
