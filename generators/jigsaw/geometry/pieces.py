"""Pieces: squares of 5 x 5 cells with a full inner 3 x 3 and bumps or gaps on the border.

A piece is a whole number of 16 bits, one a border cell, set where there is a bump. Bit k is border
cell k, clockwise from the top left corner:

     0  1  2  3  4
    15  .  .  .  5
    14  .  .  .  6
    13  .  .  .  7
    12 11 10  9  8

Edges have numbers (MARBLE, D.2): 1 left, 2 top, 3 right, 4 bottom. An orientation is named by the
edges that are then on the left and on the top, (left, top). The eight of them are listed in
ORIENTATIONS; code uses their index there. The first four are turns in the plane, the last four turn
the piece over as well. As text a piece is five rows of 0 (gap) and 1 (bump), "11011/01110/...".
"""

from __future__ import annotations

from collections.abc import Iterable

SIDE = 5
"""Cells along an edge of a piece, corners included."""
BORDER = 16
"""Number of border cells."""

EDGES = {1: (13, 14, 15), 2: (1, 2, 3), 3: (5, 6, 7), 4: (9, 10, 11)}
"""The three inner border cells of each edge, clockwise around the piece."""

OPPOSITE = {1: 3, 2: 4, 3: 1, 4: 2}

ORIENTATIONS: tuple[tuple[int, int], ...] = (
    *((1, 2), (2, 3), (3, 4), (4, 1)),
    *((3, 2), (4, 3), (1, 4), (2, 1)),
)
"""Original edges on the left and on the top. Number 4 * flipped + top edge - 2, modulo 4 each."""
UNFLIPPED = 4
"""Number of orientations, the first ones, that do not turn the piece over."""
CODES = {pair: code for code, pair in enumerate(ORIENTATIONS)}
"""(left, top) -> index into ORIENTATIONS."""

SOURCES: tuple[tuple[int, ...], ...] = tuple(
    tuple((4 * code + k) % BORDER for k in range(BORDER))
    if code < UNFLIPPED
    else tuple((4 * code + 4 - k) % BORDER for k in range(BORDER))
    for code in range(len(ORIENTATIONS))
)
"""SOURCES[code][k] is the border cell of the piece that is then at k."""

CODE_OF = {sources: code for code, sources in enumerate(SOURCES)}
"""The orientation of each row of SOURCES."""

COMPOSED: tuple[tuple[int, ...], ...] = tuple(
    tuple(CODE_OF[tuple(first[k] for k in then)] for then in SOURCES) for first in SOURCES
)
"""COMPOSED[a][b] is the orientation that does a, then b."""
INVERSE: tuple[int, ...] = tuple(row.index(0) for row in COMPOSED)
"""INVERSE[a] is the orientation that undoes a."""

_FULL = (1 << BORDER) - 1
_REVERSED = tuple(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def orient_piece(piece: int, code: int) -> int:
    """Return the piece in an orientation, again as 16 bits from its top left corner."""
    shift = 4 * (code % UNFLIPPED)
    if code >= UNFLIPPED:
        # Bit reversal is k -> 15 - k; turning over is k -> 4 - k, five cells further on.
        piece = _REVERSED[piece & 255] << 8 | _REVERSED[piece >> 8]
        shift = 11 - shift
    shift %= BORDER
    return (piece >> shift | piece << BORDER - shift) & _FULL


def list_allowed_orientations(flips: bool) -> range:
    """Return the orientations that a variant with or without flips allows."""
    return range(len(ORIENTATIONS) if flips else UNFLIPPED)


def count_symmetries(piece: int, flips: bool) -> int:
    """Return how many of the allowed moves leave the piece as it is, 1 for most pieces."""
    return sum(orient_piece(piece, code) == piece for code in list_allowed_orientations(flips))


def canonical_piece(piece: int, flips: bool) -> int:
    """Return the least of the piece's forms under the allowed moves; equal for equal pieces."""
    return min(orient_piece(piece, code) for code in list_allowed_orientations(flips))


RING: tuple[tuple[int, int], ...] = (
    *((0, column) for column in range(4)),
    *((row, 4) for row in range(4)),
    *((4, column) for column in range(4, 0, -1)),
    *((row, 0) for row in range(4, 0, -1)),
)
"""Row and column of each border cell."""


def piece_rows(piece: int) -> tuple[str, ...]:
    """Return the five rows of a piece, each five letters 0 or 1."""
    cells = [["1"] * SIDE for _ in range(SIDE)]
    for k, (row, column) in enumerate(RING):
        cells[row][column] = str(piece >> k & 1)
    return tuple("".join(row) for row in cells)


def format_piece(piece: int) -> str:
    """Return the piece as text, its rows joined by slashes."""
    return "/".join(piece_rows(piece))


def parse_piece(text: str) -> int:
    """Return the piece of a text.

    Raises:
        ValueError: it is not five rows of five letters 0 or 1 with a full inner 3 x 3.
    """
    lines = text.split("/")
    if [len(line) for line in lines] != [SIDE] * SIDE or set(text) - set("01/"):
        raise ValueError(f"{text!r} is no piece; give five rows of five 0 or 1, joined by slashes")
    if any(line[1:4] != "111" for line in lines[1:4]):
        raise ValueError(f"the piece {text!r} has a gap inside; its inner 3 x 3 must be all 1")
    return border_to_piece(int(lines[row][column]) for row, column in RING)


def border_to_piece(border: Iterable[int]) -> int:
    """Return the piece whose border cells are these, 0 or 1 each, from the top left corner on."""
    return sum(bit << k for k, bit in enumerate(border))
