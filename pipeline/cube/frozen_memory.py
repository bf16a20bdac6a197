"""Copy a file into memory that nobody can modify.

A mapped file is not enough: writes to the file appear in the mapping. So the bytes are copied, and
the copy is hashed. There are two kinds of copies:

    own     anonymous memory of this process, on any system
    sealed  a file without a name (memfd_create), sealed with F_SEAL_WRITE, F_SEAL_SHRINK,
            F_SEAL_GROW and F_SEAL_SEAL, on Linux: from then on the kernel lets no process, its
            creator included, write to it, truncate it or lift the seals. All processes of a user
            can map it, so one copy per machine serves all searches.

A sealed copy is found by its label among the open files of this user's processes. It is not
trusted: each process checks its size and seals and hashes it. Trusted are this process's own
memory, the kernel, and whatever may write into any process (a debugger of the same user, the
superuser).
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from facelet.generators.cube.distance.pruning_tables import Memory, count_processors

_HUGE = 1 << 21
_PIECE = 1 << 24
"""Bytes that one thread reads at a time."""


def allocate_anonymous(size: int) -> Memory:
    """Return zeroed memory that only this process has, in huge pages where there are some."""
    length = (size + _HUGE - 1) // _HUGE * _HUGE
    if sys.platform == "win32":
        mapping = mmap.mmap(-1, length)
    else:
        mapping = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _ask_huge(mapping)
    return np.frombuffer(mapping, dtype=np.uint8)[:size]


def read_private(path: Path, size: int) -> Memory | None:
    """Return the content of a file, copied into memory of this process alone.

    Args:
        path: the file.
        size: its bytes.

    Returns:
        uint8 (size,), read only; None if the file has, or had while it was read, another size.

    Raises:
        OSError: the file is not there, or cannot be read.
    """
    memory = allocate_anonymous(size)
    if not _fill_view(path, memory.data):
        return None
    memory.setflags(write=False)
    return memory


def can_seal() -> bool:
    """Whether this system can seal memory."""
    return sys.platform == "linux" and hasattr(os, "memfd_create")


def read_sealed(path: Path, size: int, label: str) -> Memory | None:
    """Return the content of a file, copied into sealed memory that others find by the label.

    Args:
        path: the file.
        size: its bytes.
        label: plain ASCII, at most 200 letters.

    Returns:
        uint8 (size,), read only; None if the file has, or had while it was read, another size.

    Raises:
        OSError: the file is not there, cannot be read, or there is no sealed memory to be had.
    """
    if sys.platform != "linux":
        raise OSError("this system cannot seal memory")
    import fcntl

    handle = os.memfd_create(label, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(handle, size)
        with mmap.mmap(handle, size) as writable:
            _ask_huge(writable)
            with memoryview(writable) as view:
                if not _fill_view(path, view):
                    return None
        # Refused as long as anybody has a writable mapping of it.
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _compute_required_seals())
        return _map_file(handle, size)
    finally:
        os.close(handle)


def iterate_sealed(size: int, label: str) -> Iterator[Memory]:
    """Yield the sealed memory of this size and label that processes of this user have open.

    The caller hashes the content.
    """
    if sys.platform != "linux":
        return
    import fcntl

    seen: set[tuple[int, int]] = set()
    for path in _iterate_holders(f"/memfd:{label} (deleted)"):
        try:
            # Not to wait, should somebody have put a pipe there since.
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            status = os.fstat(handle)
            place = (status.st_dev, status.st_ino)
            if place in seen or status.st_size != size:
                continue
            seen.add(place)
            if (
                fcntl.fcntl(handle, fcntl.F_GET_SEALS) & _compute_required_seals()
                != _compute_required_seals()
            ):
                continue
            memory = _map_file(handle, size)
        except OSError:
            continue
        finally:
            os.close(handle)
        yield memory


def _compute_required_seals() -> int:
    """Return the seals that sealed memory bears."""
    if sys.platform != "linux":
        return 0
    import fcntl

    return fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def _iterate_holders(target: str) -> Iterator[str]:
    """Yield the open files of this user's processes, this one's first, that point to a target."""
    for process in ("self", *_list_processes()):
        folder = f"/proc/{process}/fd"
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            try:
                if os.readlink(path := f"{folder}/{name}") == target:
                    yield path
            except OSError:
                continue


def _list_processes() -> list[str]:
    """Return the numbers of this user's other processes."""
    mine = []
    try:
        with os.scandir("/proc") as entries:
            for entry in entries:
                if entry.name.isdigit() and entry.name != str(os.getpid()):
                    try:
                        if entry.stat().st_uid == os.getuid():
                            mine.append(entry.name)
                    except OSError:
                        continue
    except OSError:
        return []
    return mine


def _map_file(handle: int, size: int) -> Memory:
    """Return an open file's bytes, read only; the mapping keeps the file open for others."""
    mapping = mmap.mmap(handle, size, access=mmap.ACCESS_READ)
    _ask_huge(mapping)
    return np.frombuffer(mapping, dtype=np.uint8)


def _ask_huge(mapping: mmap.mmap) -> None:
    """Ask for huge pages, which searches are up to 1.5 times faster in; a hint, no more."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            mapping.madvise(mmap.MADV_HUGEPAGE)
        except (OSError, ValueError):
            return


def _fill_view(path: Path, view: memoryview) -> bool:
    """Read a whole file into memory; return whether it had as many bytes.

    Raises:
        OSError: it is not there, or cannot be read.
    """

    def read_range(start: int) -> bool:
        end = min(start + _PIECE, len(view))
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            while start < end:
                with view[start:end] as rest:
                    got = file.readinto(rest)
                if not got:
                    return False
                start += got
        return True

    if path.stat().st_size != len(view):
        return False
    with ThreadPoolExecutor(count_processors()) as pool:
        return all(list(pool.map(read_range, range(0, len(view), _PIECE))))
