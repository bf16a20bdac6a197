"""Formats: whose item files can be read, and the reader of each, found by name.

A paper whose record names its authors' form of items (`Paper.items`) reads it in the module `items`
of its folder; a family reads puzzles in its module `puzzles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from facelet.pipeline import papers as house
from facelet.pipeline.importing.items import Broken, Found
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.importing.writing import Placed
from facelet.pipeline.papers.rooms import papers

Answers = tuple[list[str], list[Broken]]
"""Lines of a prediction file, and transcripts that none was made of."""


class Reader(Protocol):
    """The module of a paper that reads its authors' items."""

    def read(self, folder: Path, seed: int) -> Found:
        """Return the items of a folder of their files."""
        ...

    def answers(self, path: Path, placed: Sequence[Placed]) -> Answers:
        """Return transcripts of their runs as predictions of our rows."""
        ...


def known() -> Sequence[str]:
    """Return the forms of papers' authors."""
    return [paper.items for paper in papers().values() if paper.items]


def read(settings: ImportSettings) -> Found:
    """Return the items that the settings name.

    Raises:
        ValueError: there is no such task, or the files hold nothing of the form.
        OSError: a file cannot be read.
    """
    if settings.format == PUZZLES:
        from facelet.pipeline.importing.puzzles import read as read_puzzles

        return read_puzzles(settings)
    return _reader(settings.format).read(settings.source, settings.seed)


def answers(settings: ImportSettings, placed: Sequence[Placed]) -> Answers:
    """Return the transcripts that the settings name as predictions of imported rows.

    Args:
        settings: the settings, with `answers`.
        placed: the imported items.

    Raises:
        ValueError: there are no such files.
        OSError: a file cannot be read.
    """
    assert settings.answers is not None
    return _reader(settings.format).answers(settings.answers, placed)


def _reader(name: str) -> Reader:
    rooms = {paper.items: paper.name for paper in papers().values() if paper.items}
    reader: Reader = import_module(f"{house.__name__}.{rooms[name]}.items")
    return reader
