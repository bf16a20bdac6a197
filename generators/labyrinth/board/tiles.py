"""Openings, rotations and names of tiles.

A tile is the set of its openings, four bits: 1 north, 2 east, 4 south, 8 west; a clockwise quarter
turn moves every bit to the next. Its name is its shape and rotation, clockwise from the
upright tile (MARBLE, D.3): I0 is open to north and south, L0 to north and east, T0 to all but
south. I2 and I3 are other names of I0 and I1.
"""

from __future__ import annotations

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
OPENINGS: dict[str, int] = {"N": NORTH, "E": EAST, "S": SOUTH, "W": WEST}
UPRIGHT: dict[str, int] = {"I": NORTH | SOUTH, "L": NORTH | EAST, "T": NORTH | EAST | WEST}
ROTATIONS = 4


def turn_tile(tile: int, quarters: int = 1) -> int:
    """Return a tile turned clockwise by a number of quarters."""
    for _ in range(quarters % ROTATIONS):
        tile = (tile << 1 & 15) | tile >> 3
    return tile


NAMES: dict[int, str] = {
    turn_tile(upright, rotation): f"{shape}{rotation}"
    for shape, upright in UPRIGHT.items()
    for rotation in reversed(range(ROTATIONS))
}
"""The name of each of the ten tiles; a straight one has two, and the smaller rotation is used."""
TILES: dict[str, int] = {
    f"{shape}{rotation}": turn_tile(upright, rotation)
    for shape, upright in UPRIGHT.items()
    for rotation in range(ROTATIONS)
}
"""The tile of each of the twelve names."""


def tile_shape(tile: int) -> str:
    """Return the shape of a tile: I, L or T.

    Raises:
        ValueError: no tile has these openings.
    """
    return tile_name(tile)[0]


def tile_name(tile: int) -> str:
    """Return the name of a tile, such as "L2".

    Raises:
        ValueError: no tile has these openings.
    """
    try:
        return NAMES[tile]
    except KeyError:
        raise ValueError(f"no tile has the openings {tile}; use one of {sorted(NAMES)}") from None


def parse_tile_name(text: str) -> int:
    """Return the tile of a name.

    Raises:
        ValueError: there is no such name.
    """
    try:
        return TILES[text]
    except KeyError:
        raise ValueError(f"{text!r} names no tile; use one of {', '.join(TILES)}") from None


def with_openings(letters: str) -> int:
    """Return the tile that is open to the sides named by letters out of NESW."""
    return sum(OPENINGS[letter] for letter in letters)
