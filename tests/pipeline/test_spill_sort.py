"""Spools: what is collected comes back in order, from memory or files, and range by range."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from facelet.pipeline import spill_sort
from facelet.pipeline.spill_sort import SpillSorter, StoredRecords, Words, split_ranges


def make_spool(size: int, width: int = 2) -> tuple[SpillSorter, Words]:
    words = np.random.default_rng(size).integers(0, 50, (size, width), dtype=np.uint64)
    spool = SpillSorter(width)
    for begin in range(0, size, 3):  # one record at a time, or several
        spool.add(words[begin : begin + 3].tobytes())
    return spool, words


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_what_is_collected_comes_back(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill_sort, "MEMORY_LIMIT", 1 << 10)
    monkeypatch.setattr(spill_sort, "BLOCK", 64)
    spool, words = make_spool(size)
    found = [*spool.iterate_blocks(), words[:0]]
    assert len(spool) == size and np.array_equal(np.concatenate(found), words)
    assert max(map(len, found)) <= 64
    spool.add(words[:1].tobytes())
    more = np.concatenate([words, words[:1]])
    assert np.array_equal(np.concatenate([*spool.iterate_blocks(), words[:0]]), more)
    kept = spool.store_records(None)
    moved = kept.to_file(tmp_path / "a")
    for one in (
        kept,
        moved,
        moved.to_file(tmp_path / "b"),
        make_spool(size)[0].store_records(tmp_path / "c"),
    ):
        back = np.concatenate([*one.iterate_blocks(), words[:0]])
        assert len(one) == len(back) and np.array_equal(back, more[: len(back)])
    assert not (tmp_path / "b").exists()


def test_ranges_part_the_records() -> None:
    (one, first), (other, second) = make_spool(500, 3), make_spool(333, 3)
    both = np.concatenate([first, second])
    found = list(split_ranges([one, other.store_records(None)], most=100))
    assert len(found) == 9
    for part in found:
        chunks = list(part.iterate_chunks(numbered=True))
        assert sum(map(len, chunks[:-1])) == 0 or min(map(len, chunks[:-1])) >= 100
        mine = np.concatenate(chunks)
        assert len({*(mine[:, 0] % 9).tolist()}) == 1
        assert np.all(np.diff(mine[:, -1].astype(int)) > 0)
        assert np.array_equal(both[mine[:, -1].astype(int)], mine[:, :-1])
        assert np.array_equal(np.concatenate(list(part.iterate_chunks())), mine[:, :-1])
    every = [chunk for part in found for chunk in part.iterate_chunks(numbered=True)]
    assert sorted(np.concatenate(every)[:, -1].tolist()) == list(range(833))
    assert [list(part.iterate_chunks()) for part in split_ranges([StoredRecords(2, 0, b"")])] == [
        []
    ]
