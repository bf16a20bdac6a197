"""Write the files that all formats share: rows as samples, JSON, JSON lines, claimed folders."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from facelet.pipeline.dataset.atomic_files import (
    create_folder,
    remove_unfinished_files,
    write_atomically,
    write_text,
)
from facelet.pipeline.dataset.dataset_reader import IMAGES, SplitFiles


@dataclass(frozen=True, slots=True)
class RowSample:
    """A row, its pictures apart.

    Attributes:
        values: all columns but the pictures, as plain values of Python.
        pictures: the PNG files, in order.
    """

    values: Mapping[str, object]
    pictures: tuple[bytes, ...]


def iterate_row_samples(split: SplitFiles) -> Iterator[RowSample]:
    """Yield the rows of a split in published order.

    Raises:
        ValueError: a shard cannot be read.
    """
    for row in split.iterate_rows(images=True):
        pictures = row.pop(IMAGES)
        yield RowSample(row, tuple(one["bytes"] for one in pictures))


def to_compact_json(value: object) -> str:
    """Return a value as JSON without spaces, the same on every machine."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_readable_json(value: object, *, sort_keys: bool = False) -> str:
    """Return a value as the text of a JSON file for people."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=sort_keys) + "\n"


@dataclass(slots=True)
class JsonLines:
    """An open file of JSON lines.

    Attributes:
        file: the file.
        count: lines written so far.
        digest: SHA-256 of the bytes written so far.
    """

    file: BinaryIO
    count: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, value: object) -> None:
        """Write a value as one line."""
        line = (json.dumps(value, ensure_ascii=False) + "\n").encode()
        self.digest.update(line)
        self.file.write(line)
        self.count += 1


@contextmanager
def open_json_lines(path: Path) -> Iterator[JsonLines]:
    """Write JSON lines in the block; the file appears when the block ends without an error."""
    with write_atomically(path) as file:
        yield JsonLines(file)


def claim_folder(out: Path, name: str, mark: str) -> None:
    """Create a folder and mark it, or check that an existing one has the same mark.

    Args:
        out: the folder.
        name: the file in it that contains the mark.
        mark: identifies what is written there.

    Raises:
        ValueError: the folder contains something else.
    """
    path = out / name
    remove_unfinished_files(out, f".{name}.*.tmp")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        create_folder(out)
        write_text(path, mark)
    elif not path.is_file() or path.read_text() != mark:
        raise ValueError(
            f"out={out} contains something else than this dataset in this form; name a new folder"
        )
    remove_unfinished_files(out)
