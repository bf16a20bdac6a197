"""The index of rows: from an id to a row's number, in a few bytes a row.

Ids end in a number inside their cell, `<config>/<label>/<number>`, so a cell's rows are found by
that number in an array; ids of another form have a dictionary. A batch API that takes only
letters, digits, - and _ makes people write other signs for those of an id; such spellings are found
too, where they mean one row only.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from pipeline.scoring.statistics import Ints

_SIGN = re.compile(r"[^A-Za-z0-9]")


def fold(identifier: str) -> str:
    """Return an id with every sign that is no ASCII letter or digit written as a hyphen."""
    return _SIGN.sub("-", identifier)


@dataclass
class RowIndex:
    """The numbers of all rows by id.

    Attributes:
        cells: for the part of an id before its number, the row of each number, or -1.
        others: rows of ids that end in no number.
    """

    cells: dict[str, Ints] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    _folded: dict[str, set[str]] = field(default_factory=dict)

    def get(self, identifier: str) -> int | None:
        """Return the number of the row with this id, or None."""
        before, slash, digits = identifier.rpartition("/")
        cell = self.cells.get(before + slash)
        if cell is not None:
            number = _number(digits)
            if 0 <= number < len(cell) and cell[number] >= 0:
                return int(cell[number])
        return self.others.get(identifier)

    def get_spelled(self, key: str) -> int | None:
        """Return the number of the one row whose id folds to what this folds to, or None."""
        if not self._folded:
            for name in (*self.cells, *self.others):
                self._folded.setdefault(fold(name), set()).add(name)
        folded = fold(key)
        before, hyphen, digits = folded.rpartition("-")
        ids = {name + digits for name in self._folded.get(before + hyphen, ())}
        ids |= self._folded.get(folded, set())
        rows = {row for identifier in ids if (row := self.get(identifier)) is not None}
        return rows.pop() if len(rows) == 1 else None


def index(ids: Iterable[str]) -> RowIndex:
    """Return the index of rows, given their ids in order.

    Raises:
        ValueError: two rows share an id.
    """
    numbers: dict[str, tuple[array[int], array[int]]] = {}
    found = RowIndex()
    row = -1
    for row, identifier in enumerate(ids):
        before, slash, digits = identifier.rpartition("/")
        number = _number(digits)
        if slash and number >= 0:
            cell = numbers.get(before)
            if cell is None:
                cell = numbers[before] = array("q"), array("q")
            cell[0].append(number)
            cell[1].append(row)
        elif found.others.setdefault(identifier, row) != row:
            raise ValueError(_twice(identifier))
    for before in list(numbers):
        places, rows = (np.array(column, dtype=np.int64) for column in numbers.pop(before))
        values, counts = np.unique(places, return_counts=True)
        if counts.max() > 1:
            raise ValueError(_twice(f"{before}/{values[counts.argmax()]:06d}"))
        if values[-1] < 1000 + 4 * len(places):
            row_of = np.full(int(values[-1]) + 1, -1, dtype=np.int64)
            row_of[places] = rows
            found.cells[f"{before}/"] = row_of
        else:
            pairs = zip(places.tolist(), rows.tolist(), strict=True)
            found.others.update((f"{before}/{place:06d}", row) for place, row in pairs)
    return found


def _number(digits: str) -> int:
    """Return the number that ends an id, or -1 when it is not written as row ids write it."""
    usual = len(digits) == 6 or (6 < len(digits) < 16 and digits[0] != "0")
    return int(digits) if usual and digits.isascii() and digits.isdigit() else -1


def _twice(identifier: str) -> str:
    return (
        f"two rows have the id {identifier!r}; the dataset is damaged, download or build it again"
    )
