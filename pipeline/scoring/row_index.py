"""Map row ids to row numbers, in a few bytes per row.

Ids end in a number inside their cell, `<config>/<label>/<number>`, so the rows of a cell are found
by that number in an array; a dictionary maps ids of any other form. A batch API that allows only
letters, digits, - and _ forces people to replace the other signs of an id; such spellings are found
too, where they mean exactly one row.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from facelet.pipeline.scoring.array_types import Ints

_USUAL = 6
"""Digits of a row's number in its cell, unless it needs more."""

_SIGN = re.compile(r"[^A-Za-z0-9]")


def fold_id(identifier: str) -> str:
    """Return an id with every sign that is no ASCII letter or digit written as a hyphen."""
    return _SIGN.sub("-", identifier)


@dataclass
class RowIndex:
    """The numbers of all rows by id.

    Attributes:
        cells: for the part of an id before its number, the row of each number, or -1.
        others: rows of ids without a final number.
    """

    cells: dict[str, array[int]] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    _folded: dict[str, set[str]] = field(default_factory=dict)

    def find_row(self, identifier: str) -> int | None:
        """Return the number of the row with this id, or None."""
        digits = identifier[-_USUAL:]
        if (cell := self.cells.get(identifier[:-_USUAL])) is None:
            before, slash, digits = identifier.rpartition("/")
            cell = self.cells.get(before + slash)
        if cell is not None:
            number = _trailing_number(digits)
            if 0 <= number < len(cell) and (row := cell[number]) >= 0:
                return row
        return self.others.get(identifier)

    def get_spelled(self, key: str) -> int | None:
        """Return the number of the one row whose id folds to what this folds to, or None."""
        if not self._folded:
            for name in (*self.cells, *self.others):
                self._folded.setdefault(fold_id(name), set()).add(name)
        folded = fold_id(key)
        before, hyphen, digits = folded.rpartition("-")
        ids = {name + digits for name in self._folded.get(before + hyphen, ())}
        ids |= self._folded.get(folded, set())
        rows = {row for identifier in ids if (row := self.find_row(identifier)) is not None}
        return rows.pop() if len(rows) == 1 else None


def build_index(batches: Iterable[pa.Array]) -> RowIndex:
    """Return the index of rows.

    Args:
        batches: the ids in order, as string arrays.

    Raises:
        ValueError: two rows share an id.
    """
    found = RowIndex()
    cells: dict[str, list[tuple[Ints, Ints]]] = {}
    start = 0
    for batch in batches:
        ids = batch.fill_null("")
        usual = _enter_ids(ids, start, cells)
        for place in np.flatnonzero(~usual).tolist():
            identifier, row = ids[place].as_py(), start + place
            before, slash, digits = identifier.rpartition("/")
            number = _trailing_number(digits)
            if slash and number >= 0:
                entry = np.array([number]), np.array([row])
                cells.setdefault(f"{before}/", []).append(entry)
            elif found.others.setdefault(identifier, row) != row:
                raise ValueError(_duplicate_message(identifier))
        start += len(ids)
    for before in list(cells):
        entries = cells.pop(before)
        places, rows = (np.concatenate([entry[i] for entry in entries]) for i in (0, 1))
        values, counts = np.unique(places, return_counts=True)
        if counts.max() > 1:
            raise ValueError(_duplicate_message(f"{before}{values[counts.argmax()]:06d}"))
        if values[-1] < 1000 + 4 * len(places):
            row_of = np.full(int(values[-1]) + 1, -1, dtype=np.int32)
            row_of[places] = rows
            found.cells[before] = array("i", row_of.tobytes())
        else:
            pairs = zip(places.tolist(), rows.tolist(), strict=True)
            found.others.update((f"{before}{place:06d}", row) for place, row in pairs)
    return found


def _enter_ids(
    ids: pa.Array, start: int, cells: dict[str, list[tuple[Ints, Ints]]]
) -> npt.NDArray[np.bool_]:
    """Enter the ids that end in a slash and six digits, and return which those are.

    Args:
        ids: ids of rows that follow each other.
        start: row of the first.
        cells: numbers and rows by the part of the id before its number.
    """
    tails = pc.utf8_slice_codeunits(ids, start=-_USUAL - 1)
    matches = pc.match_substring_regex(tails, f"^/[0-9]{{{_USUAL}}}$")
    usual: npt.NDArray[np.bool_] = np.asarray(matches)
    if not usual.any():
        return usual
    chosen = ids.filter(matches)
    rows = (np.flatnonzero(usual) + start).astype(np.int32)
    numbers = np.asarray(pc.utf8_slice_codeunits(chosen, start=-_USUAL).cast(pa.int32()))
    before = pc.utf8_slice_codeunits(chosen, start=0, stop=-_USUAL).dictionary_encode()
    codes = np.asarray(before.indices)
    for code, name in enumerate(before.dictionary.to_pylist()):
        mine = codes == code
        cells.setdefault(name, []).append((numbers[mine], rows[mine]))
    return usual


def _trailing_number(digits: str) -> int:
    """Return the number that ends an id, or -1 when it is not written as row ids write it."""
    usual = len(digits) == _USUAL or (_USUAL < len(digits) < 16 and digits[0] != "0")
    return int(digits) if usual and digits.isascii() and digits.isdigit() else -1


def _duplicate_message(identifier: str) -> str:
    return (
        f"two rows have the id {identifier!r}; the dataset is damaged, download or build it again"
    )
