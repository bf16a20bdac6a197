"""Compute the keys of duplicate rows, and how many independent trials the rows are worth.

The audit counts rows with equal keys as the same; a build draws such items again.

To estimate independent trials, rows are clustered by what they show, not by where they start
(`shown`, see facelet.generators.core.task). Rows that show one state each are one cluster if they
show the same class; rows that show several, if they start in the same class. A dataset that was
made before rows recorded what they show has its base puzzles (`group`) as clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from facelet.generators.core.shown_keys import class_of, of_columns
from facelet.generators.core.task import Column
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.dataset.row_hashes import hash_value
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


SHOWN = "shown"
EFFECTIVE = "effective_rows"
"""The figure of an audit that says how many independent trials the rows of a split are worth."""


def list_cluster_columns(columns: Sequence[Column]) -> list[str]:
    """Return the columns of rows that `cluster_key` reads, beside `shown` and `group`.

    Args:
        columns: the columns of their task.
    """
    return [column.name for column in columns if column.role == "canonical"]


def cluster_key(task: str, columns: Sequence[Column], row: Mapping[str, Any]) -> str:
    """Return the key of a row's cluster.

    Args:
        task: name of its task.
        columns: the columns of the task.
        row: its `group`, its `shown` if it has it, and the columns that are `list_cluster_columns`.
    """
    shown: Sequence[str] = row.get(SHOWN) or ()
    if len(shown) == 1:
        return shown[0]
    if shown and list_cluster_columns(columns):
        for key in of_columns(columns, row):
            if (first := class_of(task, key)) in shown:
                return first
    return str(row["group"])


def effective_from_sizes(sizes: npt.ArrayLike) -> float:
    """Return how many independent trials rows are at least worth, from the sizes of clusters.

    This is Kish's effective size.
    """
    each = np.asarray(sizes, dtype=np.int64)
    return effective_from_squares(int(each.sum()), int((each * each).sum()))


def effective_from_squares(rows: int, squares: int) -> float:
    """Return how many independent trials rows are at least worth.

    Args:
        rows: how many they are.
        squares: the sum of the squares of the sizes of their clusters.
    """
    return rows**2 / squares if rows else 0.0


def read_effective_count(audit: Mapping[str, Any], split: str) -> float | None:
    """Return how many trials the rows of a split are worth, as an audit says; None if it does not.

    Args:
        audit: the audit of a config, as its manifest has it; it may be older, or anything.
        split: the split.
    """
    found: Any = audit
    for name in (split, "figures", EFFECTIVE, "value"):
        found = found.get(name) if isinstance(found, Mapping) else None
    return float(found) if isinstance(found, int | float) else None
