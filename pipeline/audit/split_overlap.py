"""Sharing: how many rows of evaluation splits show what a row for training shows.

What the first prompt of a row shows is in one split only, where its task draws from pools that are
parted, or says by its `parted` which split a row belongs to; there a shared class is an error. What
later turns of a loop show, and the rows of a task that draws for each split by itself, is counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from facelet.generators.core.task import Task
from facelet.pipeline.audit.hashed import HASH, hash_of, inside, once
from facelet.pipeline.audit.limits import Figure, Scope
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.rows import is_training
from facelet.pipeline.families import AnyTask
from facelet.pipeline.spools import Spool, ranges

FIRST = "first_shown_in_train"
ANY = "shown_in_train"

_TRAIN = (1 << 64) - 1
"""Stands behind what rows for training show, in place of a number."""

LATER = "later turns of loops pass states near the goal, and these are few"
DRAWN = "the task draws for each split by itself"


def apart(task: AnyTask) -> bool:
    """Return whether no two splits may share what a first prompt of a task shows."""
    by_hash = type(task).parted is not Task.parted
    return by_hash or any(column.role in ("canonical", "family") for column in task.columns)


def shared(rows: Sequence[Observed], task: AnyTask) -> dict[Scope, dict[str, Figure]]:
    """Return the figures of each evaluation split of a config; none without rows for training.

    Args:
        rows: the config's rows.
        task: the task that made them.
    """
    if not any(is_training(row.split) for row in rows):
        return {}
    begins, shows = Spool(HASH + 1), Spool(HASH + 1)
    numbers: dict[str, int] = {}
    split_of = array("H")  # of each row of an evaluation split
    single = True
    for row in rows:
        single = single and len(row.shown) == 1
        split = of = _TRAIN
        if not is_training(row.split):
            split = numbers.setdefault(row.split, len(numbers))
            of = len(split_of)
            split_of.append(split)
        begins.add(hash_of(row.first) + _word(split))
        for shown in row.shown:
            shows.add(hash_of(shown) + _word(of))
    splits = np.array(split_of, dtype=np.int64)
    many = _counted(splits, len(numbers))
    first = np.zeros(len(numbers), dtype=np.int64)
    for found in _in_training(begins):
        first += _counted(found, len(numbers))
    shared_rows = np.zeros(len(splits), dtype=bool)
    for found in _in_training(shows):
        shared_rows[found] = True
    later = _counted(splits[shared_rows], len(numbers))
    return {
        (split, ""): {
            FIRST: _figure(first[k] / many[k], int(many[k]), "" if apart(task) else DRAWN),
            ANY: _figure(
                later[k] / many[k],
                int(many[k]),
                DRAWN if not apart(task) else "" if single else LATER,
            ),
        }
        for split, k in numbers.items()
    }


def _in_training(found: Spool) -> Iterator[npt.NDArray[np.int64]]:
    """Yield of records of evaluation rows what stands behind a hash that a row for training has."""
    for one in ranges([found]):
        train = once(chunk[chunk[:, HASH] == np.uint64(_TRAIN), :HASH] for chunk in one.chunks())
        for chunk in one.chunks():
            mine = chunk[chunk[:, HASH] != np.uint64(_TRAIN)]
            yield mine[inside(mine[:, :HASH], train), HASH].astype(np.int64)


def _counted(numbers: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    return np.bincount(numbers, minlength=size)


def _word(number: int) -> bytes:
    return np.uint64(number).tobytes()


def _figure(value: float, rows: int, why: str) -> Figure:
    """Return a share of rows that must be 0, unless there is a reason."""
    if why:
        return Figure(value, n=rows, note=why if value else "")
    return Figure(value, at_most=0, n=rows)
