"""Hashed: which of many texts are equal, told from 16 bytes of each.

Equal means the same BLAKE2b of 16 bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from facelet.pipeline.spools import Records, Spool, Words, ranges

Counts = npt.NDArray[np.int64]

HASH = 2
"""Words of a hash."""


def hash_of(text: str) -> bytes:
    """Return the hash of a text, 16 bytes."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def spooled(texts: Iterable[str]) -> Spool:
    """Return the hashes of some texts, in order."""
    found = Spool(HASH)
    for text in texts:
        found.add(hash_of(text))
    return found


def groups(parts: Sequence[Records], most: int = 0) -> Iterator[tuple[Words, Counts]]:
    """Yield range by range each record once, and how often it is there.

    Args:
        parts: the records, all of one width.
        most: how many are compared at once on average; 0 for RANGE.
    """
    found = (counted(one.chunks()) for one in ranges(parts, most))
    yield from ((each, many) for each, many in found if len(each))


def among(sets: Sequence[Sequence[Records]], most: int = 0) -> Iterator[tuple[Words, Counts]]:
    """Yield range by range each hash once, and in how many of some sets it is.

    Args:
        sets: the hashes of each, any number of times.
        most: how many are compared at once on average; 0 for RANGE.
    """
    ends = np.cumsum([sum(map(len, one)) for one in sets])

    def told(chunk: Words) -> Words:
        chunk[:, -1] = np.searchsorted(ends, chunk[:, -1].astype(np.int64), "right")
        return chunk

    for one in ranges([part for parts in sets for part in parts], most):
        each, _ = counted(map(told, one.chunks(numbered=True)))
        yield counted([each[:, :HASH]])


def counted(chunks: Iterable[Words]) -> tuple[Words, Counts]:
    """Return each of some records once, in order, and how often it is there."""
    found: list[tuple[Words, Counts]] = []
    for chunk in chunks:
        found.append(_summed(chunk, np.ones(len(chunk), dtype=np.int64)))
        if len(found) > 1:  # few are left where most are equal
            both, many = zip(*found, strict=True)
            found = [_summed(np.concatenate(both), np.concatenate(many))]
    return found[0] if found else (np.empty((0, HASH), np.uint64), np.empty(0, np.int64))


def _summed(records: Words, many: Counts) -> tuple[Words, Counts]:
    order = np.lexsort(records.T)
    ordered = records[order]
    first = np.flatnonzero(changes(ordered))
    return ordered[first], np.add.reduceat(many[order], first) if len(first) else many


def once(chunks: Iterable[Words]) -> Words:
    """Return each of some records once."""
    return counted(chunks)[0]


def inside(asked: Words, known: Words) -> npt.NDArray[np.bool_]:
    """Return which of some records are among those that are known."""
    numbers = numbered(np.concatenate([known, asked]))
    found = np.zeros(len(numbers), dtype=bool)
    found[numbers[: len(known)]] = True
    return found[numbers[len(known) :]]


def repeats(found: Records) -> int:
    """Return how many records are repeats of an earlier one."""
    return len(found) - distinct(found)


def distinct(found: Records) -> int:
    """Return how many different records there are."""
    return sum(len(each) for each, _ in groups([found]))


def commonest(found: Records) -> int:
    """Return how often the record is there that is there most often."""
    return max((int(many.max()) for _, many in groups([found]) if len(many)), default=0)


def numbered(found: Words) -> npt.NDArray[np.int64]:
    """Return for each record a number from 0 on, the same for equal ones."""
    order = np.lexsort(found.T)
    numbers = np.empty(len(found), dtype=np.int64)
    numbers[order] = np.cumsum(changes(found[order])) - 1
    return numbers


def changes(ordered: Words) -> npt.NDArray[np.bool_]:
    """Return which of ordered records differ from the one before."""
    changed = np.ones(len(ordered), dtype=bool)
    changed[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return changed
