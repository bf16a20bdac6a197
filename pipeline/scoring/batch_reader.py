"""Read a span of dataset rows in any process: pack its columns, or find its row kinds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from facelet.pipeline.dataset.dataset_reader import RowGroupSpan
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.column_cache import PACK, WrittenPacks, write_packs
from facelet.pipeline.scoring.row_equivalence import KindsFound, kinds_of

DRAFT = 65536
"""Rows of a stretch, at least, if a shard has them."""


def pack_stretch(stretch: RowGroupSpan, path: Path) -> WrittenPacks:
    """Write the rows of a stretch as packs.

    Args:
        stretch: the rows.
        path: the file.

    Raises:
        ValueError: a column is not as it should be.
    """
    found = write_packs(stretch.iterate_batches(PACK), path)
    # What reading left behind in the allocator would otherwise stay for good.
    pa.default_memory_pool().release_unused()
    return found


def find_kinds(
    stretch: RowGroupSpan, decided_by: Sequence[str]
) -> tuple[KindsFound, pa.Table | None]:
    """Return the kinds of the rows of a stretch, and the first row of each.

    Args:
        stretch: the rows.
        decided_by: the columns that decide what a reply comes to.

    Returns:
        The kinds, and the rows in their order; None where there are too many kinds.

    Raises:
        ValueError: a column is not as it should be.
    """
    found = kinds_of(stretch.narrow(decided_by).iterate_batches(PACK))
    rows = None if found.names is None else _take_rows(stretch, found.firsts)
    pa.default_memory_pool().release_unused()
    return found, rows


def _take_rows(stretch: RowGroupSpan, places: Ints) -> pa.Table:
    """Return rows of a stretch, in ascending places; only their row groups are read."""
    start, found = 0, []
    for group, size in zip(stretch.groups, stretch.sizes, strict=True):
        inside = places[(places >= start) & (places < start + size)] - start
        if len(inside):
            batches = list(stretch.narrow(stretch.columns, group).iterate_batches(size))
            found.append(pa.Table.from_batches(batches).take(pa.array(inside)))
        start += size
    return pa.concat_tables(found)
