"""Hashed: which of many texts are equal, told from 16 bytes of each.

Equal means the same BLAKE2b of 16 bytes. Hashes are compared a range at a time, at most `RANGE` of
them, so that what sorting takes is bounded whatever their number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
"""(n, 2): hashes of 16 bytes."""

Counts = npt.NDArray[np.int64]

RANGE = 1 << 22
"""Hashes that are compared at once: some 200 MB."""

NONE: Hashes = np.empty((0, 2), dtype=np.uint64)


def hash_of(text: str) -> bytes:
    """Return the hash of a text, 16 bytes."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def hashes(texts: Iterable[str]) -> Hashes:
    """Return the hashes of some texts, in order."""
    held = bytearray()
    for text in texts:
        held += hash_of(text)
    return hashes_in(held)


def hashes_in(held: bytearray) -> Hashes:
    """Return hashes that stand one behind the other."""
    return np.frombuffer(held, dtype=np.uint64).reshape(-1, 2)


def groups(parts: Sequence[Hashes], most: int = 0) -> Iterator[tuple[Hashes, Counts]]:
    """Yield range by range each hash once, and how often it is there.

    Args:
        parts: the hashes.
        most: how many are compared at once; 0 for RANGE.
    """
    total = sum(map(len, parts))
    passes = np.uint64(max(1, -(-total // (most or RANGE))))
    for number in range(int(passes)):
        inside = [part[part[:, 0] % passes == np.uint64(number)] for part in parts]
        mine = np.concatenate([NONE, *inside])
        mine = mine[np.lexsort((mine[:, 1], mine[:, 0]))]
        first = np.flatnonzero(_changes(mine))
        yield mine[first], np.diff(np.append(first, len(mine)))


def counts(parts: Sequence[Hashes], most: int = 0) -> Counts:
    """Return how often each hash is there, in no order; see `groups`."""
    return np.concatenate([many for _, many in groups(parts, most)])


def distinct(found: Hashes) -> Hashes:
    """Return each hash once, in no order."""
    return np.concatenate([each for each, _ in groups([found])])


def repeats(found: Hashes) -> int:
    """Return how many hashes are repeats of an earlier one."""
    return len(found) - len(counts([found]))


def numbered(found: Hashes) -> npt.NDArray[np.int32]:
    """Return for each hash a number from 0 on, the same for the same hash."""
    order = np.lexsort((found[:, 1], found[:, 0]))
    numbers = np.empty(len(found), dtype=np.int32)
    numbers[order] = np.cumsum(_changes(found[order])) - 1
    return numbers


def _changes(ordered: Hashes) -> npt.NDArray[np.bool_]:
    """Return which of ordered hashes differ from the one before."""
    changed = np.ones(len(ordered), dtype=bool)
    changed[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return changed
