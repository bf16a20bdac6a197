"""Kinds: rows of a split for which any one reply comes to the same, as their task says.

A task may name the columns that decide what a reply comes to (`Task.decided_by`). Rows of equal
values there are of one kind, and one of them, the example, is judged for all. So it is where rows
are vouched for, and where the answer of each example is judged to be right; elsewhere every row is
judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from facelet.pipeline.dataset.spelling import objects, values
from facelet.pipeline.scoring.arrays import Ints

MOST = 4096
"""Most kinds of a split; where there are more, telling them apart gains nothing."""

Codes = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The kinds of the rows of a split.

    Attributes:
        path: the file that holds the kind of each row.
        examples: (kinds,) number within the split of the first row of each.
    """

    path: Path
    examples: Ints

    @property
    def codes(self) -> Codes:
        """(rows,) kind of each row, read as it is needed and shared by all processes."""
        return _codes(self.path)


def find_kinds(batches: Iterable[pa.RecordBatch], path: Path) -> Kinds | None:
    """Return the kinds of rows that follow each other; None if there are more than MOST.

    Args:
        batches: the columns that decide.
        path: the file that is written.
    """
    known: dict[str, int] = {}
    examples: list[int] = []
    pieces: list[Codes] = []
    start = 0
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        encoded = objects(columns).dictionary_encode()
        found: list[str] = values(encoded.dictionary)
        new = [name not in known for name in found]
        mine = np.array([known.setdefault(name, len(known)) for name in found], dtype=np.int64)
        if len(known) > MOST:
            return None
        codes = np.asarray(encoded.indices)
        if any(new):
            # The distinct values of a batch stand in the order in which they came.
            first = np.unique(codes, return_index=True)[1]
            examples += [start + int(place) for place, met in zip(first, new, strict=True) if met]
        pieces.append(mine[codes].astype(np.uint16))
        start += len(batch)
    np.save(path, np.concatenate(pieces), allow_pickle=False)
    return Kinds(path, np.array(examples, dtype=np.int64))


@lru_cache(maxsize=64)
def _codes(path: Path) -> Codes:
    found: Codes = np.load(path, mmap_mode="r", allow_pickle=False)
    return found
