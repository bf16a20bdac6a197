"""Workers of this machine end with the process that leads them, however that ends.

A worker watches its leader from before its first piece of work. One that starts when the leader is
gone already ends at once. The module that workers import for it needs the standard library only, so
that the watch begins as early as can be.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

EVERY = 0.2
"""Seconds between two looks."""

_WATCHED: set[int] = set()


def end_with(leader: int) -> None:
    """Watch the process that started this one; end when it is gone, now or later.

    Args:
        leader: its process id.
    """
    if leader in _WATCHED:
        return
    _end_if_gone(leader)
    _WATCHED.add(leader)

    def watch() -> None:
        while True:
            time.sleep(EVERY)
            _end_if_gone(leader)

    threading.Thread(target=watch, name="leader", daemon=True).start()


def _end_if_gone(leader: int) -> None:
    if os.getppid() != leader:
        os._exit(1)


@contextmanager
def local_workers(count: int) -> Iterator[None]:
    """Let joblib use processes of this machine inside the block; they never outlive this one.

    Args:
        count: how many.
    """
    from joblib import parallel_config  # workers import this module before joblib's pool

    with parallel_config(
        "loky",
        n_jobs=count,
        inner_max_num_threads=1,
        initializer=end_with,
        initargs=(os.getpid(),),
    ):
        yield
