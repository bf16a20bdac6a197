"""Create local scratch folders that are removed after use, even after a kill.

Each has a lock file beside it. Whoever wants a folder first takes away those whose lock nobody
holds any more: their process was killed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from filelock import FileLock, Timeout


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
