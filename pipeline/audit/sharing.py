"""Sharing: how many rows of evaluation splits show what a row for training shows.

What the first prompt of a row shows is in one split only, where its task draws from pools that are
parted, or says by its `parted` which split a row belongs to; there a shared class is an error. What
later turns of a loop show, and the rows of a task that draws for each split by itself, is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.generators.core.task import Task
from facelet.pipeline.audit.limits import Figure, Scope
from facelet.pipeline.audit.observed import Observed
from facelet.pipeline.dataset.rows import is_training
from facelet.pipeline.families import AnyTask

FIRST = "first_shown_in_train"
ANY = "shown_in_train"

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
    training = [row for row in rows if is_training(row.split)]
    if not training:
        return {}
    begun = {row.first for row in training}
    shown = {one for row in training for one in row.shown}
    single = all(len(row.shown) == 1 for row in rows)
    found: dict[Scope, dict[str, Figure]] = {}
    for split in dict.fromkeys(row.split for row in rows if not is_training(row.split)):
        mine = [row for row in rows if row.split == split]
        first = sum(row.first in begun for row in mine) / len(mine)
        later = sum(not shown.isdisjoint(row.shown) for row in mine) / len(mine)
        found[split, ""] = {
            FIRST: _figure(first, len(mine), "" if apart(task) else DRAWN),
            ANY: _figure(later, len(mine), DRAWN if not apart(task) else "" if single else LATER),
        }
    return found


def _figure(value: float, rows: int, why: str) -> Figure:
    """Return a share of rows that must be 0, unless there is a reason."""
    if why:
        return Figure(value, n=rows, note=why if value else "")
    return Figure(value, at_most=0, n=rows)
