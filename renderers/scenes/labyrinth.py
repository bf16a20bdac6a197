"""Scenes of the shifting labyrinth: a board of 7 x 7 tiles, a spare tile, a target, one pawn."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase

from facelet.renderers.scenes.records import Scene

SIDE = 7
PLACES = SIDE * SIDE + 1
"""The 49 tiles of the board, row by row, and the spare one."""
TREASURES = ascii_uppercase[:24]
NO_TREASURE = "-"
SHAPES = frozenset({5, 10, 3, 6, 12, 9, 7, 14, 13, 11})
"""The sets of openings that a tile can have: straight, corner or T; see LabyrinthBoard.tiles."""


@dataclass(frozen=True, slots=True)
class LabyrinthBoard(Scene):
    """A board of the shifting labyrinth, with a panel that shows the spare tile and the target.

    Attributes:
        tiles: openings of the 49 tiles row by row from the top left, then of the spare one: the sum
            of 1 for north, 2 for east, 4 for south and 8 for west.
        treasures: what is shown on each of these 50 tiles: letters A to X, "-" for nothing.
        pawn: the cell of the pawn, 0 to 48.
        target: the letter of the treasure in the panel, or "" for none.
        overlay: whether each tile carries its name, such as T1, and its position, as column,row.
        opacity: strength of the texture on walls and floors, 0 to 100 per cent.

    Raises:
        ValueError: a field is out of its range.
    """

    tiles: tuple[int, ...]
    treasures: str
    pawn: int
    target: str = ""
    overlay: bool = False
    opacity: int = 50

    def __post_init__(self) -> None:
        if not isinstance(self.tiles, tuple) or len(self.tiles) != PLACES:
            raise ValueError(f"there are {len(self.tiles)} tiles; give a tuple of {PLACES}")
        for place, tile in enumerate(self.tiles):
            if tile not in SHAPES:
                raise ValueError(
                    f"tile {place} has the openings {tile}; allowed are {sorted(SHAPES)}"
                )
        if len(self.treasures) != PLACES:
            raise ValueError(f"there are {len(self.treasures)} marks of treasures; give {PLACES}")
        for letter in self.treasures:
            if letter not in TREASURES and letter != NO_TREASURE:
                raise ValueError(f"treasures holds {letter!r}; use A to X, or - for none")
        if type(self.pawn) is not int or not 0 <= self.pawn < PLACES - 1:
            raise ValueError(f"pawn is {self.pawn!r}; allowed are 0 to {PLACES - 2}")
        if len(self.target) > 1 or self.target not in TREASURES:
            raise ValueError(f'target is {self.target!r}; use one of A to X, or ""')
        if type(self.opacity) is not int or not 0 <= self.opacity <= 100:
            raise ValueError(f"opacity is {self.opacity!r}; allowed are whole per cents 0 to 100")
