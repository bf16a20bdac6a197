"""Write files atomically: temporary name, sync, rename.

A reader, or a run after a kill or a power cut at any instant, sees the old file or the new file,
never a part. Temporary names are random and opened exclusively, so that any number of processes may
write the same file, and nobody is led through a link to another one. A failed write leaves nothing.
A store writes its objects whole by itself (facelet.pipeline.dataset.store_address).

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

from facelet.pipeline.dataset.scratch_folder import open_scratch_folder
from facelet.pipeline.dataset.store_address import StoreAddress


class DiskOperations:
    """What the operating system does with names and bytes; each call may fail with OSError."""

    def sync_path(self, path: Path) -> None:
        """Force a file's bytes, or a folder's names, onto the disk."""
        windows = sys.platform == "win32"
        if windows and path.is_dir():  # which keeps its names by itself, and opens no folder
            return
        handle = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def create_file(self, path: Path) -> BinaryIO:
        """Open a new file; a file or link that has its name already is an error."""
        return path.open("xb")

    def append_bytes(self, handle: int, data: memoryview) -> int:
        """Append bytes to an open file; return how many were written."""
        return os.write(handle, data)

    def rename_file(self, old: Path, new: Path) -> None:
        """Give a file another name, whose file it replaces."""
        os.replace(old, new)

    def remove_file(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def create_folder(self, path: Path) -> None:
        """Make a folder inside one that is there."""
        path.mkdir(exist_ok=True)


disk = DiskOperations()
"""The one in use."""


def sync_path(path: Path) -> None:
    """Force a file's bytes, or a folder's names, onto the disk."""
    if not isinstance(path, StoreAddress):
        disk.sync_path(path)


def create_folder(path: Path) -> None:
    """Make a folder with all those above it, durably; one that is there is left as it is."""
    if isinstance(path, StoreAddress):
        return
    for folder in reversed((path, *path.parents)):
        if not folder.is_dir():
            disk.create_folder(folder)
            disk.sync_path(folder.parent)


def publish_file(temporary: Path, final: Path) -> None:
    """Move a complete, synced file to its final name on the same file system, durably."""
    if isinstance(temporary, StoreAddress):
        temporary.move_object(final)
        return
    create_folder(final.parent)
    disk.rename_file(temporary, final)
    disk.sync_path(final.parent)


def remove_file(path: Path) -> None:
    """Remove a file durably, if it is there."""
    if isinstance(path, StoreAddress):
        path.unlink(missing_ok=True)
        return
    try:
        disk.remove_file(path)
    except FileNotFoundError:
        return
    disk.sync_path(path.parent)


@contextmanager
def stage_local_file(path: Path) -> Iterator[Path]:
    """Yield the file of this machine that is to be written in the block in place of another.

    Args:
        path: the other: the same file, or one of a store, which takes it when the block ends.
    """
    if not isinstance(path, StoreAddress):
        yield path
        return
    with open_scratch_folder("store") as folder:
        here = folder / path.name
        yield here
        path.upload_file(here)


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """Write a file in the block; it appears when the block ends, and not at all if that fails.

    Args:
        path: the file, replaced if it is there; folders above it are made.
    """
    if isinstance(path, StoreAddress):
        with stage_local_file(path) as here, here.open("xb") as file:
            yield file
        return
    create_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    try:
        with disk.create_file(temporary) as file:
            yield file
        disk.sync_path(temporary)
        publish_file(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        name_file(error, path)
        raise


def name_file(error: BaseException, path: Path) -> None:
    """Let the message of an error of the system name a file, if it names none."""
    if isinstance(error, OSError) and error.errno is not None and error.filename is None:
        error.filename = str(path)


def append_line(path: Path, handle: int, line: bytes) -> None:
    """Append a line to a file, whole; where that fails, the file stays as it was.

    Args:
        path: the file, for errors.
        handle: the file, open for appending.
        line: the line without its end.
    """
    end, rest = os.fstat(handle).st_size, memoryview(line + b"\n")
    try:
        while rest:
            rest = rest[disk.append_bytes(handle, rest) :]
    except BaseException as error:
        os.ftruncate(handle, end)
        name_file(error, path)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file, line ends as they stand, whole or not at all."""
    with write_atomically(path) as file:
        file.write(text.encode("utf-8"))
