"""Ahead: rows made in processes or threads before the consumer asks for them, in order.

Knows joblib's process pool, which needs no guard in the program that starts it. Its workers end
with the process that leads them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal

from facelet.pipeline.environment.streams.making import Maker
from facelet.pipeline.environment.streams.samplers import Place
from facelet.pipeline.leader import end_with

By = Literal["processes", "threads"]
Rows = list[dict[str, object]]

_maker: Maker | None = None
"""The maker of this worker."""


class Ahead:
    """Chunks of rows that are being made, in the order in which they were asked for."""

    def __init__(self, maker: Maker, workers: int, by: By) -> None:
        """Start the workers.

        Args:
            maker: makes the rows.
            workers: how many there are, at least 1.
            by: what they are.
        """
        self._executor: Executor
        if by == "threads":
            self._executor = ThreadPoolExecutor(workers, "stream", _begin, (maker, 0))
        else:
            from joblib.externals.loky import ProcessPoolExecutor  # not needed for threads

            self._executor = ProcessPoolExecutor(
                workers, initializer=_begin, initargs=(maker, os.getpid())
            )
        self._local = maker if by == "threads" else None
        self._chunks: deque[Future[Rows]] = deque()

    def __len__(self) -> int:
        """Return how many chunks are under way or done and not taken."""
        return len(self._chunks)

    def ask(self, places: Sequence[Place]) -> None:
        """Have the rows of some places made."""
        work = _rows if self._local is None else self._local.rows
        self._chunks.append(self._executor.submit(work, list(places)))

    def take(self) -> Rows:
        """Return the rows of the oldest chunk, once they are made.

        Raises:
            ValueError: a row cannot be made.
        """
        return self._chunks.popleft().result()

    def close(self) -> None:
        """Stop the workers."""
        for chunk in self._chunks:
            chunk.cancel()
        self._chunks.clear()
        self._executor.shutdown(wait=True)


def _begin(maker: Maker, leader: int) -> None:
    """Ready a worker."""
    global _maker
    if leader:
        end_with(leader)
        _maker = maker


def _rows(places: Sequence[Place]) -> Rows:
    assert _maker is not None
    return _maker.rows(places)
