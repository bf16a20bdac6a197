"""Files that are whole or absent: temporary name, sync, rename. And one build at a time.

A reader, or a run after a kill at any instant, sees the old file or the new file, never a part.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def sync(path: Path) -> None:
    """Force a file's bytes, or a folder's names, onto the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def publish(temporary: Path, final: Path) -> None:
    """Move a complete, synced file to its final name on the same file system, durably."""
    final.parent.mkdir(parents=True, exist_ok=True)
    os.replace(temporary, final)
    sync(final.parent)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file, line ends as they stand, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    publish(temporary, path)


@contextmanager
def only_one(path: Path, message: str) -> Iterator[None]:
    """Hold an exclusive lock on a file for the length of the block.

    The operating system drops the lock when the process ends, however it ends.

    Args:
        path: the lock file; made if missing.
        message: what to say when another process holds it.

    Raises:
        ValueError: another process holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise ValueError(message) from None
        yield
    finally:
        os.close(handle)
