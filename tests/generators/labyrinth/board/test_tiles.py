"""Tiles and their names, against the table of the paper."""

import pytest

from facelet.generators.labyrinth.board import board_engine

# MARBLE, D.3.
NAMED = {
    **{"I0": "NS", "I1": "EW", "I2": "NS", "I3": "EW"},
    **{"L0": "NE", "L1": "ES", "L2": "SW", "L3": "NW"},
    **{"T0": "NEW", "T1": "NES", "T2": "ESW", "T3": "NSW"},
}


def tile_openings(tile: int) -> str:
    return "".join(letter for letter, side in board_engine.OPENINGS.items() if tile & side)


@pytest.mark.parametrize(("name", "letters"), NAMED.items())
def test_a_name_tells_the_openings(name: str, letters: str) -> None:
    tile = board_engine.parse_tile_name(name)
    assert tile_openings(tile) == letters
    assert board_engine.with_openings(letters) == tile
    assert board_engine.tile_shape(tile) == name[0]
    assert board_engine.tile_name(tile) == {"I2": "I0", "I3": "I1"}.get(name, name)
    assert len({board_engine.turn_tile(tile, turns) for turns in range(4)}) == (
        2 if name[0] == "I" else 4
    )


def test_turning_is_clockwise() -> None:
    assert tile_openings(board_engine.turn_tile(board_engine.parse_tile_name("L0"))) == "ES"
    assert all(board_engine.turn_tile(tile, 4) == tile for tile in board_engine.NAMES)
    assert all(
        board_engine.turn_tile(board_engine.turn_tile(tile, 3), 2) == board_engine.turn_tile(tile)
        for tile in board_engine.NAMES
    )


def test_what_is_no_tile_is_refused() -> None:
    with pytest.raises(ValueError, match="no tile has the openings 15; use one of"):
        board_engine.tile_name(15)
    with pytest.raises(ValueError, match="'X1' names no tile; use one of I0"):
        board_engine.parse_tile_name("X1")
