"""Lock a folder for one process, by a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def hold_lock(path: Path, message: str) -> Iterator[None]:
    """Hold an exclusive lock on a file for the length of the block.

    The operating system drops the lock when the process ends, however it ends.

    Args:
        path: the lock file; made if missing, and left behind.
        message: what to say when somebody else holds it.

    Raises:
        ValueError: somebody else holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ValueError(message) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def wait_for_lock(path: Path, waiting: str) -> Iterator[None]:
    """Hold an exclusive lock on a file for the length of the block, after whoever holds it.

    Args:
        path: the lock file; made if missing, and left behind.
        waiting: what to say on stderr when it has to be waited for; "" for nothing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if waiting:
            print(waiting, file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
