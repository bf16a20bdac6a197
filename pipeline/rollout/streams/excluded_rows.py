"""Collect what the test rows of datasets can show, so that a stream can exclude it.

Classes are those of `generators/core/task.py`, equal for states that are equal by symmetry.
Rows of training splits are ignored; rows of all other splits are excluded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.duplicates import SHOWN
from facelet.pipeline.dataset.row_columns import is_training


@dataclass(frozen=True, slots=True)
class ExcludedRows:
    """What a stream must not show.

    Attributes:
        classes: classes of everything that excluded rows can show.
        splits: names and weights of the splits of the first dataset with a training split; empty if
            no dataset has one.
    """

    classes: frozenset[str] = frozenset()
    splits: tuple[tuple[str, int], ...] = ()


def collect_held_out(folders: Iterable[str | Path]) -> ExcludedRows:
    """Return what the test rows of datasets can show.

    Args:
        folders: built or downloaded datasets.

    Raises:
        ValueError: a dataset does not exist, or its rows do not record what they show.
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
                    f"{str(folder)!r} was built before rows recorded what they show; build it "
                    "again, or leave it out of apart=..."
                )
            for row in part.iterate_rows([SHOWN]):
                classes.update(row[SHOWN] or ())
        if not splits and (folder / dataset_reader.MANIFEST).is_file():
            known = dataset_reader.read_manifest(folder).splits
            if any(map(is_training, known)):
                splits = tuple(known.items())
    return ExcludedRows(frozenset(classes), splits)
