"""The card's metadata: what it says of files, and how much of them it holds."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from facelet.pipeline.card import metadata
from facelet.pipeline.dataset.reading import Split


class Footer:
    """A footer of two row groups of 100 and 10 bytes."""

    num_row_groups = 2

    def row_group(self, number):
        group = Footer()
        group.total_byte_size = (100, 10)[number]
        return group


def test_footers_are_held_one_at_a_time(monkeypatch):
    alive = weakref.WeakSet()
    most = []

    def read(path):
        footer = Footer()
        alive.add(footer)
        gc.collect()
        most.append(len(alive))
        return footer

    monkeypatch.setattr(metadata.pq, "read_metadata", read)
    split = Split("toys.a", "test", tuple(Path(f"{number}.parquet") for number in range(50)))
    assert metadata._unpacked(split) == 50 * 110
    assert max(most) == 1
