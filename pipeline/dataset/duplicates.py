"""Compute the keys by which two rows count as duplicates.

The audit counts rows that are the same by these; a build draws such items anew where it finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from facelet.pipeline.dataset.content_hash import hash_value
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.family_modules import AnyTask

_EXCLUDED_COLUMNS = ("id", "provenance", "images", "shown")


def content_key(row: AnyRow) -> str:
    """Return the hash of all that a row says, but for its name and how it came about."""
    return hash_value({name: value for name, value in row.items() if name not in _EXCLUDED_COLUMNS})


def prompt_key(task: AnyTask, row: AnyRow) -> str:
    """Return the hash of messages and pictures, and of what only a later turn can show."""
    hidden = [
        value for kind in ("secret", "unseen") for value in iterate_role_values(task, kind, row)
    ]
    return hash_value([row["messages"], row["image_hashes"], *hidden])


def puzzle_key(task: AnyTask, row: AnyRow) -> str:
    """Return the puzzle itself as text; "" where no column has that role."""
    return join_role_values(task, row, "puzzle", "secret", "options")


def join_role_values(task: AnyTask, row: AnyRow, *roles: str) -> str:
    """Return the values of the columns of some roles as one text."""
    return "|".join(str(value) for kind in roles for value in iterate_role_values(task, kind, row))


def iterate_role_values(task: AnyTask, kind: str, row: AnyRow) -> Iterator[Any]:
    """Yield the values of the columns of a role, lists unrolled, in the order of the columns.

    Args:
        task: whose columns.
        kind: the role.
        row: the row.
    """
    for column in task.columns:
        if column.role == kind and (value := row[column.name]) is not None:
            yield from value if isinstance(value, list) else [value]
