"""Cubes seen from two opposite corners: all 54 stickers, several cubes in one picture.

A view is drawn in oblique projection: the front face is a square of 3 x 3 cells, the top and the
right face recede from it at 45 degrees, half as deep as wide. So all edges run along pixels or
their diagonals, and nothing needs to be smoothed: a picture has eight colours and few bytes. With
cells of c pixels a view is 4.5 c wide and high, and a line of ink around it.

FRONT and BACK say which facelets the two views show, in the order of a view's stickers: top, front
and right face, each row by row. They follow from how the views are held (see
facelet.renderers.scenes.cube.CubePairs); a test turns labelled cubes to prove it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters import glyphs
from facelet.renderers.scenes.cube import CubePairs
from facelet.renderers.scenes.records import FACES, FRAME, WHITE

Codes = npt.NDArray[np.uint8]

FRONT = (*range(9), *range(18, 27), *range(9, 18))
"""Facelets of U, F and R."""
BACK = (29, 32, 35, 28, 31, 34, 27, 30, 33, *range(44, 35, -1), *range(53, 44, -1))
"""Facelets of D, L and B as the cube shows them after x2 y'."""

INK, PAPER, FIRST = 0, 1, 2
"""Codes of the palette: ink, paper, and the first of the six colours."""
STRIP = 24
"""Height of the line with a label."""
CAPTION = 18
EDGE = 8
"""Paper to the left and the right of each view."""
CAPTIONS = ("U top, F front, R right", "D top, L front, B right")
SHORT = ("U F R", "D L B")
LONG = 160
"""Width from which a view has the long caption."""


def edge(cell: int) -> int:
    """Return the width and height of a view in pixels, for cells of so many pixels."""
    return 9 * cell // 2 + 2


@lru_cache(maxsize=16)
def pattern(cell: int) -> bytes:
    """Return a view, one byte a pixel: 0 ink, 1 paper, from 2 on the stickers in order."""
    size, half = edge(cell), cell // 2
    front, deep = 3 * cell, 3 * half
    codes = np.full((size, size), PAPER, np.uint8)
    rows, columns = np.indices((size, size))
    # Front: the square at the lower left. Top: above it, each row of pixels one to the right.
    y, x = rows - deep, columns - 1
    faces = [(1, y, x, cell, cell)]
    up = deep - rows
    faces.append((0, rows, columns - 1 - up, half, cell))
    away = columns - 1 - front
    faces.append((2, rows - deep + away, away, cell, half))
    inks = []
    for face, down, right, high, wide in faces:
        inside = (down >= 0) & (down <= 3 * high) & (right >= 0) & (right <= 3 * wide)
        ink = inside & ((down % high == 0) | (right % wide == 0))
        stickers = inside & ~ink & (down < 3 * high) & (right < 3 * wide)
        place = 9 * face + 3 * (down // high) + right // wide
        codes[stickers] = (FIRST + place)[stickers]
        inks.append(ink)
    for ink in inks:
        thick = ink.copy()
        thick[:, 1:] |= ink[:, :-1]
        codes[thick & ((codes == PAPER) | ink | thick)] = INK
    return codes.tobytes()


def spots(cell: int) -> tuple[tuple[int, int], ...]:
    """Return where the middles of the 27 stickers of a view are: (row, column), in order."""
    half = cell // 2
    front, deep = 3 * cell, 3 * half
    found = []
    for row in range(3):
        for column in range(3):
            down = row * half + half // 2
            found.append((down, 1 + column * cell + half + deep - down))
    for row in range(3):
        for column in range(3):
            found.append((deep + row * cell + half, 1 + column * cell + half))
    for row in range(3):
        for column in range(3):
            away = column * half + half // 2
            found.append((deep + row * cell + half - away, 1 + front + away))
    return tuple(found)


def draw_pairs(scene: CubePairs) -> Image.Image:
    """Return the picture of a sheet of cubes: mode P."""
    size = edge(scene.cell)
    columns = min(scene.columns, len(scene.states))
    rows = -(-len(scene.states) // columns)
    strip = STRIP if any(scene.labels) else EDGE
    height, width = strip + size + CAPTION, 2 * (size + 2 * EDGE)
    codes = np.full((rows * height, columns * width), PAPER, np.uint8)
    for number, (state, label) in enumerate(zip(scene.states, scene.labels, strict=True)):
        row, column = divmod(number, columns)
        top, left = row * height, column * width
        _write(codes[top + 2 : top + strip, left + EDGE : left + width], label, 20)
        for side, facelets in enumerate((FRONT, BACK)):
            at = left + side * width // 2 + EDGE
            window = codes[top + strip : top + strip + size, at : at + size]
            window[:] = _view(state, facelets, scene.cell)
            if scene.letters:
                _letters(window, state, facelets, scene)
            caption = (CAPTIONS if size >= LONG else SHORT)[side]
            _write(codes[top + strip + size + 2 : top + height, at : at + size + EDGE], caption, 12)
    if any(scene.labels):
        for column in range(1, columns):
            codes[:, column * width] = INK
        for row in range(1, rows):
            codes[row * height] = INK
    image = Image.fromarray(codes, mode="P")
    image.putpalette([part for shade in (FRAME, WHITE, *scene.colours) for part in shade])
    return image


def _view(state: str, facelets: tuple[int, ...], cell: int) -> Codes:
    """Return one view of a state in codes of the palette."""
    table = bytes([INK, PAPER, *(FIRST + FACES.index(state[facelet]) for facelet in facelets)])
    size = edge(cell)
    return np.frombuffer(pattern(cell).translate(table.ljust(256)), np.uint8).reshape(size, size)


def _letters(window: Codes, state: str, facelets: tuple[int, ...], scene: CubePairs) -> None:
    """Write the letter of its colour on each sticker of a view."""
    for (row, column), facelet in zip(spots(scene.cell), facelets, strict=True):
        face = FACES.index(state[facelet])
        glyph = glyphs.solid(scene.letters[face], 12)
        height, wide = glyph.shape
        top, left = row - height // 2, column - wide // 2
        part = window[top : top + height, left : left + wide]
        part[glyph] = INK if sum(scene.colours[face]) > 330 else PAPER


def _write(window: Codes, text: str, size: int) -> None:
    """Write a line into a window, cut off where it ends."""
    line = glyphs.line(text, size)
    height, width = min(line.shape[0], len(window)), min(line.shape[1], window.shape[1])
    window[:height, :width][line[:height, :width] > glyphs.LEVELS // 2] = INK


PAINTERS = {CubePairs: draw_pairs}
