"""Count the rows of evaluation splits whose displays also occur in training rows.

A display of a first prompt occurs in one split only where the task draws from separate pools, or
assigns rows to splits by its `split_key`; there a shared class is an error. Displays of later turns
of a loop, and rows of a task that draws for each split independently, are counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from facelet.generators.core.task import Task
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.figure_limits import FairnessFigure, Scope
from facelet.pipeline.audit.text_index import HASH, contains_records, hash_text, unique_records
from facelet.pipeline.dataset.row_columns import is_training
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.spill_sort import SpillSorter, split_ranges

FIRST = "first_shown_in_train"
ANY = "shown_in_train"

_TRAIN = (1 << 64) - 1
"""Marks a training row, in place of a row number."""

LATER = "later turns of loops pass states near the goal, and these are few"
RANDOM_DRAWS = "the task draws for each split by itself"


def keeps_splits_apart(task: AnyTask) -> bool:
    """Return whether no two splits may share the display of a first prompt of a task."""
    by_hash = type(task).split_key is not Task.split_key
    return by_hash or any(column.role in ("canonical", "family") for column in task.columns)


def measure_shared_rows(
    rows: Sequence[AuditedRow], task: AnyTask
) -> dict[Scope, dict[str, FairnessFigure]]:
    """Return the figures of each evaluation split of a config; none without training rows.

    Args:
        rows: the config's rows.
        task: the task that made them.
    """
    if not any(is_training(row.split) for row in rows):
        return {}
    begins, shows = SpillSorter(HASH + 1), SpillSorter(HASH + 1)
    numbers: dict[str, int] = {}
    split_of = array("H")  # of each row of an evaluation split
    single = True
    for row in rows:
        single = single and len(row.shown_classes) == 1
        split = of = _TRAIN
        if not is_training(row.split):
            split = numbers.setdefault(row.split, len(numbers))
            of = len(split_of)
            split_of.append(split)
        begins.add(hash_text(row.first) + np.uint64(split).tobytes())
        for shown in row.shown_classes:
            shows.add(hash_text(shown) + np.uint64(of).tobytes())
    splits = np.array(split_of, dtype=np.int64)
    many = np.bincount(splits, minlength=len(numbers))
    first = np.zeros(len(numbers), dtype=np.int64)
    for found in _iterate_train_matches(begins):
        first += np.bincount(found, minlength=len(numbers))
    shared_rows = np.zeros(len(splits), dtype=bool)
    for found in _iterate_train_matches(shows):
        shared_rows[found] = True
    later = np.bincount(splits[shared_rows], minlength=len(numbers))
    return {
        (split, ""): {
            FIRST: _build_figure(
                first[k] / many[k], int(many[k]), "" if keeps_splits_apart(task) else RANDOM_DRAWS
            ),
            ANY: _build_figure(
                later[k] / many[k],
                int(many[k]),
                RANDOM_DRAWS if not keeps_splits_apart(task) else "" if single else LATER,
            ),
        }
        for split, k in numbers.items()
    }


def _iterate_train_matches(found: SpillSorter) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the row numbers of evaluation records whose hash a training row has."""
    for one in split_ranges([found]):
        train = unique_records(
            chunk[chunk[:, HASH] == np.uint64(_TRAIN), :HASH] for chunk in one.iterate_chunks()
        )
        for chunk in one.iterate_chunks():
            mine = chunk[chunk[:, HASH] != np.uint64(_TRAIN)]
            yield mine[contains_records(mine[:, :HASH], train), HASH].astype(np.int64)


def _build_figure(value: float, rows: int, why: str) -> FairnessFigure:
    """Return a share of rows that must be 0, unless there is a reason."""
    if why:
        return FairnessFigure(value, n=rows, note=why if value else "")
    return FairnessFigure(value, at_most=0, n=rows)
