"""Compute keys of what rows show, by which rows are compared and split.

A key is the canonical text of a state, a picture or a statement, equal for those that symmetry
makes equal. Tasks list the keys of each row (Task.list_shown_keys); a class is the short hash of
one, by which rows of all tasks of a family are compared: in clusters, intervals and splits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from facelet.generators.core.row_schema import Column
from facelet.generators.core.seeding import digest_names

DIGITS = 12
"""Hexadecimal digits of a class: of a million classes two are equal with one chance in 500."""


@dataclass(frozen=True, slots=True)
class RowQuota:
    """How many rows of a config may hold the same value of a column.

    Attributes:
        column: name of the column.
        rows: the most rows of one split that share a value. The first row of an item is always
            kept, and counts; the others are given to one item after the other, at all levels.
    """

    column: str
    rows: int


def of_columns(columns: Sequence[Column], row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the key of a row that shows its puzzle only.

    The columns of role "canonical", where there are some, else those of role "puzzle".
    """
    for role in ("canonical", "puzzle"):
        if any(column.role == role for column in columns):
            return (_of_role(role, columns, row),)
    return ()


def puzzle_of(columns: Sequence[Column], row: Mapping[str, Any]) -> str:
    """Return the columns of role "puzzle" of a row as one text."""
    return _of_role("puzzle", columns, row)


def _of_role(role: str, columns: Sequence[Column], row: Mapping[str, Any]) -> str:
    values = [row[column.name] for column in columns if column.role == role]
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(values, separators=(",", ":"))


def class_of(task: str, key: str) -> str:
    """Return the class of a key, DIGITS hexadecimal digits.

    Args:
        task: name of the task; tasks of one family share their classes.
        key: the key.
    """
    return digest_names("shown", task.partition("/")[0], key).hex()[:DIGITS]


def list_sorted_classes(task: str, keys: Iterable[str]) -> list[str]:
    """Return the classes of some keys, sorted, each once."""
    return sorted({class_of(task, key) for key in keys})


def split_of(key: str, splits: Sequence[tuple[str, int]]) -> str:
    """Return the split that a key belongs to: the same for every seed, task and level.

    Args:
        key: what no two splits may share.
        splits: names and weights; a split gets keys in proportion to its weight.
    """
    bounds = list(accumulate(weight for _, weight in splits))
    ticket = int.from_bytes(digest_names("split", key)[:16], "little") % bounds[-1]
    return next(name for (name, _), bound in zip(splits, bounds, strict=True) if ticket < bound)
