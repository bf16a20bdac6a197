"""Drafting: what judging needs of a stretch of rows, read in whichever process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from facelet.pipeline.dataset.reading import Stretch
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.kinds import Found, kinds_of
from facelet.pipeline.scoring.packs import PACK, Written, write_packs

DRAFT = 65536
"""Rows of a stretch, at least, if a shard has them."""


def pack(stretch: Stretch, path: Path) -> Written:
    """Write the rows of a stretch as packs.

    Args:
        stretch: the rows.
        path: the file.

    Raises:
        ValueError: a column is not as it should be.
    """
    found = write_packs(stretch.batches(PACK), path)
    # What reading left behind in the allocator would otherwise stay for good.
    pa.default_memory_pool().release_unused()
    return found


def find_kinds(stretch: Stretch, decided_by: Sequence[str]) -> tuple[Found, pa.Table | None]:
    """Return the kinds of the rows of a stretch, and the first row of each.

    Args:
        stretch: the rows.
        decided_by: the columns that decide what a reply comes to.

    Returns:
        The kinds, and the rows in their order; None where there are too many kinds.

    Raises:
        ValueError: a column is not as it should be.
    """
    found = kinds_of(stretch.only(decided_by).batches(PACK))
    rows = None if found.names is None else _taken(stretch, found.firsts)
    pa.default_memory_pool().release_unused()
    return found, rows


def _taken(stretch: Stretch, places: Ints) -> pa.Table:
    """Return rows of a stretch, in ascending places; only their row groups are read."""
    start, found = 0, []
    for group, size in zip(stretch.groups, stretch.sizes, strict=True):
        inside = places[(places >= start) & (places < start + size)] - start
        if len(inside):
            batches = list(stretch.only(stretch.columns, group).batches(size))
            found.append(pa.Table.from_batches(batches).take(pa.array(inside)))
        start += size
    return pa.concat_tables(found)
