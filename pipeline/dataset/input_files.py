"""Open input files: every file ends, and its size bounds the work that reading it may take.

A pipe, a device or a socket may never end, so no verb reads one. A sparse file reads as far more
bytes than it occupies: one that reads as more than STORED_TIMES the bytes stored is refused, beyond
what any file may have.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from facelet.pipeline.dataset.store_address import StoreAddress

STORED_TIMES = 100
"""Bytes that a file may read as for each byte that it occupies, ..."""

SPARSE_FREE = 64 << 20
"""... beyond these."""


def check_input_path(path: Path, name: str = "") -> None:
    """Refuse a path of a pipe, device or socket, and a sparse file; one that is missing passes.

    Args:
        path: the path.
        name: how the message names it.

    Raises:
        ValueError: it is one of these.
    """
    if isinstance(path, StoreAddress):
        return
    try:
        status = path.stat()
    except (OSError, ValueError):  # Whoever opens it says what is wrong.
        return
    _check_status(status, name or str(path))


def open_input_file(path: Path) -> Any:
    """Open a file for reading bytes, and never wait for a writer.

    Raises:
        ValueError: it is a pipe, device or socket, or a sparse file.
        OSError: it cannot be opened.
    """
    if isinstance(path, StoreAddress):
        return path.open("rb")
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NONBLOCK))
    try:
        _check_status(os.fstat(file.fileno()), str(path))
    except ValueError:
        file.close()
        raise
    return file


_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


def _check_status(status: os.stat_result, name: str) -> None:
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise ValueError(
            f"{name} is a pipe, device or socket, which may never end; copy its content into a "
            "file and name that"
        )
    stored = 512 * getattr(status, "st_blocks", status.st_size)
    if stat.S_ISREG(status.st_mode) and status.st_size > SPARSE_FREE + STORED_TIMES * stored:
        raise ValueError(
            f"{name} is sparse: it reads as {status.st_size:,} bytes and occupies {stored:,}; "
            f"allowed: {STORED_TIMES} times; give the file without holes"
        )
