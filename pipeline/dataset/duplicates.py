"""Sameness: what of two rows must differ, as texts and hashes.

The audit counts rows that are the same by these; a build draws such items anew where it finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from facelet.pipeline.dataset.hashing import hash_value
from facelet.pipeline.dataset.rows import AnyRow
from facelet.pipeline.families import AnyTask

_APART = ("id", "provenance", "images", "shown")


def content(row: AnyRow) -> str:
    """Return the hash of all that a row says, but for its name and how it came about."""
    return hash_value({name: value for name, value in row.items() if name not in _APART})


def prompt(task: AnyTask, row: AnyRow) -> str:
    """Return the hash of messages and pictures, and of what only a later turn can show."""
    hidden = [value for kind in ("secret", "unseen") for value in role(task, kind, row)]
    return hash_value([row["messages"], row["image_hashes"], *hidden])


def puzzle(task: AnyTask, row: AnyRow) -> str:
    """Return the puzzle itself as text; "" where no column has that role."""
    return joined(task, row, "puzzle", "secret", "options")


def joined(task: AnyTask, row: AnyRow, *roles: str) -> str:
    """Return the values of the columns of some roles as one text."""
    return "|".join(str(value) for kind in roles for value in role(task, kind, row))


def role(task: AnyTask, kind: str, row: AnyRow) -> Iterator[Any]:
    """Yield the values of the columns of a role, lists unrolled, in the order of the columns.

    Args:
        task: whose columns.
        kind: the role.
        row: the row.
    """
    for column in task.columns:
        if column.role == kind and (value := row[column.name]) is not None:
            yield from value if isinstance(value, list) else [value]
