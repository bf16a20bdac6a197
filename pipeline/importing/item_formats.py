"""Find the reader of an item format by its name.

A paper whose record names its authors' item format (`Paper.items`) reads it in the module `items`
of its folder; a family reads puzzles in its module `puzzles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from facelet.pipeline import papers as house
from facelet.pipeline.importing.import_writer import PlacedItem
from facelet.pipeline.importing.imported_items import ImportedItems, RejectedItem
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.papers.paper_registry import load_papers

Answers = tuple[list[str], list[RejectedItem]]
"""Lines of a prediction file, and the rejected transcripts."""


class ItemReader(Protocol):
    """The module of a paper that reads its authors' items."""

    def read(self, folder: Path, seed: int) -> ImportedItems:
        """Return the items of a folder of their files."""

    def answers(self, path: Path, placed: Sequence[PlacedItem]) -> Answers:
        """Return transcripts of runs as predictions of our rows."""


def read_items(settings: ImportSettings) -> ImportedItems:
    """Return the items that the settings name.

    Raises:
        ValueError: there is no such task, or the files have no item of the format.
        OSError: a file cannot be read.
    """
    if settings.format == PUZZLES:
        from facelet.pipeline.importing.puzzle_items import read_puzzle_file

        return read_puzzle_file(settings)
    return _load_reader(settings.format).read(settings.source_path, settings.seed)


def read_transcripts(settings: ImportSettings, placed: Sequence[PlacedItem]) -> Answers:
    """Return the transcripts that the settings name as predictions of imported rows.

    Args:
        settings: the settings, with `answers`.
        placed: the imported items.

    Raises:
        ValueError: there are no such files.
        OSError: a file cannot be read.
    """
    assert settings.answers is not None
    return _load_reader(settings.format).answers(settings.answers, placed)


def _load_reader(name: str) -> ItemReader:
    rooms = {paper.items: paper.name for paper in load_papers().values() if paper.items}
    reader: ItemReader = import_module(f"{house.__name__}.{rooms[name]}.items")
    return reader
