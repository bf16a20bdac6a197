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

from facelet.pipeline.dataset.arrow_values import rows_to_json, to_python
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.column_cache import ColumnPacks, join_packs, write_packs

MOST = 4096
"""Most kinds of a split; where there are more, telling them apart gains nothing."""

Codes = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class RowKinds:
    """The kinds of the rows of a split.

    Attributes:
        path: the file that holds the kind of each row.
        examples: the first row of each kind, by its number.
    """

    path: Path
    examples: ColumnPacks

    @property
    def kind_codes(self) -> Codes:
        """(rows,) kind of each row, read as it is needed and shared by all processes."""
        return _read_codes(self.path)


@dataclass(frozen=True, slots=True, eq=False)
class KindsFound:
    """The kinds of some rows that follow each other, as whoever read them found them.

    Attributes:
        names: what each kind is known by, in the order in which they come; None if they are more
            than MOST.
        firsts: (kinds,) the first row of each.
        codes: (rows,) place in `names` of the kind of each.
    """

    names: list[str] | None
    firsts: Ints
    codes: Codes


def kinds_of(batches: Iterable[pa.RecordBatch]) -> KindsFound:
    """Return the kinds of some rows.

    Args:
        batches: the columns that decide.
    """
    return _merge_kinds(map(_kinds_of, batches))


def join_kinds(found: Sequence[tuple[KindsFound, pa.Table | None]], path: Path) -> RowKinds | None:
    """Return the kinds of rows that follow each other; None if there are more than MOST.

    Args:
        found: those of some rows each, and the first row of each of these.
        path: of the files that are written, without their endings.
    """
    whole = _merge_kinds(one for one, _ in found)
    if whole.names is None:
        return None
    met: set[str] = set()
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
    encoded = rows_to_json(columns).dictionary_encode()
    if len(encoded.dictionary) > MOST:
        return _MANY
    # The distinct values of a batch stand in the order in which they came.
    codes = np.asarray(encoded.indices)
    firsts = np.unique(codes, return_index=True)[1]
    return KindsFound(to_python(encoded.dictionary), firsts, codes.astype(np.uint16))


def _merge_kinds(found: Iterable[KindsFound]) -> KindsFound:
    known: dict[str, int] = {}
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
