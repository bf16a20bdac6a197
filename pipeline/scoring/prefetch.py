"""Run jobs on threads ahead of the consumer of their results.

Most of the time of aggregating and rendering is spent inside NumPy and Arrow, which release the
interpreter lock. Results come in the order of the jobs, so nothing depends on the number of
threads.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")

_TURN = 0.0002
"""Seconds that a thread may keep others from running Python. They all call NumPy for a millisecond
or less at a time, and would wait for each other longer than they work with the usual 5 ms."""


def each_ahead(make: Callable[[J], R], jobs: Iterable[J], threads: int) -> Iterator[R]:
    """Yield what a function makes of each job, in their order.

    Args:
        make: the function; no two calls of it may get into each other's way.
        jobs: its arguments, read on demand by the caller's thread.
        threads: most calls at once; with 1, each call is made when its result is needed.
    """
    if threads == 1:
        yield from map(make, jobs)
        return
    waiting: deque[Future[R]] = deque()
    with _short_turns(), ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(make, job))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


@contextmanager
def run_beside(work: Callable[[], None], threads: int) -> Iterator[None]:
    """Do some work while a block runs; it is done when the block is left.

    Args:
        work: the work.
        threads: most threads at once, the caller's among them; with 1 it is done after the block.

    Raises:
        Exception: what the work raised, or the block.
    """
    if threads == 1:
        yield
        work()
        return
    with _short_turns(), ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        yield
        done.result()


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let threads take turns more often than usual in the block."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
