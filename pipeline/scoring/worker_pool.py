"""Run jobs in worker processes, or on threads, and return their results in order.

Workers start when the block starts and import their modules while the parent reads on. Most of the
time of aggregating and rendering is spent inside NumPy and Arrow, which release the interpreter
lock, so threads run ahead of the consumer there. Results come in the order of the jobs, so nothing
depends on the number of workers or threads.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from facelet.pipeline.parent_watch import end_with_parent, shield_workers

AHEAD = 2
"""Jobs per process that are submitted before the oldest is waited for."""

PIECE = 32 << 20
"""Bytes of files that are worth another process."""


def open_pool(
    workers: int, paths: Iterable[Path], preload: Callable[[], None] | None = None
) -> WorkerPool:
    """Return a pool for some files: no larger than their size is worth.

    Args:
        workers: most processes; 0 for one per core that may be used.
        paths: the files.
        preload: what each process calls first; its module imports what jobs need.
    """
    if not workers:
        allowed = getattr(os, "sched_getaffinity", None)
        workers = len(allowed(0)) if allowed else os.cpu_count() or 1
    size = sum(path.stat().st_size for path in paths)
    return WorkerPool(min(workers, 1 + size // PIECE), preload)


class WorkerPool:
    """Runs jobs in processes; a pool of one runs them in this process."""

    def __init__(self, count: int = 1, preload: Callable[[], None] | None = None) -> None:
        """Take the number of processes, from 1, and what they call first."""
        self.count, self._preload = count, preload
        self._pool: Any = None

    def __enter__(self) -> WorkerPool:
        """Return itself; its processes, if there are several, start and end with the block."""
        if self.count > 1 and self._preload:
            self.submit_job(self._preload)
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None

    @property
    def queue_limit(self) -> int:
        """Number of submitted jobs at which the oldest result is taken."""
        return AHEAD * self.count if self.count > 1 else 1

    def map_jobs(self, make: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results of a function for all jobs, in their order.

        Args:
            make: the function; it is importable.
            jobs: the arguments of each call.

        Raises:
            ValueError: a process was killed.
        """
        if len(jobs) == 1:
            yield make(*jobs[0])
            return
        yield from _take_in_order((self.submit_job(make, *job) for job in jobs), self.queue_limit)

    def submit_job(self, make: Callable[..., Any], *job: Any) -> Callable[[], Any]:
        """Submit a job, and return a function that waits for its result.

        Without other processes the job is done when this returns.

        Args:
            make: the function to call; it is importable.
            job: its arguments.
        """
        if self.count == 1:
            found = make(*job)
            return lambda: found
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        future = self._start_pool().submit(_run_packed, pickle.dumps((make, job), protocol=5))

        def wait_for_result() -> Any:
            try:
                return pickle.loads(future.result())
            except TerminatedWorkerError as error:
                raise ValueError(
                    "a worker process was killed, most often for lack of memory; score again "
                    f"with workers={max(1, self.count // 2)}"
                ) from error

        return wait_for_result

    def _start_pool(self) -> Any:
        if self._pool is None:
            from joblib.externals.loky import ProcessPoolExecutor

            shield_workers()
            threads = ("OMP", "OPENBLAS", "MKL")
            self._pool = ProcessPoolExecutor(
                self.count,
                initializer=end_with_parent,
                initargs=(os.getpid(),),
                env={f"{name}_NUM_THREADS": "1" for name in threads},
            )
        return self._pool


def _run_packed(packed: bytes) -> bytes:
    """Run a pickled job, and return its result pickled: faster than the pool's own pickling."""
    make, job = pickle.loads(packed)
    return pickle.dumps(make(*job), protocol=5)


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
    with _short_turns(), ThreadPoolExecutor(threads) as pool:
        try:
            yield from _take_in_order((pool.submit(make, job).result for job in jobs), threads + 1)
        finally:
            pool.shutdown(cancel_futures=True)


def _take_in_order(started: Iterable[Callable[[], R]], most: int) -> Iterator[R]:
    """Yield the results of jobs in order.

    Args:
        started: starts the next job, and gives what waits for its result.
        most: started jobs at which the oldest result is taken.
    """
    waiting: deque[Callable[[], R]] = deque()
    for wait in started:
        waiting.append(wait)
        if len(waiting) >= most:
            yield waiting.popleft()()
    while waiting:
        yield waiting.popleft()()


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
