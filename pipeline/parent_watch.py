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

POLL_SECONDS = 0.2
"""Seconds between two looks."""

_WATCHED_PIDS: set[int] = set()


def end_with_parent(leader: int) -> None:
    """Watch the process that started this one; end when it is gone, now or later.

    Args:
        leader: its process id.
    """
    if leader in _WATCHED_PIDS:
        return
    _exit_if_orphaned(leader)
    _WATCHED_PIDS.add(leader)

    def watch_parent() -> None:
        while True:
            time.sleep(POLL_SECONDS)
            _exit_if_orphaned(leader)

    threading.Thread(target=watch_parent, name="leader", daemon=True).start()


def _exit_if_orphaned(leader: int) -> None:
    if os.getppid() != leader:
        os._exit(1)


@contextmanager
def open_local_workers(count: int) -> Iterator[None]:
    """Let joblib use processes of this machine inside the block; they never outlive this one.

    Args:
        count: how many.
    """
    from joblib import parallel_config  # workers import this module before joblib's pool

    with parallel_config(
        "loky",
        n_jobs=count,
        inner_max_num_threads=1,
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    ):
        yield
