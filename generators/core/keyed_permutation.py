"""Compute seeded permutations of any size without a table.

An order of a billion rows needs no shuffle and no file: `Permutation(size, *names)[n]` is the n-th
row, and `place_of` gives the place of a row. Up to TABLED the order is drawn evenly from all orders
and kept; above it is a Feistel network of eight rounds over the next even number of bits, applied
until its result is in range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
That mixes well, but is no encryption.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import Name, digest_names, make_generator

TABLED = 1 << 16
"""The largest order that is kept as a table."""

MOST = 1 << 62
"""The largest size: places and rows are 64-bit whole numbers."""

_ROUNDS = 8

Places = npt.NDArray[np.int64]


class Permutation:
    """A seeded order of the numbers 0 to size - 1.

    Args:
        size: how many numbers, 1 to MOST.
        names: what the order belongs to, such as a dataset, a seed and an epoch.

    Raises:
        ValueError: the size is out of range.
    """

    def __init__(self, size: int, *names: Name) -> None:
        if not 1 <= size <= MOST:
            raise ValueError(f"size={size} is out of range; it may be 1 to {MOST}")
        self.size = size
        self._table: Places | None = None
        if size <= TABLED:
            self._table = (
                make_generator("permutation", size, *names).permutation(size).astype(np.int64)
            )
            return
        self._half = np.uint64(((size - 1).bit_length() + 1) // 2)
        self._mask = np.uint64((1 << int(self._half)) - 1)
        keys = b"".join(digest_names("permutation", size, *names, part) for part in range(2))
        self._keys = np.frombuffer(keys, "<u8")[:_ROUNDS]

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[int]:
        for first in range(0, self.size, TABLED):
            places = np.arange(first, min(first + TABLED, self.size), dtype=np.int64)
            yield from self[places].tolist()

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice | Places) -> Places: ...
    def __getitem__(self, place: int | slice | Places) -> int | Places:
        """Return the number at a place, or the numbers at several places.

        Args:
            place: a place (negative ones count from the end), a slice, or an array of places.

        Raises:
            IndexError: a place is out of range.
        """
        if isinstance(place, slice):
            return self._permute_places(
                np.arange(*place.indices(self.size), dtype=np.int64), forward=True
            )
        if isinstance(place, np.ndarray):
            return self._permute_places(place, forward=True)
        place = place + self.size if place < 0 else place
        return int(self._permute_places(np.array([place], np.int64), forward=True)[0])

    def place_of(self, value: int, start: int = 0, stop: int | None = None) -> int:
        """Return the place of a number, computed without a search.

        Args:
            value: the number.
            start: the first place that counts.
            stop: the place after the last that counts; None for all.

        Raises:
            ValueError: the number is not among those places.
        """
        if 0 <= value < self.size:
            place = int(self._permute_places(np.array([value], np.int64), forward=False)[0])
            if start <= place < (self.size if stop is None else stop):
                return place
        raise ValueError(f"{value} is not in this part of a permutation of {self.size}")

    def _permute_places(self, places: Places, *, forward: bool) -> Places:
        if places.size and not (0 <= places.min() and places.max() < self.size):
            raise IndexError(f"a place is out of range; there are {self.size}, from 0 on")
        if self._table is not None:
            table = self._table if forward else np.argsort(self._table)
            return table[places]
        found = self._cycle_walk(places.astype(np.uint64), forward=forward)
        while (outside := found >= np.uint64(self.size)).any():
            found[outside] = self._cycle_walk(found[outside], forward=forward)
        return found.astype(np.int64)

    def _cycle_walk(
        self, values: npt.NDArray[np.uint64], *, forward: bool
    ) -> npt.NDArray[np.uint64]:
        """Take all rounds once, or back."""
        left, right = values >> self._half, values & self._mask
        if forward:
            for key in self._keys:
                left, right = right, left ^ (_mix_values(right, key) & self._mask)
        else:
            for key in self._keys[::-1]:
                left, right = right ^ (_mix_values(left, key) & self._mask), left
        return (left << self._half) | right


def _mix_values(values: npt.NDArray[np.uint64], key: np.uint64) -> npt.NDArray[np.uint64]:
    """Return the finalizer of SplitMix64 of values and a key; arrays wrap around in silence."""
    mixed = (values + key) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
