"""Draw random boards as MARBLE does (2.3).

Sixteen tiles and twelve treasures are fixed. The 34 loose tiles (13 straight ones, 15 corners of
which six carry a treasure, six T with a treasure each) are shuffled and turned; the last one is the
spare tile. The pawn is on any cell.
"""

from __future__ import annotations

import numpy as np

from facelet.generators.labyrinth.board.board_engine import CELLS, FIXED, LOOSE, SIDE, Board
from facelet.generators.labyrinth.board.tiles import ROTATIONS, UPRIGHT, turn_tile
from facelet.generators.labyrinth.board.treasures import (
    EMPTY,
    LETTER_OF,
    ON_FIXED,
    ON_LOOSE_L,
    ON_LOOSE_T,
)

_LOOSE: tuple[tuple[int, str], ...] = (
    *((UPRIGHT["I"], EMPTY) for _ in range(LOOSE["I"])),
    *((UPRIGHT["L"], EMPTY) for _ in range(LOOSE["L"] - len(ON_LOOSE_L))),
    *((UPRIGHT["L"], LETTER_OF[treasure]) for treasure in ON_LOOSE_L),
    *((UPRIGHT["T"], LETTER_OF[treasure]) for treasure in ON_LOOSE_T),
)
_PLACES = tuple(place for place in range(CELLS + 1) if place not in FIXED)
_ON_FIXED = {SIDE * row + column: LETTER_OF[name] for name, (row, column) in ON_FIXED.items()}


def draw_board(rng: np.random.Generator) -> Board:
    """Return a random board before the first insertion."""
    tiles = [FIXED.get(place, 0) for place in range(CELLS + 1)]
    treasures = [_ON_FIXED.get(place, EMPTY) for place in range(CELLS + 1)]
    order = rng.permutation(len(_LOOSE)).tolist()
    turns = rng.integers(ROTATIONS, size=len(_LOOSE)).tolist()
    for place, index, quarters in zip(_PLACES, order, turns, strict=True):
        upright, treasures[place] = _LOOSE[index]
        tiles[place] = turn_tile(upright, quarters)
    return Board(tuple(tiles), "".join(treasures), int(rng.integers(CELLS)))
