"""Holding: records in packed pieces, on disk or in memory, of which few are unpacked at a time.

A config may have any number of rows. What is read of a file is packed in pieces of at most `PIECE`
records and `WEIGHT` bytes, column by column, a tenth of what records take. `Rows` is a sequence of
records: to pass over it is cheap, to pick at random is not; which records it has takes a bit each.
`at`, `where` and `parted` take plain lists too.
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

from facelet.generators.core.records import maker
from facelet.generators.core.remembering import once

PIECE = 1024
"""Most records that are packed together."""

WEIGHT = 4 << 20
"""Most bytes that are packed together, before they are compressed, if they are several records."""

OPEN = 64 << 20
"""Bytes of pieces that are kept unpacked, as they were before they were compressed."""

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")

Places = npt.NDArray[np.int64]

_RUN = 1 << 13
"""Bytes of bits that are unpacked at a time."""

# An audit passes over its rows two dozen times, and unpacks them each time: that is to be quick.
_CODEC = pa.Codec("zstd", compression_level=1)


@once
def _making(kind: type[Any]) -> Callable[..., Any]:
    """Return what makes records of a class from their values."""
    return maker(kind)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some records, packed.

    Attributes:
        size: how many they are.
        weight: their bytes before they were compressed.
        data: the bytes after; or in a file, where these begin and end.
    """

    size: int
    weight: int
    data: bytes | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Packed(Generic[R]):
    """The records of one file.

    Attributes:
        kind: the class of the records, a frozen slotted dataclass of values that can be hashed.
        pieces: the pieces, in order.
        path: the file where they lie; None where they are here.
    """

    kind: type[R]
    pieces: tuple[Piece, ...]
    path: Path | None = None

    def unpacked(self, piece: Piece) -> list[R]:
        """Return the records of a piece."""
        data = piece.data
        if not isinstance(data, bytes):
            assert self.path is not None
            with self.path.open("rb") as file:
                file.seek(data[0])
                data = file.read(data[1] - data[0])
        columns = pickle.loads(_CODEC.decompress(data, decompressed_size=piece.weight))
        return list(map(_making(self.kind), *columns))


def pack(kind: type[R], rows: Iterable[R], path: Path | None = None) -> Packed[R]:
    """Pack records.

    Args:
        kind: their class.
        rows: the records; few of them are held at a time.
        path: the file that they are written to; None to hold them in memory.
    """
    coming = iter(rows)
    made: list[Piece] = []
    end = 0
    with nullcontext() if path is None else path.open("wb") as file:
        while some := list(islice(coming, PIECE)):
            for piece, data in _packed(kind, some):
                if file is None:
                    made.append(piece)
                    continue
                file.write(data)
                made.append(replace(piece, data=(end, end + len(data))))
                end += len(data)
    return Packed(kind, tuple(made), path)


def _packed(kind: Any, rows: Sequence[object]) -> Iterator[tuple[Piece, bytes]]:
    columns = []
    for field in fields(kind):
        seen: dict[Any, Any] = {}  # equal values become one, which pickle then writes once
        values = (getattr(row, field.name) for row in rows)
        columns.append([seen.setdefault(value, value) for value in values])
    raw = pickle.dumps(columns, protocol=5)
    if len(raw) > WEIGHT and len(rows) > 1:
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            yield from _packed(kind, half)
        return
    data = _CODEC.compress(raw, asbytes=True)
    yield Piece(len(rows), len(raw), data), data


class _Store(Generic[R]):
    """All records of some files, in order, and the pieces that are unpacked now."""

    def __init__(self, files: Sequence[Packed[R]]) -> None:
        self.files = tuple(files)
        self.pieces = [(file, piece) for file in files for piece in file.pieces]
        self.begins = np.cumsum([0, *(piece.size for _, piece in self.pieces)])
        self.ends = np.cumsum([sum(piece.size for piece in file.pieces) for file in files])
        self._open: OrderedDict[int, list[R]] = OrderedDict()
        self._weight = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _Store, (self.files,)

    def piece(self, number: int) -> list[R]:
        """Return the records of a piece; the last few are kept."""
        found = self._open.get(number)
        if found is not None:
            self._open.move_to_end(number)
            return found
        file, piece = self.pieces[number]
        self._weight += piece.weight
        while self._open and self._weight > OPEN:
            first, _ = self._open.popitem(last=False)
            self._weight -= self.pieces[first][1].weight
        found = self._open[number] = file.unpacked(piece)
        return found


