"""Files that are whole or absent: a name of their own, sync, rename.

A reader, or a run after a kill or a power cut at any instant, sees the old file or the new file,
never a part. Temporary names are random and opened exclusively, so that any number of processes may
write the same file, and nobody is led through a link to another one. A failed write leaves nothing.
A store writes its objects whole by itself (facelet.pipeline.dataset.addresses).

All that makes files last goes through `disk`, so that a test can put a forgetful one in its place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from facelet.pipeline.dataset.addresses import Address
from facelet.pipeline.dataset.scratch import scratch


class Disk:
    """What the operating system does with names and bytes; each call may fail with OSError."""

    def sync(self, path: Path) -> None:
        """Force a file's bytes, or a folder's names, onto the disk."""
        windows = sys.platform == "win32"
        if windows and path.is_dir():  # which keeps its names by itself, and opens no folder
            return
        handle = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def create(self, path: Path) -> BinaryIO:
        """Open a new file; a file or link that has its name already is an error."""
        return path.open("xb")

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name, whose file it replaces."""
        os.replace(old, new)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def make_folder(self, path: Path) -> None:
        """Make a folder inside one that is there."""
        path.mkdir(exist_ok=True)


disk = Disk()
"""The one in use."""


def sync(path: Path) -> None:
    """Force a file's bytes, or a folder's names, onto the disk."""
    if not isinstance(path, Address):
        disk.sync(path)


def make_folder(path: Path) -> None:
    """Make a folder with all those above it, durably; one that is there is left as it is."""
    if isinstance(path, Address):
        return
    for folder in reversed((path, *path.parents)):
        if not folder.is_dir():
            disk.make_folder(folder)
            disk.sync(folder.parent)


def publish(temporary: Path, final: Path) -> None:
    """Move a complete, synced file to its final name on the same file system, durably."""
    if isinstance(temporary, Address):
        temporary.move(final)
        return
    make_folder(final.parent)
    disk.rename(temporary, final)
    disk.sync(final.parent)


def remove(path: Path) -> None:
    """Remove a file durably, if it is there."""
    if isinstance(path, Address):
        path.unlink(missing_ok=True)
        return
    try:
        disk.remove(path)
    except FileNotFoundError:
        return
    disk.sync(path.parent)


@contextmanager
def written_here(path: Path) -> Iterator[Path]:
    """Yield the file of this machine that is to be written in the block in place of another.

    Args:
        path: the other: the same file, or one of a store, which takes it when the block ends.
    """
    if not isinstance(path, Address):
        yield path
        return
    with scratch("store") as folder:
        here = folder / path.name
        yield here
        path.take(here)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Write a file in the block; it appears when the block ends, and not at all if that fails.

    Args:
        path: the file, replaced if it is there; folders above it are made.
    """
    if isinstance(path, Address):
        with written_here(path) as here, here.open("xb") as file:
            yield file
        return
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    try:
        with disk.create(temporary) as file:
            yield file
        disk.sync(temporary)
        publish(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file, line ends as they stand, whole or not at all."""
    with whole(path) as file:
        file.write(text.encode("utf-8"))
