"""Write files and folders atomically, lock folders, and remove what killed processes left.

All writes that must last go through `disk`, so that a test can replace it with a disk that forgets.

A reader, or a run after a kill or a power cut at any instant, sees the old file or the new file,
never a part. Temporary names are random and opened exclusively, so that any number of processes may
write the same file, and no link can redirect a write. A failed write leaves nothing. A store writes
its objects atomically by itself (facelet.pipeline.dataset.store_address).

A folder, too, appears whole or not at all. It is written beside its place under a temporary name,
synced, and renamed when it is complete. A program that was killed, or found the disk full, leaves
what was there before; the next program that writes there removes its leftovers, under a lock. A
folder that is replaced is moved aside first, and is restored if its successor never came.

Scratch folders are local and removed after use, even after a kill: each has a lock file beside it,
and a program that opens one first removes those whose lock is free, because their process was
killed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from filelock import FileLock, Timeout

from facelet.pipeline.dataset.row_hashes import hash_file
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


UNFINISHED = f".*.{'[0-9a-f]' * 16}.tmp"
"""Names of the temporary files of `write_atomically`."""


def remove_unfinished_files(folder: Path, pattern: str = f"**/{UNFINISHED}") -> None:
    """Remove the temporary files that killed programs left in a folder; no program may write there.

    Args:
        folder: the folder; it may be missing.
        pattern: of their paths in the folder; by default at any depth.
    """
    for path in filter(Path.is_file, folder.glob(pattern)):  # `write_folder` removes its own
        path.unlink(missing_ok=True)


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


@contextmanager
def write_folder(out: Path) -> Iterator[Path]:
    """Yield an empty folder to write into; it takes the place of `out` when the block ends.

    Args:
        out: the folder; one that is there is replaced as a whole.

    Raises:
        ValueError: another program writes there.
    """
    create_folder(out.parent)
    lock = out.with_name(f".{out.name}.lock")
    with hold_lock(lock, f"another program is writing to {str(out)!r}; wait for it to end"):
        for left in out.parent.glob(f".{escape(out.name)}.*.tmp"):
            if left.is_dir():
                shutil.rmtree(left)
            else:  # of a file beside, whose name begins like the folder's
                left.unlink(missing_ok=True)
        beside = out.with_name(f".{out.name}.{token_hex(8)}.tmp")
        aside = out.with_name(f".{out.name}.old")
        _settle_replaced(aside, out)
        try:
            create_folder(beside)
            yield beside
            for path in (*beside.rglob("*"), beside):
                sync_path(path)
            if out.exists():
                out.rename(aside)
            publish_file(beside, out)
        except OSError as error:
            name_file(error, out)
            raise
        finally:
            _settle_replaced(aside, out)
            shutil.rmtree(beside, ignore_errors=True)
            lock.unlink(missing_ok=True)


def _settle_replaced(aside: Path, out: Path) -> None:
    """Remove a folder that was replaced, or put it back if its successor never came."""
    if not aside.exists():
        return
    if out.exists():
        shutil.rmtree(aside)
    else:
        aside.rename(out)


def check_new_folder(out: Path) -> None:
    """Refuse a folder that contains something.

    Raises:
        ValueError: it does, or it is a file.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{str(out)!r} already exists; name another folder with out=...")


def hash_folder(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }


@contextmanager
def open_scratch_folder(use: str) -> Iterator[Path]:
    """Yield an empty folder, which goes when the block ends.

    Args:
        use: what for, a word; the folder's name says it.

    Raises:
        OSError: no folder can be made where the system keeps temporary files.
    """
    place = Path(tempfile.gettempdir())
    _remove_leftovers(place, f"facelet-{use}-")
    while True:
        folder = place / f"facelet-{use}-{token_hex(8)}"
        lock = FileLock(_lock_path(folder))
        with suppress(Timeout):  # somebody who sweeps was quicker
            lock.acquire(timeout=0)
            break
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        _remove_folder(folder, lock)


def _remove_leftovers(place: Path, prefix: str) -> None:
    """Remove what killed processes of this user left."""
    for path in place.glob(f"{prefix}*.lock"):
        # Somebody else may sweep at the same time, or the folder's own process end.
        with suppress(OSError, Timeout):
            if hasattr(os, "getuid") and path.lstat().st_uid != os.getuid():
                continue
            lock = FileLock(path)
            lock.acquire(timeout=0)
            _remove_folder(path.with_suffix(""), lock)


def _remove_folder(folder: Path, lock: FileLock) -> None:
    """Remove a folder, then its lock, which is held."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.name == "nt":  # no file is removed there that is open
        lock.release()
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


def _lock_path(folder: Path) -> Path:
    """Return the path of a folder's lock."""
    return folder.with_name(f"{folder.name}.lock")
