"""Files that are whole or absent: temporary name, sync, rename.

A reader, or a run after a kill at any instant, sees the old file or the new file, never a part.
"""

from __future__ import annotations

import os
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
