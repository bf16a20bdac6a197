"""Find equal texts among many by 16 bytes of each, and mark the rows that repeat others.

Two texts count as equal if their 16-byte BLAKE2b hashes are equal. Marks take one byte a row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from facelet.pipeline.spill_sort import HashRange, Records, SpillSorter, Words, split_ranges

Counts = npt.NDArray[np.int64]

HASH = 2
"""Words of a hash."""


def hash_text(text: str) -> bytes:
    """Return the hash of a text, 16 bytes."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def spool_hashes(texts: Iterable[str]) -> SpillSorter:
    """Return the hashes of some texts, in order."""
    found = SpillSorter(HASH)
    for text in texts:
        found.add(hash_text(text))
    return found


def count_records_by_range(
    parts: Sequence[Records], most: int = 0
) -> Iterator[tuple[Words, Counts]]:
    """Yield range by range the distinct records, and how often each occurs.

    Args:
        parts: the records, all of one width.
        most: mean number of records compared at once; 0 for RANGE.
    """
    found = (tally_records(one.iterate_chunks()) for one in split_ranges(parts, most))
    yield from ((each, many) for each, many in found if len(each))


def count_containing_sets(
    sets: Sequence[Sequence[Records]], most: int = 0
) -> Iterator[tuple[Words, Counts]]:
    """Yield range by range the distinct hashes, and in how many sets each occurs.

    Args:
        sets: the hashes of each, any number of times.
        most: mean number of hashes compared at once; 0 for RANGE.
    """
    ends = np.cumsum([sum(map(len, one)) for one in sets])

    def replace_place(chunk: Words) -> Words:
        chunk[:, -1] = np.searchsorted(ends, chunk[:, -1].astype(np.int64), "right")
        return chunk

    for one in split_ranges([part for parts in sets for part in parts], most):
        each, _ = tally_records(map(replace_place, one.iterate_chunks(numbered=True)))
        yield tally_records([each[:, :HASH]])


def tally_records(chunks: Iterable[Words]) -> tuple[Words, Counts]:
    """Return the distinct records, in order, and how often each occurs."""
    found: list[tuple[Words, Counts]] = []
    for chunk in chunks:
        found.append(_merge_equal_records(chunk, np.ones(len(chunk), dtype=np.int64)))
        if len(found) > 1:  # few are left where most are equal
            both, many = zip(*found, strict=True)
            found = [_merge_equal_records(np.concatenate(both), np.concatenate(many))]
    return found[0] if found else (np.empty((0, HASH), np.uint64), np.empty(0, np.int64))


def _merge_equal_records(records: Words, many: Counts) -> tuple[Words, Counts]:
    order = np.lexsort(records.T)
    ordered = records[order]
    first = np.flatnonzero(find_changes(ordered))
    return ordered[first], np.add.reduceat(many[order], first) if len(first) else many


def unique_records(chunks: Iterable[Words]) -> Words:
    """Return the distinct records."""
    return tally_records(chunks)[0]


def contains_records(asked: Words, known: Words) -> npt.NDArray[np.bool_]:
    """Return which records are among the known ones."""
    numbers = number_records(np.concatenate([known, asked]))
    found = np.zeros(len(numbers), dtype=bool)
    found[numbers[: len(known)]] = True
    return found[numbers[len(known) :]]


def count_repeats(found: Records) -> int:
    """Return how many records are repeats of an earlier one."""
    return len(found) - count_distinct(found)


def count_distinct(found: Records) -> int:
    """Return how many different records there are."""
    return sum(len(each) for each, _ in count_records_by_range([found]))


def count_most_common(found: Records) -> int:
    """Return the count of the most frequent record."""
    return max(
        (int(many.max()) for _, many in count_records_by_range([found]) if len(many)), default=0
    )


def number_records(found: Words) -> npt.NDArray[np.int64]:
    """Return a number from 0 on for each record, equal for equal records."""
    order = np.lexsort(found.T)
    numbers = np.empty(len(found), dtype=np.int64)
    numbers[order] = np.cumsum(find_changes(found[order])) - 1
    return numbers


def find_changes(ordered: Words) -> npt.NDArray[np.bool_]:
    """Return which ordered records differ from the previous one."""
    changed = np.ones(len(ordered), dtype=bool)
    changed[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return changed


Marks = npt.NDArray[np.bool_]
"""(rows,): whether each row, in order, is marked."""

_NOTHING: Words = np.frombuffer(hash_text(""), dtype=np.uint64)


def mark_firsts(found: SpillSorter) -> Marks:
    """Return which hashes are the first of equal ones."""
    marked = np.zeros(len(found), dtype=bool)
    for one in split_ranges([found]):
        known: Words = np.empty((0, HASH + 1), dtype=np.uint64)
        for chunk in one.iterate_chunks(numbered=True):
            both = np.concatenate([known, chunk])
            ordered = both[np.lexsort((both[:, 1], both[:, 0]))]
            known = ordered[find_changes(ordered[:, :HASH])]
        marked[known[:, HASH].astype(np.int64)] = True
    return marked


def mark_repeated(found: SpillSorter) -> Marks:
    """Return which hashes occur more than once."""
    marked = np.zeros(len(found), dtype=bool)
    for one in split_ranges([found]):
        each, many = tally_records(one.iterate_chunks())
        _mark_range(marked, one, each[many > 1])
    return marked


def mark_shared_displays(found: SpillSorter) -> Marks:
    """Return which rows share a display with rows of other puzzles.

    Args:
        found: (rows, 4): of each row the hash of its display, and that of its puzzle.
    """
    marked = np.zeros(len(found), dtype=bool)
    for one in split_ranges([found]):
        # Of each hash one puzzle, and whether there is another.
        known: Words = np.empty((0, 2 * HASH), dtype=np.uint64)
        several: Words = np.empty((0, HASH), dtype=np.uint64)
        for chunk in one.iterate_chunks():
            both = np.concatenate([known, chunk])
            both = both[np.lexsort((both[:, 1], both[:, 0]))]
            begins = find_changes(both[:, :HASH])
            puzzles = both[:, HASH:]
            other = (puzzles != puzzles[begins][np.cumsum(begins) - 1]).any(axis=1)
            several = unique_records([several, both[other, :HASH]])
            known = both[begins]
        _mark_range(marked, one, several[(several != _NOTHING).any(axis=1)])
    return marked


def _mark_range(marked: Marks, one: HashRange, hashes: Words) -> None:
    """Mark the records of a range that have one of some hashes."""
    if len(hashes):
        for chunk in one.iterate_chunks(numbered=True):
            own = contains_records(chunk[:, :HASH], hashes)
            marked[chunk[own, -1].astype(np.int64)] = True
