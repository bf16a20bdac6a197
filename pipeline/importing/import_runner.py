"""Run an import: read the items, write each line that became no row, then the dataset as a whole.

A paper whose record names its authors' item format (`Paper.items`) reads it in the module `items`
of its folder; a family reads puzzles in its module `puzzles`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, get_args

from facelet.pipeline import papers as house
from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.dataset.atomic_files import write_folder, write_text
from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.importing.import_writer import (
    PlacedItem,
    assign_ids,
    write_dataset,
    write_rejected,
)
from facelet.pipeline.importing.imported_items import ImportedItems, Outcome, RejectedItem
from facelet.pipeline.importing.settings import PUZZLES, ImportSettings
from facelet.pipeline.json_types import JSON
from facelet.pipeline.papers.paper_registry import load_papers

Answers = tuple[list[str], list[RejectedItem]]
"""Lines of a prediction file, and the rejected transcripts."""


class ItemReader(Protocol):
    """The module of a paper that reads its authors' items."""

    def read(self, folder: Path, seed: int) -> ImportedItems:
        """Return the items of a folder of their files."""
        ...

    def answers(self, path: Path, placed: Sequence[PlacedItem]) -> Answers:
        """Return transcripts of runs as predictions of our rows."""
        ...


def read_items(settings: ImportSettings) -> ImportedItems:
    """Return the items that the settings name.

    Raises:
        ValueError: there is no such task, or the files have no item of the format.
        OSError: a file cannot be read.
    """
    if settings.format == PUZZLES:
        from facelet.pipeline.importing.imported_items import read_puzzle_file

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


MAX_REASONS = 8
"""Most reasons that are printed; the file has all of them."""


def run_import(settings: ImportSettings) -> int:
    """Import, report, and return 0, or 1 where a line became no row.

    Raises:
        ValueError: the folder exists already, or there is nothing to import.
        OSError: a file cannot be read or written.
    """
    settings.check_keys()
    out = settings.out
    if out.exists():
        raise ValueError(f"{str(out)!r} exists already; name another folder with out=...")
    found = read_items(settings)
    placed, broken = assign_ids(found)
    if not placed and not broken:
        raise ValueError(f"{str(settings.source_path)!r} has no items of format={settings.format}")
    told = []
    if broken:
        path = Path(f"{out}.broken.jsonl")
        write_rejected(broken, path)
        told.append(f"{path}: {_format_outcomes(broken)}\n{_format_reasons(broken)}")
    refused: Sequence[RejectedItem] = ()
    if settings.answers is not None and placed:
        lines, refused = read_transcripts(settings, placed)
        path = Path(f"{out}.answers.jsonl")
        write_text(path, "".join(lines))
        told.append(f"{path}: {len(lines)} transcripts; `facelet score` replays them")
        if refused:
            path = Path(f"{out}.answers.broken.jsonl")
            write_rejected(refused, path)
            told.append(f"{path}: {len(refused)} transcripts rejected\n{_format_reasons(refused)}")
    if placed:  # Last, as it refuses another run.
        with write_folder(out) as work:
            record = _settings_record(settings)
            rows = write_dataset(found, placed, work, settings.seed, record)
        told.insert(0, f"{out}: {rows} rows of {len(placed)} items")
    else:
        told.insert(0, "no item became a row; no dataset is written")
    print(sanitize_text("\n".join(told)))
    return int(bool(broken or refused))


def _format_outcomes(broken: Sequence[RejectedItem]) -> str:
    """Return how many lines have which outcome."""
    counts = Counter(one.outcome for one in broken)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in get_args(Outcome))


def _format_reasons(broken: Sequence[RejectedItem]) -> str:
    """Return the commonest reasons, each with its outcome, count and first line."""
    first: dict[tuple[str, str], str] = {}
    for one in broken:
        first.setdefault((one.outcome, one.reason), one.line.location)
    counts = Counter((one.outcome, one.reason) for one in broken).most_common()
    lines = [
        f"  {count} x {key[0]}: {key[1]} (first: {first[key]})"
        for key, count in counts[:MAX_REASONS]
    ]
    if len(counts) > MAX_REASONS:
        lines.append(f"  and {len(counts) - MAX_REASONS} other reasons in the file")
    return "\n".join(lines)


def _settings_record(settings: ImportSettings) -> JSON:
    """Return everything that decides the rows, as plain values."""
    source = settings.source_path
    files = [source] if source.is_file() else sorted(source.rglob("*.jsonl"))
    return [
        *(settings.format, settings.task, settings.metric, settings.seed, settings.limit),
        [[path.name, hash_file(path)] for path in files],
    ]
