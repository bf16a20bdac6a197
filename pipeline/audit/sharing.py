"""Sharing: how many rows of evaluation splits show what a row for training shows.

What the first prompt of a row shows is in one split only, where its task draws from pools that are
parted, or says by its `parted` which split a row belongs to; there a shared class is an error. What
later turns of a loop show, and the rows of a task that draws for each split by itself, is counted.
"""

from __future__ import annotations

from collections import Counter
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
    begun: set[str] = set()
    shown: set[str] = set()
    single = True
    evaluation: set[str] = set()
    for row in rows:
        single = single and len(row.shown) == 1
        if is_training(row.split):
            begun.add(row.first)
            shown.update(row.shown)
        else:
            evaluation.add(row.split)
    if not begun:
        return {}
    found: dict[Scope, dict[str, Figure]] = {}
    many, first, later = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        if row.split in evaluation:
            many[row.split] += 1
            first[row.split] += row.first in begun
            later[row.split] += not shown.isdisjoint(row.shown)
    for split, size in many.items():
        found[split, ""] = {
            FIRST: _figure(first[split] / size, size, "" if apart(task) else DRAWN),
            ANY: _figure(
                later[split] / size, size, DRAWN if not apart(task) else "" if single else LATER
            ),
        }
    return found


def _figure(value: float, rows: int, why: str) -> Figure:
    """Return a share of rows that must be 0, unless there is a reason."""
    if why:
        return Figure(value, n=rows, note=why if value else "")
    return Figure(value, at_most=0, n=rows)
