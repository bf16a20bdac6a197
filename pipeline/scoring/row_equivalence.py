"""Group the rows of a split on which every reply scores identically.

A task may name the columns that decide the score of a reply (`Task.decided_by`). Rows with equal
values in these columns are of one kind, and the first of them, the example, is graded for all. This
applies where the rows are verified and the reference answer of each example is graded correct; in
all other splits every row is graded by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from facelet.pipeline.dataset.dataset_reader import RowGroupSpan
from facelet.pipeline.dataset.row_hashes import SIZE, hash_rows
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.column_cache import PACK, ColumnPacks, join_packs, write_packs

MOST = 4096
"""Most kinds of a split; with more of them, grouping saves nothing."""

Codes = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class RowKinds:
    """The kinds of the rows of a split.

    Attributes:
        path: the file of the kind of each row.
        examples: the first row of each kind, by its number.
    """

    path: Path
    examples: ColumnPacks

    @property
    def kind_codes(self) -> Codes:
        """(rows,) kind of each row, memory-mapped and shared by all processes."""
        return _read_codes(self.path)


@dataclass(frozen=True, slots=True, eq=False)
class KindsFound:
    """The kinds of consecutive rows, as found by the process that read them.

    Attributes:
        names: the hash of each kind, in order of appearance; None if there are more than MOST.
        firsts: (kinds,) the first row of each.
        codes: (rows,) place in `names` of the kind of each.
    """

    names: list[bytes] | None
    firsts: Ints
    codes: Codes


def find_kinds(span: RowGroupSpan, decided_by: Sequence[str]) -> tuple[KindsFound, pa.Table | None]:
    """Return the kinds of the rows of a span, and the first row of each.

    Args:
        span: the rows.
        decided_by: the columns that decide the score of a reply.

    Returns:
        The kinds, and the rows in their order; None if there are too many kinds.

    Raises:
        ValueError: a column is not as expected.
    """
    found = _merge_kinds(map(_kinds_of, span.narrow(decided_by).iterate_batches(PACK)))
    rows = None if found.names is None else _take_rows(span, found.firsts)
    pa.default_memory_pool().release_unused()
    return found, rows


def _take_rows(span: RowGroupSpan, places: Ints) -> pa.Table:
    """Return rows of a span, in ascending places; only their row groups are read."""
    start, found = 0, []
    for group, size in zip(span.groups, span.sizes, strict=True):
        inside = places[(places >= start) & (places < start + size)] - start
        if len(inside):
            batches = list(span.narrow(span.columns, group).iterate_batches(size))
            found.append(pa.Table.from_batches(batches).take(pa.array(inside)))
        start += size
    return pa.concat_tables(found)


def join_kinds(found: Sequence[tuple[KindsFound, pa.Table | None]], path: Path) -> RowKinds | None:
    """Return the kinds of consecutive spans; None if there are more than MOST.

    Args:
        found: the kinds of each span, and the first row of each of these.
        path: path of the files to write, without their endings.
    """
    whole = _merge_kinds(one for one, _ in found)
    if whole.names is None:
        return None
    met: set[bytes] = set()
    tables: list[pa.Table] = []
    for one, rows in found:
        assert one.names is not None and rows is not None
        tables.append(rows.filter(pa.array([name not in met for name in one.names])))
        met.update(one.names)
    examples = pa.concat_tables(tables).combine_chunks().to_batches()
    codes = path.with_suffix(".npy")
    np.save(codes, whole.codes, allow_pickle=False)
    return RowKinds(codes, join_packs([write_packs(examples, path.with_suffix(".examples"))]))


def _kinds_of(batch: pa.RecordBatch) -> KindsFound:
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    buffers = [None, pa.py_buffer(hash_rows(columns))]
    hashes = pa.FixedSizeBinaryArray.from_buffers(pa.binary(SIZE), len(batch), buffers)
    encoded = hashes.dictionary_encode()
    if len(encoded.dictionary) > MOST:
        return _MANY
    # The distinct values of a batch are in order of appearance.
    codes = np.asarray(encoded.indices)
    firsts = np.unique(codes, return_index=True)[1]
    return KindsFound(encoded.dictionary.to_pylist(), firsts, codes.astype(np.uint16))


def _merge_kinds(found: Iterable[KindsFound]) -> KindsFound:
    known: dict[bytes, int] = {}
    firsts: list[int] = []
    pieces: list[Codes] = [np.empty(0, np.uint16)]
    start = 0
    for one in found:
        if one.names is None:
            return _MANY
        before = len(known)
        mine = [known.setdefault(name, len(known)) for name in one.names]
        if len(known) > MOST:
            return _MANY
        new = np.array(mine, dtype=np.int64) >= before
        firsts += (one.firsts[new] + start).tolist()
        pieces.append(np.array(mine, dtype=np.uint16)[one.codes])
        start += len(one.codes)
    return KindsFound(list(known), np.array(firsts, dtype=np.int64), np.concatenate(pieces))


_MANY = KindsFound(None, np.empty(0, np.int64), np.empty(0, np.uint16))


@lru_cache(maxsize=64)
def _read_codes(path: Path) -> Codes:
    found: Codes = np.load(path, mmap_mode="r", allow_pickle=False)
    return found
