"""Holding: records in packed pieces, on disk or in memory, of which few are unpacked at a time.

A config may have any number of rows. What is read of a file is packed in pieces of `PIECE` records,
column by column, a tenth of what records take. `Rows` is a sequence of records: to pass over it is
cheap, to pick at random is not. `at`, `where` and `parted` take plain lists too.
"""

from __future__ import annotations

import pickle
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

PIECE = 1024
"""Records that are packed together."""

OPEN = 24
"""Pieces that are kept unpacked, at some 5 KB a record."""

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packed(Generic[R]):
    """The records of one file.

    Attributes:
        kind: the class of the records, a dataclass of values that can be hashed.
        size: how many they are.
        pieces: the packed pieces; where they lie in a file, the bytes where each begins and ends.
        path: that file; None where the pieces are here.
    """

    kind: type[R]
    size: int
    pieces: tuple[bytes | tuple[int, int], ...]
    path: Path | None = None

    def piece(self, number: int) -> list[R]:
        """Return the records of a piece."""
        data = self.pieces[number]
        if not isinstance(data, bytes):
            assert self.path is not None
            with self.path.open("rb") as file:
                file.seek(data[0])
                data = file.read(data[1] - data[0])
        columns = pickle.loads(zlib.decompress(data))
        return [self.kind(*values) for values in zip(*columns, strict=True)]


def pack(kind: type[R], rows: Sequence[R], path: Path | None = None) -> Packed[R]:
    """Pack records.

    Args:
        kind: their class.
        rows: the records.
        path: the file that they are written to; None to hold them in memory.
    """
    made = tuple(_packed(kind, rows[k : k + PIECE]) for k in range(0, len(rows), PIECE))
    if path is None:
        return Packed(kind, len(rows), made)
    path.write_bytes(b"".join(made))
    ends = np.cumsum([0, *map(len, made)]).tolist()
    return Packed(kind, len(rows), tuple(pairwise(ends)), path)


def _packed(kind: Any, rows: Sequence[object]) -> bytes:
    columns = []
    for field in fields(kind):
        seen: dict[Any, Any] = {}  # equal values become one, which pickle then writes once
        values = (getattr(row, field.name) for row in rows)
        columns.append([seen.setdefault(value, value) for value in values])
    return zlib.compress(pickle.dumps(columns, protocol=5), 1)


class _Store(Generic[R]):
    """All records of some files, in order, and the pieces that are unpacked now."""

    def __init__(self, files: Sequence[Packed[R]]) -> None:
        self.files = tuple(files)
        self.pieces = [(file, number) for file in files for number in range(len(file.pieces))]
        sizes = [min(PIECE, file.size - PIECE * number) for file, number in self.pieces]
        self.begins = np.cumsum([0, *sizes])
        self.ends = np.cumsum([file.size for file in files])
        self._open: OrderedDict[int, list[R]] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Store, (self.files,)

    def piece(self, number: int) -> list[R]:
        """Return the records of a piece; the last few are kept."""
        found = self._open.get(number)
        if found is None:
            if len(self._open) >= OPEN:
                self._open.popitem(last=False)
            file, place = self.pieces[number]
            found = self._open[number] = file.piece(place)
        else:
            self._open.move_to_end(number)
        return found


class Rows(Sequence[R]):
    """Some of the records of some files, in order.

    Args:
        files: the records of each.
    """

    def __init__(self, files: Sequence[Packed[R]]) -> None:
        self._store = _Store(files)
        self._places: Places = np.arange(self._store.begins[-1], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[R]:
        begins = self._store.begins
        cuts = np.searchsorted(self._places, begins)
        for number in np.flatnonzero(np.diff(cuts)).tolist():
            rows, begin = self._store.piece(number), int(begins[number])
            for place in self._places[cuts[number] : cuts[number + 1]].tolist():
                yield rows[place - begin]

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> Rows[R]: ...

    def __getitem__(self, index: int | slice) -> R | Rows[R]:
        if isinstance(index, slice):
            return self.at(range(len(self))[index])
        return next(iter(self.at([range(len(self))[index]])))

    def at(self, places: Sequence[int]) -> Rows[R]:
        """Return the records of some places, which ascend."""
        found: Rows[R] = Rows.__new__(Rows)
        found._store = self._store
        found._places = self._places[np.array(places, dtype=np.int64)]
        return found

    def files(self) -> tuple[int, ...]:
        """Return the numbers of the files that hold any of the records."""
        return tuple(np.unique(np.searchsorted(self._store.ends, self._places, "right")).tolist())


def at(rows: Sequence[R], places: Sequence[int]) -> Sequence[R]:
    """Return the records of some places, which ascend."""
    if len(places) == len(rows):
        return rows
    return rows.at(places) if isinstance(rows, Rows) else [rows[place] for place in places]


def where(rows: Sequence[R], keep: Callable[[R], object]) -> Sequence[R]:
    """Return the records that are kept, in order."""
    return at(rows, [place for place, row in enumerate(rows) if keep(row)])


def parted(rows: Sequence[R], key: Callable[[R], K]) -> dict[K, Sequence[R]]:
    """Return the records by a key, each in order, keys in the order in which they come."""
    places: dict[K, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        places[key(row)].append(place)
    return {name: at(rows, mine) for name, mine in places.items()}
