"""Write a folder that appears whole, or not at all.

It is written beside its place under a temporary name, synced, and renamed when it is complete. A
program that was killed, or found the disk full, leaves what was there before; what it left beside
it is removed by the next program that writes there, under a lock. A folder that is replaced is
moved aside first, and returns if its successor never came.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from secrets import token_hex

from facelet.pipeline.dataset.atomic_files import (
    create_folder,
    name_file,
    publish_file,
    sync_path,
)
from facelet.pipeline.dataset.content_hash import hash_file
from facelet.pipeline.dataset.file_lock import hold_lock


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
