"""Mark the rows that repeat others, and the first row of each kind, with one byte a row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelet.pipeline.audit.text_index import (
    HASH,
    contains_records,
    find_changes,
    hash_text,
    tally_records,
    unique_records,
)
from facelet.pipeline.spill_sort import HashRange, SpillSorter, Words, split_ranges

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
