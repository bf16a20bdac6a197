"""Pieces against arrays: orientations as numpy turns and transposes, connectivity as networkx."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jigsaw_block import ORIENTED as MOVES

from facelet.generators.jigsaw.geometry import pieces

PIECES = st.integers(0, 2**16 - 1)


def piece_array(piece: int) -> np.ndarray:
    return np.array([list(map(int, row)) for row in pieces.piece_rows(piece)])


def edge_cells(cells: np.ndarray, number: int) -> set[tuple[int, ...]]:
    """The cells of an edge, in either direction."""
    line = {1: cells[:, 0], 2: cells[0], 3: cells[:, -1], 4: cells[-1]}[number]
    return {tuple(line), tuple(line[::-1])}


def test_there_are_eight_orientations() -> None:
    assert set(pieces.ORIENTATIONS) == set(MOVES)
    assert set(pieces.ORIENTATIONS[: pieces.UNFLIPPED]) == {(1, 2), (2, 3), (3, 4), (4, 1)}
    assert all(pieces.ORIENTATIONS[code] == pair for pair, code in pieces.CODES.items())


@given(PIECES, st.sampled_from(sorted(MOVES)))
def test_orientations_are_those_of_arrays(piece: int, pair: tuple[int, int]) -> None:
    placed = piece_array(pieces.orient_piece(piece, pieces.CODES[pair]))
    assert (placed == MOVES[pair](piece_array(piece))).all()
    assert edge_cells(placed, 1) == edge_cells(piece_array(piece), pair[0])
    assert edge_cells(placed, 2) == edge_cells(piece_array(piece), pair[1])


@given(PIECES, st.integers(0, 7), st.integers(0, 7))
def test_composition_and_inverse(piece: int, first: int, then: int) -> None:
    placed = pieces.orient_piece(piece, first)
    assert pieces.orient_piece(placed, then) == pieces.orient_piece(
        piece, pieces.COMPOSED[first][then]
    )
    assert pieces.orient_piece(placed, pieces.INVERSE[first]) == piece


@given(PIECES, st.integers(0, 7))
def test_sources_say_where_cells_come_from(piece: int, code: int) -> None:
    placed = pieces.orient_piece(piece, code)
    bits = [piece >> source & 1 for source in pieces.SOURCES[code]]
    assert placed == pieces.border_to_piece(bits)


@given(PIECES, st.integers(0, 7))
def test_canonical_forms_agree_exactly_for_equal_pieces(piece: int, code: int) -> None:
    moved = pieces.orient_piece(piece, code)
    assert pieces.canonical_piece(moved, flips=True) == pieces.canonical_piece(piece, flips=True)
    reachable = {pieces.orient_piece(piece, turn) for turn in range(4)}
    same = pieces.canonical_piece(moved, flips=False) == pieces.canonical_piece(piece, flips=False)
    assert same == (moved in reachable)


@given(PIECES)
def test_text_round_trip(piece: int) -> None:
    assert pieces.parse_piece(pieces.format_piece(piece)) == piece


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no piece"),
        ("11111/11111/11111/11111", "no piece"),
        ("11111/11111/11111/11111/1111", "no piece"),
        ("11111/11111/11211/11111/11111", "no piece"),
        ("11111/11111/11011/11111/11111", "gap inside"),
    ],
)
def test_texts_that_are_no_piece(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        pieces.parse_piece(text)