class _Chosen:
    """Which records of a store, a bit each, from a first place on.

    Args:
        first: the place of the first bit, a multiple of 8.
        bits: eight places a byte, the lowest bit first.
    """

    def __init__(self, first: int, bits: npt.NDArray[np.uint8]) -> None:
        self.first = first
        self.bits = bits
        self.size = sum(
            int(np.unpackbits(bits[k : k + _RUN]).sum()) for k in range(0, len(bits), _RUN)
        )

    def between(self, low: int, high: int) -> Places:
        """Return the chosen places from `low` to before `high`, ascending."""
        begin = max(0, (low - self.first) // 8)
        end = max(begin, -(-(high - self.first) // 8))
        found = np.flatnonzero(np.unpackbits(self.bits[begin:end], bitorder="little"))
        found += self.first + 8 * begin
        return found[np.searchsorted(found, low) : np.searchsorted(found, high)]

    def runs(self) -> Iterator[Places]:
        """Yield all chosen places, ascending, few at a time."""
        for k in range(0, len(self.bits), _RUN):
            yield self.between(self.first + 8 * k, self.first + 8 * (k + _RUN))


class _Choosing:
    """Takes places, ascending, and says which they were."""

    def __init__(self) -> None:
        self._first = 0
        self._bits = bytearray()

    def add(self, place: int) -> None:
        """Choose a place."""
        if not self._bits:
            self._first = place // 8 * 8
        byte, bit = divmod(place - self._first, 8)
        if byte >= len(self._bits):
            self._bits += bytes(byte + 1 - len(self._bits))
        self._bits[byte] |= 1 << bit

    def chosen(self) -> _Chosen:
        """Return all that were chosen."""
        return _Chosen(self._first, np.frombuffer(self._bits, dtype=np.uint8))


class Rows(Sequence[R]):
    """Some of the records of some files, in order.

    Args:
        files: the records of each.
    """

    def __init__(self, files: Sequence[Packed[R]]) -> None:
        self._store = _Store(files)
        every = np.ones(int(self._store.begins[-1]), dtype=bool)
        self._chosen = _Chosen(0, np.packbits(every, bitorder="little"))

    def __len__(self) -> int:
        return self._chosen.size

    def __iter__(self) -> Iterator[R]:
        return (row for _, row in self._placed())

    def _placed(self) -> Iterator[tuple[int, R]]:
        """Yield the records and their places in the store."""
        begins = self._store.begins
        last = self._chosen.first + 8 * len(self._chosen.bits)
        low = int(np.searchsorted(begins, self._chosen.first, "right")) - 1
        for number in range(max(0, low), int(np.searchsorted(begins[:-1], last))):
            begin, end = int(begins[number]), int(begins[number + 1])
            places = self._chosen.between(begin, end).tolist()
            if places:
                rows = self._store.piece(number)
                for place in places:
                    yield place, rows[place - begin]

    def _some(self, chosen: _Chosen) -> Rows[R]:
        found: Rows[R] = Rows.__new__(Rows)
        found._store, found._chosen = self._store, chosen
        return found

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
        asked = np.asarray(places, dtype=np.int64)
        chosen, begin = _Choosing(), 0
        for run in self._chosen.runs():
            mine = asked[np.searchsorted(asked, begin) : np.searchsorted(asked, begin + len(run))]
            for place in run[mine - begin].tolist():
                chosen.add(place)
            begin += len(run)
        return self._some(chosen.chosen())

    def where(self, keep: Callable[[R], object]) -> Rows[R]:
        """Return the records that are kept."""
        chosen = _Choosing()
        for place, row in self._placed():
            if keep(row):
                chosen.add(place)
        return self._some(chosen.chosen())

    def parted(self, key: Callable[[R], K]) -> dict[K, Rows[R]]:
        """Return the records by a key, keys in the order in which they come."""
        chosen: dict[K, _Choosing] = defaultdict(_Choosing)
        for place, row in self._placed():
            chosen[key(row)].add(place)
        return {name: self._some(mine.chosen()) for name, mine in chosen.items()}

    def files(self) -> tuple[int, ...]:
        """Return the numbers of the files that hold any of the records."""
        ends = self._store.ends
        runs = (np.unique(np.searchsorted(ends, run, "right")) for run in self._chosen.runs())
        return tuple(sorted({number for run in runs for number in run.tolist()}))


def at(rows: Sequence[R], places: Sequence[int]) -> Sequence[R]:
    """Return the records of some places, which ascend."""
    if len(places) == len(rows):
        return rows
    return rows.at(places) if isinstance(rows, Rows) else [rows[place] for place in places]


def where(rows: Sequence[R], keep: Callable[[R], object]) -> Sequence[R]:
    """Return the records that are kept, in order."""
    return rows.where(keep) if isinstance(rows, Rows) else [row for row in rows if keep(row)]


def parted(rows: Sequence[R], key: Callable[[R], K]) -> Mapping[K, Sequence[R]]:
    """Return the records by a key, each in order, keys in the order in which they come."""
    if isinstance(rows, Rows):
        return rows.parted(key)
    found: dict[K, list[R]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return found
