"""Draw the shifting labyrinth: board, arrows at the twelve slots, spare tile, and target.

Geometry in pixels: the picture is 700 x 552. The board of 7 x 7 tiles, TILE pixels each, begins at
(MARGIN, MARGIN); in the margins an arrow points into each of the twelve lines that move. The panel
to the right shows the spare tile as it lies, and the target. A tile is a square of wall with a
corridor, CORRIDOR pixels wide, from its middle to every side that it is open to.

Treasures are black icons on white discs and the pawn is a green disc marked P1; where both are on
one tile, the treasure moves to the upper right and the pawn to the lower left. Nothing covers a
door, the strip of a corridor along the side of its tile.

A picture is an array of colour codes, so the texture of walls and floors, whose strength is the
scene's opacity, only changes two palette entries.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters import glyphs
from facelet.renderers.painters.labyrinth_icons import LEVELS, draw_icon
from facelet.renderers.scenes.labyrinth import NO_TREASURE, SIDE, TREASURES, LabyrinthBoard
from facelet.renderers.scenes.records import RGB

Codes = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]

WIDTH, HEIGHT = 700, 552
MARGIN = 24
TILE = 72
CORRIDOR = 26
PANEL = MARGIN + SIDE * TILE + MARGIN
SPARE_AT = (PANEL + 32, 80)
TARGET_AT = (PANEL + 20, 244)
TARGET_SIZE = 96
DISC, ICON, PAWN = 18, 28, 14
"""Radius of the disc below a treasure, edge of its icon, radius of the pawn."""
APART = 12
"""How far a treasure and a pawn move out of the middle when they share a tile."""

WALL, WALL_TEXTURE, FLOOR, FLOOR_TEXTURE, RIM, ARROW = range(6)
INK = 6
"""From here on, LEVELS + 1 codes from white to black."""
GREEN = INK + LEVELS + 1
"""The same from green to white."""
PLATE = GREEN + LEVELS + 1
"""The same from the dark plate of a label to white."""
PAPER = INK

WHITE: RGB = (255, 255, 255)
FLAT: dict[int, RGB] = {
    WALL: (74, 84, 108),
    FLOOR: (238, 226, 198),
    RIM: (30, 34, 46),
    ARROW: (214, 150, 0),
}
TEXTURE: dict[int, RGB] = {WALL: (128, 136, 150), FLOOR: (204, 180, 136)}
"""Colours that the texture has at full opacity."""
RAMPS: dict[int, tuple[RGB, RGB]] = {
    INK: (WHITE, (0, 0, 0)),
    GREEN: ((0, 128, 48), WHITE),
    PLATE: ((40, 46, 62), WHITE),
}


_TILE_NAMES = {
    (upright << rotation | upright >> 4 - rotation) & 15: f"{shape}{rotation}"
    for shape, upright in (("I", 5), ("L", 3), ("T", 11))
    for rotation in (3, 2, 1, 0)
}
"""Names of tiles: shape and clockwise rotation, the smaller one of two, as in MARBLE (D.3)."""


def tile_box(place: int) -> Box:
    """Return where a tile is: (left, top, right, bottom), right and bottom exclusive.

    Args:
        place: 0 to 48 row by row, or 49 for the spare tile.
    """
    if place == SIDE * SIDE:
        left, top = SPARE_AT
    else:
        row, column = divmod(place, SIDE)
        left, top = MARGIN + TILE * column, MARGIN + TILE * row
    return left, top, left + TILE, top + TILE


def draw_board(scene: LabyrinthBoard) -> Image.Image:
    """Return the picture of a board: mode P."""
    codes = _draw_frame().copy()
    for place, tile in enumerate(scene.tiles):
        left, top, right, bottom = tile_box(place)
        patch = codes[top:bottom, left:right]
        patch[:] = _draw_tile(tile)
        letter, pawn = scene.treasures[place], place == scene.pawn
        shift = APART if pawn and letter != NO_TREASURE else 0
        if letter != NO_TREASURE:
            _put_treasure(patch, letter, TILE // 2 + shift, TILE // 2 - shift)
        if pawn:
            _put_pawn(patch, TILE // 2 - shift, TILE // 2 + shift)
        if scene.overlay:
            _write_label(patch, _TILE_NAMES[tile], right=True)
            if place < SIDE * SIDE:
                _write_label(patch, f"{place % SIDE},{place // SIDE}", right=False)
    if scene.target:
        left, top = TARGET_AT
        picture = draw_icon(TREASURES.index(scene.target), TARGET_SIZE)
        codes[top : top + TARGET_SIZE, left : left + TARGET_SIZE] = INK + picture
    if scene.opacity == 0:
        for flat in TEXTURE:
            codes[codes == flat + 1] = flat
    image = Image.fromarray(codes, "P")
    image.putpalette([level for colour in _board_palette(scene.opacity) for level in colour])
    return image


def _mix_colours(one: RGB, other: RGB, part: int, whole: int) -> RGB:
    """Return a colour that is `part` of `whole` on the way from one to another."""
    red, green, blue = (
        (a * (whole - part) + b * part + whole // 2) // whole
        for a, b in zip(one, other, strict=True)
    )
    return red, green, blue


@lru_cache(maxsize=128)
def _board_palette(opacity: int) -> tuple[RGB, ...]:
    """Return the colours of all codes."""
    colours = dict(FLAT)
    for flat, texture in TEXTURE.items():
        colours[flat + 1] = _mix_colours(FLAT[flat], texture, opacity, 100)
    for first, (one, other) in RAMPS.items():
        for level in range(LEVELS + 1):
            colours[first + level] = _mix_colours(one, other, level, LEVELS)
    return tuple(colours[code] for code in sorted(colours))


@lru_cache(maxsize=1)
def _draw_frame() -> Codes:
    """Return the codes of what is the same in all pictures."""
    codes = np.full((HEIGHT, WIDTH), PAPER, np.uint8)
    end = MARGIN + SIDE * TILE
    codes[MARGIN - 3 : end + 3, MARGIN - 3 : end + 3] = RIM
    reach = MARGIN - 10
    for lane in range(1, SIDE, 2):
        middle = MARGIN + TILE * lane + TILE // 2
        for depth in range(reach):
            half = reach - depth
            along = slice(middle - half, middle + half)
            near, far = 4 + depth, HEIGHT - 5 - depth
            codes[near, along] = codes[along, near] = ARROW
            codes[far, along] = codes[along, far] = ARROW
    x, y = SPARE_AT
    codes[y - 3 : y + TILE + 3, x - 3 : x + TILE + 3] = RIM
    for text, top in (("Extra tile", 40), ("Target", 212)):
        letters = glyphs.render_line(text, 20)
        left = (PANEL + WIDTH - MARGIN // 2 - letters.shape[1]) // 2
        codes[top : top + letters.shape[0], left : left + letters.shape[1]] = INK + letters
    return codes


@lru_cache(maxsize=16)
def _draw_tile(tile: int) -> Codes:
    """Return the codes of a tile with nothing on it."""
    y, x = np.mgrid[:TILE, :TILE]
    bricks = (y % 9 == 4) | ((x + y // 9 * 8) % 16 == 3)
    codes: Codes = (WALL + bricks).astype(np.uint8)
    cobbles = ((x // 2 * 3 + y // 2 * 5) % 13 == 0) | ((x // 2 + y // 2 * 4) % 17 == 5)
    floor = (FLOOR + cobbles).astype(np.uint8)
    low, high = (TILE - CORRIDOR) // 2, (TILE + CORRIDOR) // 2
    inside = (low <= x) & (x < high) & (low <= y) & (y < high)
    for side, part in ((1, y < high), (2, x >= low), (4, y >= low), (8, x < high)):
        if tile & side:
            across = (low <= x) & (x < high) if side in (1, 4) else (low <= y) & (y < high)
            inside |= part & across
    codes[inside] = floor[inside]
    codes[0], codes[-1], codes[:, 0], codes[:, -1] = RIM, RIM, RIM, RIM
    return codes


def _put_treasure(patch: Codes, letter: str, x: int, y: int) -> None:
    """Put a treasure on a tile, with its middle at (x, y)."""
    _fill_disc(patch, x, y, DISC, RIM)
    _fill_disc(patch, x, y, DISC - 1, INK)
    left, top = x - ICON // 2, y - ICON // 2
    picture = draw_icon(TREASURES.index(letter), ICON)
    part = patch[top : top + ICON, left : left + ICON]
    part[picture > 0] = INK + picture[picture > 0]


def _put_pawn(patch: Codes, x: int, y: int) -> None:
    """Put the pawn on a tile, with its middle at (x, y)."""
    _fill_disc(patch, x, y, PAWN, INK)
    _fill_disc(patch, x, y, PAWN - 2, GREEN)
    letters = glyphs.render_line("P1", 12)
    first, last = glyphs.capital_rows(12)
    left, top = x - letters.shape[1] // 2, y - (first + last) // 2
    part = patch[top : top + letters.shape[0], left : left + letters.shape[1]]
    part[letters > 0] = GREEN + letters[letters > 0]


def _fill_disc(patch: Codes, x: int, y: int, reach: int, code: int) -> None:
    """Fill a disc."""
    down, across = np.ogrid[: patch.shape[0], : patch.shape[1]]
    patch[(across - x) ** 2 + (down - y) ** 2 <= reach * reach] = code


def _write_label(patch: Codes, text: str, *, right: bool) -> None:
    """Write into the lower right or the upper left corner of a tile, where there is always wall."""
    letters = glyphs.render_line(text, 12)
    first, last = glyphs.capital_rows(12)
    letters = letters[first - 1 : last + 2]
    height, width = letters.shape
    left = TILE - 1 - width if right else 1
    top = TILE - 1 - height if right else 1
    patch[top : top + height, left : left + width] = PLATE + letters


PAINTERS = {LabyrinthBoard: draw_board}
