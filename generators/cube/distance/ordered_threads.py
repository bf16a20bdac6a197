"""Run jobs in threads over input that may arrive slowly, with results in order or as they finish.

Jobs are read in a thread of their own, so a result is yielded as soon as it and all before it are
ready, whether or not the next job has arrived. Compiled searches run outside the interpreter's
lock, so threads use all processors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

AHEAD = 16
"""Jobs that are read ahead of the results, for each thread."""


def run_ordered(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    threads: int,
    stop: threading.Event,
    *,
    in_order: bool = True,
) -> Iterator[Result]:
    """Yield work(job) for every job, in order.

    Args:
        work: called in threads; an exception is raised here, in its place in the order.
        jobs: read in a thread, at most AHEAD * threads ahead.
        threads: how many calls run at once.
        stop: set here when no more results are wanted (the iterator is closed, or an error ended
            it), so that running work can end early.
        in_order: false to yield each result as soon as it is there.

    Raises:
        ValueError: threads is less than 1.
    """
    if threads < 1:
        raise ValueError(f"threads={threads}; use at least 1")
    room = threading.Semaphore(AHEAD * threads)
    submitted: SimpleQueue[Future[Result] | int] = SimpleQueue()
    failure: list[Exception] = []
    with ThreadPoolExecutor(threads) as pool:

        def read_jobs() -> None:
            count = 0
            try:
                for job in jobs:
                    room.acquire()
                    if stop.is_set():
                        break
                    future = pool.submit(work, job)
                    count += 1
                    if in_order:
                        submitted.put(future)
                    else:
                        future.add_done_callback(submitted.put)
            except Exception as error:  # whatever reading the jobs raises is raised to the caller
                failure.append(error)
            submitted.put(count)

        threading.Thread(target=read_jobs, daemon=True).start()
        try:
            done, total = 0, -1
            while done != total:
                item = submitted.get()
                if isinstance(item, int):
                    total = item
                    continue
                yield item.result()
                done += 1
                room.release()
            if failure:
                raise failure[0]
        finally:
            stop.set()
            room.release()
            pool.shutdown(wait=True, cancel_futures=True)
