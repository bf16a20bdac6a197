"""Store records in packed pieces, on disk or in memory, and unpack few at a time.

A config may have any number of rows. The records of a file are packed by column, in pieces of at
most `PIECE` records and `WEIGHT` bytes, at a tenth of their size. `RowView` is a sequence of
records: iteration is cheap, random access is not; the selection takes one bit a record.
`take_rows`, `filter_rows` and `group_rows` accept plain lists too.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.memoization import once_per_class

PIECE = 1024
"""Most records of a piece."""

WEIGHT = 4 << 20
"""Most uncompressed bytes of a piece with several records."""

OPEN = 64 << 20
"""Uncompressed bytes of pieces that stay unpacked."""

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")

Places = npt.NDArray[np.int64]

_RUN = 1 << 13
"""Bytes of bits to unpack at a time."""

# An audit iterates over its rows two dozen times and unpacks them each time: this must be fast.
_CODEC = pa.Codec("zstd", compression_level=1)


@once_per_class
def _record_factory(kind: type[Any]) -> Callable[..., Any]:
    """Return the fast constructor of a record class."""
    return fast_constructor(kind)


@dataclass(frozen=True, slots=True)
class PackedPiece:
    """Some packed records.

    Attributes:
        size: number of records.
        weight: bytes before compression.
        data: the compressed bytes; or in a file, their begin and end.
    """

    size: int
    weight: int
    data: bytes | tuple[int, int]


@dataclass(frozen=True, slots=True)
class PackedFile(Generic[R]):
    """The records of one file.

    Attributes:
        kind: the class of the records, a frozen slotted dataclass of hashable values.
        pieces: the pieces, in order.
        path: the file with the pieces; None where they are in memory.
    """

    kind: type[R]
    pieces: tuple[PackedPiece, ...]
    path: Path | None = None

    def unpack_piece(self, piece: PackedPiece) -> list[R]:
        """Return the records of a piece."""
        data = piece.data
        if not isinstance(data, bytes):
            assert self.path is not None
            with self.path.open("rb") as file:
                file.seek(data[0])
                data = file.read(data[1] - data[0])
        columns = pickle.loads(_CODEC.decompress(data, decompressed_size=piece.weight))
        return list(map(_record_factory(self.kind), *columns))


def pack_records(kind: type[R], rows: Iterable[R], path: Path | None = None) -> PackedFile[R]:
    """Pack records.

    Args:
        kind: their class.
        rows: the records; few of them are in memory at a time.
        path: the file to write; None for memory.
    """
    coming = iter(rows)
    made: list[PackedPiece] = []
    end = 0
    with nullcontext() if path is None else path.open("wb") as file:
        while some := list(islice(coming, PIECE)):
            for piece, data in _pack_pieces(kind, some):
                if file is None:
                    made.append(piece)
                    continue
                file.write(data)
                made.append(replace(piece, data=(end, end + len(data))))
                end += len(data)
    return PackedFile(kind, tuple(made), path)


def _pack_pieces(kind: Any, rows: Sequence[object]) -> Iterator[tuple[PackedPiece, bytes]]:
    columns = []
    for field in fields(kind):
        seen: dict[Any, Any] = {}  # equal values become one, which pickle then writes once
        values = (getattr(row, field.name) for row in rows)
        columns.append([seen.setdefault(value, value) for value in values])
    raw = pickle.dumps(columns, protocol=5)
    if len(raw) > WEIGHT and len(rows) > 1:
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            yield from _pack_pieces(kind, half)
        return
    data = _CODEC.compress(raw, asbytes=True)
    yield PackedPiece(len(rows), len(raw), data), data


class _RecordStore(Generic[R]):
    """All records of some files, in order, and the currently unpacked pieces."""

    def __init__(self, files: Sequence[PackedFile[R]]) -> None:
        self.files = tuple(files)
        self.pieces = [(file, piece) for file in files for piece in file.pieces]
        self.begins = np.cumsum([0, *(piece.size for _, piece in self.pieces)])
        self.ends = np.cumsum([sum(piece.size for piece in file.pieces) for file in files])
        self._open: OrderedDict[int, list[R]] = OrderedDict()
        self._weight = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _RecordStore, (self.files,)

    def load_piece(self, number: int) -> list[R]:
        """Return the records of a piece; recently used pieces stay unpacked."""
        found = self._open.get(number)
        if found is not None:
            self._open.move_to_end(number)
            return found
        file, piece = self.pieces[number]
        self._weight += piece.weight
        while self._open and self._weight > OPEN:
            first, _ = self._open.popitem(last=False)
            self._weight -= self.pieces[first][1].weight
        found = self._open[number] = file.unpack_piece(piece)
        return found


class _PlaceBits:
    """A selection of records of a store, one bit each, from the first selected place on.

    Eight places are a byte, the lowest bit first.

    Args:
        count: selects the first so many places; others are added in ascending order.
    """

    def __init__(self, count: int = 0) -> None:
        self.size, self.first = count, 0
        self.bits = bytearray(np.packbits(np.ones(count, dtype=bool), bitorder="little"))

    def add_place(self, place: int) -> None:
        """Select a place."""
        if not self.bits:
            self.first = place // 8 * 8
        byte, bit = divmod(place - self.first, 8)
        if byte >= len(self.bits):
            self.bits += bytes(byte + 1 - len(self.bits))
        self.bits[byte] |= 1 << bit
        self.size += 1

    def places_between(self, low: int, high: int) -> Places:
        """Return the selected places from `low` to before `high`, ascending."""
        begin = max(0, (low - self.first) // 8)
        end = max(begin, -(-(high - self.first) // 8))
        chosen = np.frombuffer(self.bits, dtype=np.uint8)[begin:end]
        found = np.flatnonzero(np.unpackbits(chosen, bitorder="little"))
        found += self.first + 8 * begin
        return found[np.searchsorted(found, low) : np.searchsorted(found, high)]

    def iterate_runs(self) -> Iterator[Places]:
        """Yield all selected places, ascending, few at a time."""
        for k in range(0, len(self.bits), _RUN):
            yield self.places_between(self.first + 8 * k, self.first + 8 * (k + _RUN))


class RowView(Sequence[R]):
    """A selection of the records of some files, in order.

    Args:
        files: the records of each file.
    """

    def __init__(self, files: Sequence[PackedFile[R]]) -> None:
        self._store = _RecordStore(files)
        self._chosen = _PlaceBits(int(self._store.begins[-1]))

    def __len__(self) -> int:
        return self._chosen.size

    def __iter__(self) -> Iterator[R]:
        return (row for _, row in self._iterate_placed())

    def _iterate_placed(self) -> Iterator[tuple[int, R]]:
        """Yield the records and their places in the store."""
        begins = self._store.begins
        last = self._chosen.first + 8 * len(self._chosen.bits)
        low = int(np.searchsorted(begins, self._chosen.first, "right")) - 1
        for number in range(max(0, low), int(np.searchsorted(begins[:-1], last))):
            begin, end = int(begins[number]), int(begins[number + 1])
            places = self._chosen.places_between(begin, end).tolist()
            if places:
                rows = self._store.load_piece(number)
                for place in places:
                    yield place, rows[place - begin]

    def _view_of(self, chosen: _PlaceBits) -> RowView[R]:
        found: RowView[R] = RowView.__new__(RowView)
        found._store, found._chosen = self._store, chosen
        return found

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> RowView[R]: ...

    def __getitem__(self, index: int | slice) -> R | RowView[R]:
        if isinstance(index, slice):
            return self.take_places(range(len(self))[index])
        return next(iter(self.take_places([range(len(self))[index]])))

    def take_places(self, places: Sequence[int]) -> RowView[R]:
        """Return the records at some ascending places."""
        asked = np.asarray(places, dtype=np.int64)
        chosen, begin = _PlaceBits(), 0
        for run in self._chosen.iterate_runs():
            mine = asked[np.searchsorted(asked, begin) : np.searchsorted(asked, begin + len(run))]
            for place in run[mine - begin].tolist():
                chosen.add_place(place)
            begin += len(run)
        return self._view_of(chosen)

    def filter_by(self, keep: Callable[[R], object]) -> RowView[R]:
        """Return the records that a predicate accepts."""
        chosen = _PlaceBits()
        for place, row in self._iterate_placed():
            if keep(row):
                chosen.add_place(place)
        return self._view_of(chosen)

    def group_by(self, key: Callable[[R], K]) -> dict[K, RowView[R]]:
        """Return the records by a key, keys in order of first occurrence."""
        chosen: dict[K, _PlaceBits] = defaultdict(_PlaceBits)
        for place, row in self._iterate_placed():
            chosen[key(row)].add_place(place)
        return {name: self._view_of(mine) for name, mine in chosen.items()}

    def file_numbers(self) -> tuple[int, ...]:
        """Return the numbers of the files with any of the records."""
        ends = self._store.ends
        runs = (
            np.unique(np.searchsorted(ends, run, "right")) for run in self._chosen.iterate_runs()
        )
        return tuple(sorted({number for run in runs for number in run.tolist()}))


def take_rows(rows: Sequence[R], places: Sequence[int]) -> Sequence[R]:
    """Return the records at some ascending places."""
    if len(places) == len(rows):
        return rows
    return (
        rows.take_places(places) if isinstance(rows, RowView) else [rows[place] for place in places]
    )


def filter_rows(rows: Sequence[R], keep: Callable[[R], object]) -> Sequence[R]:
    """Return the records that a predicate accepts, in order."""
    return rows.filter_by(keep) if isinstance(rows, RowView) else [row for row in rows if keep(row)]


def group_rows(rows: Sequence[R], key: Callable[[R], K]) -> Mapping[K, Sequence[R]]:
    """Return the records by a key, each in order, keys in order of first occurrence."""
    if isinstance(rows, RowView):
        return rows.group_by(key)
    found: dict[K, list[R]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return found
