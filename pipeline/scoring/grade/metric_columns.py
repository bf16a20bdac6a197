"""Store the values of a metric by entry in as few bytes as they need.

Most metrics are flags or small counts that nearly every entry of a task has: those take one byte
per entry. Others, such as seconds, are rare: only the entries that have a value are stored.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from facelet.pipeline.scoring.array_types import Floats, Ints

_NONE = -128
"""A byte that stands for no value."""

_PLACE = 4
"""Bytes that it takes to say which entry has a value."""

Values = npt.NDArray[np.int8] | Floats
"""Values as bytes where all of them are whole and small, else as they are."""


@dataclass
class EntryMetric:
    """The values that some entries have, in the order in which they were told."""

    entries: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


@dataclass(frozen=True, slots=True, eq=False)
class _MetricPiece:
    """The values of entries that follow others.

    Attributes:
        entries: (values,) the entries, ascending.
        values: (values,) their values.
    """

    entries: npt.NDArray[np.int32] | range
    values: Values


@dataclass
class MetricColumn:
    """The values of all entries, piece by piece."""

    pieces: list[_MetricPiece] = field(default_factory=list)

    def append_values(self, told: EntryMetric, first: int) -> None:
        """Enter the values of entries behind all others.

        Args:
            told: the values; the last one of an entry counts.
            first: number of the entry that is 0 there.
        """
        entries, values = np.asarray(told.entries), np.asarray(told.values)
        if not len(entries):
            return
        if np.any(entries[1:] <= entries[:-1]):
            found = np.full(int(entries.max()) + 1, -1)
            found[entries] = np.arange(len(entries))
            entries = np.flatnonzero(found >= 0).astype(np.int32)
            values = values[found[entries]]
        low, high = int(entries[0]) + first, int(entries[-1]) + first + 1
        dense = high - low == len(entries)
        places = range(low, high) if dense else (entries + first).astype(np.int32)
        self.pieces.append(_MetricPiece(places, _narrow_values(values)))

    def to_values(self) -> MetricValues:
        """Return the values in one piece; this column is empty afterwards."""
        pieces, self.pieces = self.pieces, []
        last = int(pieces[-1].entries[-1]) + 1 if pieces else 0
        told = sum(len(piece.values) for piece in pieces)
        values: Values
        if all(piece.values.dtype == np.int8 for piece in pieces):
            values = np.full(last, _NONE, dtype=np.int8)
        else:
            values = np.full(last, np.nan)
        size = values.itemsize
        if last * size <= told * (_PLACE + size):
            for piece in pieces:
                places = piece.entries
                if isinstance(places, range):
                    values[places.start : places.stop] = piece.values
                else:
                    values[places] = piece.values
            return MetricValues(values, None)
        values = values[:told].copy()
        np.concatenate([piece.values for piece in pieces], out=values)
        entries = np.concatenate([np.asarray(piece.entries, dtype=np.int32) for piece in pieces])
        return MetricValues(values, entries)


@dataclass(frozen=True, slots=True, eq=False)
class MetricValues:
    """The values of all entries.

    Attributes:
        values: by entry, or by place in `entries`; entries behind the last have none.
        entries: the entries that have a value, ascending; None where all up to the last stand.
    """

    values: Values
    entries: npt.NDArray[np.int32] | None

    def values_at(self, places: Ints) -> Floats:
        """Return the values of some entries, in any order; NaN where there is none."""
        found = np.full(len(places), np.nan)
        if not len(self.values):
            return found
        if self.entries is None:
            place: Ints = np.minimum(places, len(self.values) - 1)
            there = places < len(self.values)
        else:
            place = np.minimum(np.searchsorted(self.entries, places), len(self.entries) - 1)
            there = self.entries[place] == places
        chosen = self.values[place]
        if chosen.dtype == np.int8:
            there = there & (chosen != _NONE)
        np.copyto(found, chosen, where=there)
        return found


def _narrow_values(values: Sequence[float] | Floats) -> Values:
    """Return values as bytes if that says all of each, -0.0 and NaN among them."""
    every = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        small = every.astype(np.int8)
    same = (small == every) & (small != _NONE) & ~(np.signbit(every) & (small == 0))
    return small if bool(same.all()) else every.copy()
