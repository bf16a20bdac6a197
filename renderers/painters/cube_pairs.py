"""Draw cubes from two opposite corners: all 54 stickers, several cubes in one picture.

A view is drawn in oblique projection: the front face is a square of 3 x 3 cells, the top and the
right face recede from it at 45 degrees, half as deep as wide. With cells of c pixels a view is
4.5 c wide and high, and a line of ink around it. Between any two areas there is a line of ink, so
smooth edges are mixtures of ink with one color: a palette of 32 has them all, and a picture few
bytes.

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
from facelet.renderers.scenes.records import FACES, FRAME, RGB, WHITE

Codes = npt.NDArray[np.uint8]

FRONT = (*range(9), *range(18, 27), *range(9, 18))
"""Facelets of U, F and R."""
BACK = (29, 32, 35, 28, 31, 34, 27, 30, 33, *range(44, 35, -1), *range(53, 44, -1))
"""Facelets of D, L and B as the cube shows them after x2 y'."""

SHADES = 4
"""Shades of a color: how much ink is mixed with it, in quarters."""
INK, PAPER, FIRST = 0, SHADES, 2 * SHADES
"""Codes of the palette: ink, paper, and the first of the six colours, each before its shades."""
FINE = 4
"""Points by which a pixel is measured, along each side."""
LINE = 0.8
"""Half the width of a line in pixels."""
STRIP = 24
"""Height of the line with a label."""
CAPTION = 18
EDGE = 8
"""Paper to the left and the right of each view."""
CAPTIONS = ("U top, F front, R right", "D top, L front, B right")
SHORT = ("U F R", "D L B")
LONG = 160
"""Width from which a view has the long caption."""


def view_edge(cell: int) -> int:
    """Return the width and height of a view in pixels, for a cell size in pixels."""
    return 9 * cell // 2 + 2


@lru_cache(maxsize=16)
def view_pattern(cell: int) -> bytes:
    """Return a view, one byte a pixel: SHADES * what + shade.

    What is seen there is 0 for ink, 1 for paper, from 2 on the stickers in order.
    """
    size, half = view_edge(cell), cell // 2
    front, deep = 3 * cell, 3 * half
    fine = (np.arange(size * FINE) + 0.5) / FINE
    rows, columns = np.meshgrid(fine - 1, fine - 1, indexing="ij")
    seen = np.ones((size * FINE, size * FINE), np.uint8)
    ink = np.zeros_like(seen, dtype=np.bool_)
    up, away = deep - rows, columns - front
    # Front: the square at the lower left. Top and right recede from it, sheared by 45 degrees.
    slant = 0.5**0.5
    faces = (
        (1, (rows - deep) / cell, columns / cell, float(cell), float(cell)),
        (0, rows / half, (columns - up) / cell, float(half), cell * slant),
        (2, (rows - deep + away) / cell, away / half, cell * slant, float(half)),
    )
    for face, down, right, high, wide in faces:
        near = (down > -LINE / high) & (down < 3 + LINE / high)
        near &= (right > -LINE / wide) & (right < 3 + LINE / wide)
        lined = (np.abs(down - np.rint(down)) * high < LINE) | (
            np.abs(right - np.rint(right)) * wide < LINE
        )
        ink |= near & lined
        inside = (down >= 0) & (down < 3) & (right >= 0) & (right < 3)
        place = 2 + 9 * face + 3 * down.astype(np.int64) + right.astype(np.int64)
        seen[inside] = place[inside]
    blocks = (size, FINE, size, FINE)
    share = ink.reshape(blocks).mean(axis=(1, 3))
    # Where no line is, a pixel shows one thing; beside one, what most of it shows that is no ink.
    middle = np.where(ink, 0, seen).reshape(blocks).max(axis=(1, 3))
    shade = np.rint(share * SHADES).astype(np.int64)
    codes = np.where(shade == SHADES, 0, SHADES * middle.astype(np.int64) + shade)
    return codes.astype(np.uint8).tobytes()


