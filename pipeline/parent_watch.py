"""End worker processes when their parent process ends, for whatever reason.

A worker watches its parent from before its first task, and exits at once if the parent is already
gone. Workers import this module first, so it needs only the standard library at import.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

POLL_SECONDS = 0.2
"""Seconds between two checks."""

_WATCHED_PIDS: set[int] = set()


def end_with_parent(leader: int) -> None:
    """Watch the parent process in a thread, and exit when it is gone.

    Args:
        leader: process id of the parent.
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


@cache
def shield_workers() -> None:
    """Start workers of loky with Ctrl-C blocked: this process ends them, and alone reports it.

    A terminal interrupts all processes; one that still starts would print where it was. The process
    that cleans up behind joblib would print what it found.
    """
    said = filter(None, (os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"))
    os.environ["PYTHONWARNINGS"] = ",".join(said)
    if os.name == "nt":
        return
    from joblib.externals.loky.backend import fork_exec

    start_process = fork_exec.fork_exec

    def start_shielded(*args: object, **kwargs: object) -> int:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return int(start_process(*args, **kwargs))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    fork_exec.fork_exec = start_shielded


@contextmanager
def open_local_workers(count: int) -> Iterator[None]:
    """Let joblib use local processes inside the block; they end with this process.

    Args:
        count: number of processes.
    """
    from joblib import parallel_config  # workers import this module before joblib

    shield_workers()
    # Of an interrupted run, joblib counts the tasks that are lost.
    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, r"joblib\.parallel")
    with parallel_config(
        "loky",
        n_jobs=count,
        inner_max_num_threads=1,
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    ):
        yield
