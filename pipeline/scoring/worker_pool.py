"""The crew: processes of this machine that judge and hash, where there is enough of it to do.

They start with the block, and load what they need while the process that leads reads on. Results
are taken in the order in which the work was handed over, so nothing depends on how many processes
there are.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from facelet.pipeline.parent_watch import end_with_parent

AHEAD = 2
"""Pieces of work a process that are handed over before the oldest is waited for."""


PIECE = 32 << 20
"""Bytes of files that are worth another process."""


def crew_for(workers: int, paths: Iterable[Path]) -> WorkerPool:
    """Return a crew for some files: no larger than what they hold is worth.

    Args:
        workers: most processes; 0 for as many as there are cores that may be used.
        paths: the files.
    """
    if not workers:
        allowed = getattr(os, "sched_getaffinity", None)
        workers = len(allowed(0)) if allowed else os.cpu_count() or 1
    size = sum(path.stat().st_size for path in paths)
    return WorkerPool(min(workers, 1 + size // PIECE))


class WorkerPool:
    """Processes that do pieces of work; one alone is this process itself."""

    def __init__(self, count: int = 1) -> None:
        """Take the number of processes, from 1."""
        self.count = count
        self._pool: Any = None

    def __enter__(self) -> WorkerPool:
        """Return itself; the processes, where there are several, begin and end with the block."""
        if self.count > 1:
            self.hand_over(_preload_modules)
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None

    @property
    def queue_limit(self) -> int:
        """Most pieces of work that wait for their results."""
        return AHEAD * self.count

    def map_jobs(self, make: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield what a function makes of each job, in their order.

        Args:
            make: the function; it is importable.
            jobs: its arguments, each.

        Raises:
            ValueError: a process was killed.
        """
        if self.count == 1 or len(jobs) == 1:
            yield from (make(*job) for job in jobs)
            return
        waiting: deque[Callable[[], Any]] = deque()
        for job in jobs:
            waiting.append(self.hand_over(make, *job))
            if len(waiting) >= self.queue_limit:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()

    def hand_over(self, make: Callable[..., Any], *job: Any) -> Callable[[], Any]:
        """Hand a piece of work to the processes, and return what waits for its result.

        Args:
            make: does it; it is importable.
            job: its arguments.
        """
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        future = self._start_pool().submit(make, *job)

        def wait_for_result() -> Any:
            try:
                return future.result()
            except TerminatedWorkerError as error:
                raise ValueError(
                    "a worker process was killed, most often for lack of memory; score again "
                    f"with workers={max(1, self.count // 2)}"
                ) from error

        return wait_for_result

    def _start_pool(self) -> Any:
        if self._pool is None:
            from joblib.externals.loky import ProcessPoolExecutor

            threads = ("OMP", "OPENBLAS", "MKL")
            self._pool = ProcessPoolExecutor(
                self.count,
                initializer=end_with_parent,
                initargs=(os.getpid(),),
                env={f"{name}_NUM_THREADS": "1" for name in threads},
            )
        return self._pool


def _preload_modules() -> None:
    """Load what judging needs."""
    import_module("facelet.pipeline.scoring.grade.worker_result")
