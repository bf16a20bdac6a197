"""Apart: the classes of what the rows of named datasets can show, so that a stream shows none.

A class is that of `generators/core/shown_keys.py`: equal for what symmetry makes equal. Rows of
training splits are passed over; those of all other splits are held out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.effective_rows import SHOWN
from facelet.pipeline.dataset.row_columns import is_training


@dataclass(frozen=True, slots=True)
class ExcludedRows:
    """What a stream may not show.

    Attributes:
        classes: classes of all that the rows that are held out can show.
        splits: names and weights of the splits of the first dataset that has a training split;
            none where no dataset has one.
    """

    classes: frozenset[str] = frozenset()
    splits: tuple[tuple[str, int], ...] = ()


def collect_held_out(folders: Iterable[str | Path]) -> ExcludedRows:
    """Return what datasets hold out.

    Args:
        folders: built or downloaded datasets.

    Raises:
        ValueError: there is no such dataset, or its rows do not say what they show.
    """
    classes: set[str] = set()
    splits: tuple[tuple[str, int], ...] = ()
    for folder in map(Path, folders):
        folder = folder.expanduser()
        for part in dataset_reader.list_splits(folder):
            if is_training(part.name):
                continue
            if SHOWN not in part.arrow_schema().names:
                raise ValueError(
                    f"{str(folder)!r} was built before rows said what they show; build it again, "
                    "or leave it out of apart=..."
                )
            for row in part.iterate_rows([SHOWN]):
                classes.update(row[SHOWN] or ())
        if not splits and (folder / dataset_reader.MANIFEST).is_file():
            known = dataset_reader.read_manifest(folder).splits
            if any(map(is_training, known)):
                splits = tuple(known.items())
    return ExcludedRows(frozenset(classes), splits)
