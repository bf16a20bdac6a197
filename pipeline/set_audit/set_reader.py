"""Read the files of a public set: untrusted, bounded, as text only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from facelet.pipeline.dataset.input_files import open_input_file

MAX_LINE = 200_000
"""Bytes of a line; a longer one is an error."""

MAX_FILES = 10_000


def list_files(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder by a pattern of names, sorted.

    Raises:
        ValueError: there is no such folder, no such file, or there are too many.
    """
    if not folder.is_dir():
        raise ValueError(f"folder={folder} is no folder; name the folder that contains the set")
    found: list[Path] = []
    for path in folder.rglob(pattern):
        found.append(path)
        if len(found) > MAX_FILES:
            raise ValueError(f"{folder} has more than {MAX_FILES:,} files named {pattern}")
    if not found:
        raise ValueError(
            f"{folder} has no file named {pattern}; `facelet audit-set list` states what it needs"
        )
    return sorted(found)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that is not blank.

    Raises:
        ValueError: a line is too long, or the file is no regular file.
    """
    with open_input_file(path) as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise ValueError(f"line {number} of {path} is longer than {MAX_LINE:,} bytes")
            if text := line.decode("utf-8", errors="replace").rstrip("\r\n"):
                yield number, text
