"""Rows of an audit: packed, they say what they said; equal ones are found by ranges of hashes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from facelet.pipeline.audit import held
from facelet.pipeline.audit.hashed import among, commonest, groups, numbered, repeats, spooled
from facelet.pipeline.audit.held import PIECE, Rows, at, pack, parted, where


@dataclass(frozen=True, slots=True)
class Said:
    name: str
    level: int
    words: tuple[str, ...]


SAID = [Said(f"row {k}", k % 7, ("a", str(k % 3))) for k in range(3 * PIECE + 5)]
SIZES = (PIECE, 0, PIECE + 3, PIECE + 2)


def rows(folder: Path | None) -> Rows[Said]:
    files, begin = [], 0
    for number, size in enumerate(SIZES):
        path = None if folder is None else folder / str(number)
        files.append(pack(Said, SAID[begin : begin + size], path))
        begin += size
    return Rows(files)


@pytest.mark.parametrize("here", [True, False])
def test_packed_rows_are_the_rows(tmp_path: Path, here: bool) -> None:
    found = rows(None if here else tmp_path)
    assert list(found) == SAID and len(found) == len(SAID)
    assert list(pickle.loads(pickle.dumps(found))[::500]) == SAID[::500]
    assert [found[k] for k in (0, PIECE, -1)] == [SAID[0], SAID[PIECE], SAID[-1]]
    assert list(at(found, [3, PIECE + 1])) == [SAID[3], SAID[PIECE + 1]]
    odd = where(found, lambda row: row.level % 2)
    assert list(odd) == [row for row in SAID if row.level % 2]
    by = parted(odd, lambda row: row.level)
    assert {level: list(mine) for level, mine in by.items()} == {
        level: [row for row in SAID if row.level == level] for level in (1, 3, 5)
    }
    assert found.files() == (0, 2, 3) and found[PIECE : PIECE + 5].files() == (2,)


def test_few_pieces_are_unpacked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "WEIGHT", 2_000)
    found = rows(tmp_path)
    pieces = [piece for _, piece in found._store.pieces]
    assert len(pieces) > 20 and max(piece.weight for piece in pieces) <= 2_000
    monkeypatch.setattr(held, "OPEN", 6_000)
    for _ in range(2):
        assert list(found) == SAID
        assert 2 <= len(found._store._open) <= 6


def test_equal_texts_are_found_in_any_range() -> None:
    texts = [str(k % 700) for k in range(1000)]
    found = spooled(texts)
    assert len(found) == 1000 and repeats(found) == 300 and commonest(found) == 2
    for most in (0, 64):
        many = np.concatenate([many for _, many in groups([found], most)])
        assert sorted(many) == [1] * 400 + [2] * 300
    many = np.concatenate(
        [many for _, many in among([[spooled(texts[:10])], [spooled(texts), found]], most=64)]
    )
    assert sorted(many) == [1] * 690 + [2] * 10
    numbers = numbered(np.concatenate(list(found.blocks())))
    assert len({*zip(texts, numbers.tolist(), strict=True)}) == len({*numbers.tolist()}) == 700
    assert np.array_equal(numbers[:300], numbers[700:])
    assert repeats(spooled([])) == commonest(spooled([])) == 0