def sticker_middles(cell: int) -> tuple[tuple[int, int], ...]:
    """Return where the middles of the 27 stickers of a view are: (row, column), in order."""
    half = cell // 2
    front, deep = 3 * cell, 3 * half
    places = [(row, column) for row in range(3) for column in range(3)]
    tops = [(row * half + half // 2, column * cell) for row, column in places]
    sides = [(row * cell, column * half + half // 2) for row, column in places]
    return (
        *((down, 1 + across + half + deep - down) for down, across in tops),
        *((deep + row * cell + half, 1 + column * cell + half) for row, column in places),
        *((deep + down + half - away, 1 + front + away) for down, away in sides),
    )


def draw_pairs(scene: CubePairs) -> Image.Image:
    """Return the picture of a sheet of cubes: mode P."""
    size = view_edge(scene.cell)
    columns = min(scene.columns, len(scene.states))
    rows = -(-len(scene.states) // columns)
    strip = STRIP if any(scene.labels) else EDGE
    height, width = strip + size + CAPTION, 2 * (size + 2 * EDGE)
    codes = np.full((rows * height, columns * width), PAPER, np.uint8)
    for number, (state, label) in enumerate(zip(scene.states, scene.labels, strict=True)):
        row, column = divmod(number, columns)
        top, left = row * height, column * width
        _write_line(codes[top + 2 : top + strip, left + EDGE : left + width], label, 20)
        for side, facelets in enumerate((FRONT, BACK)):
            at = left + side * width // 2 + EDGE
            window = codes[top + strip : top + strip + size, at : at + size]
            window[:] = _draw_view(state, facelets, scene.cell)
            if scene.letters:
                _draw_letters(window, state, facelets, scene)
            caption = (CAPTIONS if size >= LONG else SHORT)[side]
            _write_line(
                codes[top + strip + size + 2 : top + height, at : at + size + EDGE], caption, 12
            )
    if any(scene.labels):
        codes[:, width::width] = INK
        codes[height::height] = INK
    image = Image.fromarray(codes, mode="P")
    image.putpalette(
        [part for colour in (FRAME, WHITE, *scene.colours) for part in _shade_colours(colour)]
    )
    return image


def _shade_colours(colour: RGB) -> list[int]:
    """Return a colour and its shades, one part after the other."""
    return [
        round(part + (ink - part) * shade / SHADES)
        for shade in range(SHADES)
        for part, ink in zip(colour, FRAME, strict=True)
    ]


def _draw_view(state: str, facelets: tuple[int, ...], cell: int) -> Codes:
    """Return one view of a state in codes of the palette."""
    firsts = [INK, PAPER, *(FIRST + SHADES * FACES.index(state[facelet]) for facelet in facelets)]
    # A pixel of ink has no shades.
    table = bytes([INK] * SHADES + [code + shade for code in firsts[1:] for shade in range(SHADES)])
    size = view_edge(cell)
    return np.frombuffer(view_pattern(cell).translate(table.ljust(256)), np.uint8).reshape(
        size, size
    )


def _draw_letters(window: Codes, state: str, facelets: tuple[int, ...], scene: CubePairs) -> None:
    """Write the letter of its colour on each sticker of a view."""
    for (row, column), facelet in zip(sticker_middles(scene.cell), facelets, strict=True):
        face = FACES.index(state[facelet])
        glyph = glyphs.ink_mask(scene.letters[face], 12 if scene.cell < 48 else 20)
        height, wide = glyph.shape
        top, left = row - height // 2, column - wide // 2
        part = window[top : top + height, left : left + wide]
        part[glyph] = INK if sum(scene.colours[face]) > 330 else PAPER


def _write_line(window: Codes, text: str, size: int) -> None:
    """Write a line into a window, cut off where it ends."""
    line = glyphs.render_line(text, size)
    height, width = min(line.shape[0], len(window)), min(line.shape[1], window.shape[1])
    window[:height, :width][line[:height, :width] > glyphs.LEVELS // 2] = INK


PAINTERS = {CubePairs: draw_pairs}
