"""The card's metadata: what it says of files, and how much of them it holds."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset.dataset_reader import SplitFiles


class FakeFooter:
    """A footer of two row groups of 100 and 10 bytes."""

    num_row_groups = 2

    def row_group(self, number):
        group = FakeFooter()
        group.total_byte_size = (100, 10)[number]
        return group


def test_footers_are_held_one_at_a_time(monkeypatch):
    alive = weakref.WeakSet()
    most = []

    def read_footer(path):
        footer = FakeFooter()
        alive.add(footer)
        gc.collect()
        most.append(len(alive))
        return footer

    monkeypatch.setattr(dataset_card.pq, "read_metadata", read_footer)
    split = SplitFiles("toys.a", "test", tuple(Path(f"{number}.parquet") for number in range(50)))
    assert dataset_card._compute_uncompressed_bytes(split) == 50 * 110
    assert max(most) == 1
