"""Rows of an audit: packed, they say what they said; equal ones are found by ranges of hashes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from facelet.pipeline.audit import packed_records
from facelet.pipeline.audit.packed_records import (
    PIECE,
    RowView,
    filter_rows,
    group_rows,
    pack_records,
    take_rows,
)
from facelet.pipeline.audit.text_index import (
    count_containing_sets,
    count_most_common,
    count_records_by_range,
    count_repeats,
    number_records,
    spool_hashes,
)


@dataclass(frozen=True, slots=True)
class PackedWords:
    name: str
    level: int
    words: tuple[str, ...]


SAID = [PackedWords(f"row {k}", k % 7, ("a", str(k % 3))) for k in range(3 * PIECE + 5)]
SIZES = (PIECE, 0, PIECE + 3, PIECE + 2)


def make_rows(folder: Path | None) -> RowView[PackedWords]:
    files, begin = [], 0
    for number, size in enumerate(SIZES):
        path = None if folder is None else folder / str(number)
        files.append(pack_records(PackedWords, SAID[begin : begin + size], path))
        begin += size
    return RowView(files)


@pytest.mark.parametrize("here", [True, False])
def test_packed_rows_are_the_rows(tmp_path: Path, here: bool) -> None:
    found = make_rows(None if here else tmp_path)
    assert list(found) == SAID and len(found) == len(SAID)
    assert list(pickle.loads(pickle.dumps(found))[::500]) == SAID[::500]
    assert [found[k] for k in (0, PIECE, -1)] == [SAID[0], SAID[PIECE], SAID[-1]]
    assert list(take_rows(found, [3, PIECE + 1])) == [SAID[3], SAID[PIECE + 1]]
    odd = filter_rows(found, lambda row: row.level % 2)
    assert list(odd) == [row for row in SAID if row.level % 2]
    by = group_rows(odd, lambda row: row.level)
    assert {level: list(mine) for level, mine in by.items()} == {
        level: [row for row in SAID if row.level == level] for level in (1, 3, 5)
    }
    assert found.file_numbers() == (0, 2, 3) and found[PIECE : PIECE + 5].file_numbers() == (2,)


def test_few_pieces_are_unpacked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_records, "WEIGHT", 2_000)
    found = make_rows(tmp_path)
    pieces = [piece for _, piece in found._store.pieces]
    assert len(pieces) > 20 and max(piece.weight for piece in pieces) <= 2_000
    monkeypatch.setattr(packed_records, "OPEN", 6_000)
    for _ in range(2):
        assert list(found) == SAID
        assert 2 <= len(found._store._open) <= 6


def test_equal_texts_are_found_in_any_range() -> None:
    texts = [str(k % 700) for k in range(1000)]
    found = spool_hashes(texts)
    assert len(found) == 1000 and count_repeats(found) == 300 and count_most_common(found) == 2
    for most in (0, 64):
        many = np.concatenate([many for _, many in count_records_by_range([found], most)])
        assert sorted(many) == [1] * 400 + [2] * 300
    many = np.concatenate(
        [
            many
            for _, many in count_containing_sets(
                [[spool_hashes(texts[:10])], [spool_hashes(texts), found]], most=64
            )
        ]
    )
    assert sorted(many) == [1] * 690 + [2] * 10
    numbers = number_records(np.concatenate(list(found.iterate_blocks())))
    assert len({*zip(texts, numbers.tolist(), strict=True)}) == len({*numbers.tolist()}) == 700
    assert np.array_equal(numbers[:300], numbers[700:])
    assert count_repeats(spool_hashes([])) == count_most_common(spool_hashes([])) == 0
