"""Draw shapes: pieces in four quadrants, each layer smaller than the one below it.

Every shape stands in a square cell, around a thin cross. The pieces of layer k reach REACH[k] times
as far from the middle as those of layer 1. In unit coordinates of quadrant 1 (x to the right, y up,
the middle of the shape at the origin, layer 1 reaching 1) the outlines are: circle, the quarter
disc of radius 1; rectangle, the unit square; windmill, (0, 0), (0, 1), (1, 1), (0.45, 0); fan, the
wedge of radius 1.12 from 22.5 to 67.5 degrees; star, (0, 0), (0.45, 0), (1, 1), (0, 0.45). In other
quadrants they are turned by 90 degrees, never mirrored. Of every piece a part stays in sight
whatever lies above it. Ticks on the cross mark how far the pieces of each layer reach.

A pixel is one byte: STEPS * paint + level, where level 0 is the dark of outlines and the highest is
the paint pure. A quadrant's picture depends on its own pieces and on whether there are ticks alone,
so it is kept for the next shape that has the same.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters import glyphs
from facelet.renderers.scenes.records import RGB
from facelet.renderers.scenes.shapes import ShapeSheet

Codes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

STEPS = 5
DARK: RGB = (38, 40, 48)
PAINTS: dict[str, RGB] = {
    "": (232, 236, 242),
    "r": (222, 40, 46),
    "g": (40, 168, 72),
    "b": (38, 92, 224),
    "y": (255, 214, 0),
    "p": (148, 60, 190),
    "c": (70, 216, 232),
    "u": (146, 150, 156),
    "w": (255, 255, 255),
}
"""Paper first, then the colours."""
NUMBERS = {shade: number for number, shade in enumerate(PAINTS)}
PAPER = STEPS - 1
INK = 0

MARGIN = 0.14
"""From the reach of layer 1 to the side of the cell, as a part of the cell's half."""
REACH = (1.0, 0.77, 0.54, 0.31)
BORDER = 2.0
"""Width of an outline in pixels."""
FINE = 4
CROSS = 2
"""Code of the cross: halfway between paper and ink."""
LABEL = 20
PLACES = ((0, 1), (1, 1), (1, 0), (0, 0))
"""Of each quadrant, rows and columns of quadrants before it in its cell."""


def unit_mask(kind: str, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Mask:
    """Return which points of quadrant 1 a piece covers, x and y in units of its reach.

    Args:
        kind: a type out of PIECES.
        x: to the right of the middle.
        y: above the middle.
    """
    inside = (x >= 0) & (y >= 0)
    if kind == "C":
        return inside & (x * x + y * y <= 1)
    if kind == "R":
        return inside & (x <= 1) & (y <= 1)
    if kind == "W":
        return inside & (y <= 1) & (x <= 0.45 + 0.55 * y)
    if kind == "S":
        return inside & (x <= 0.45 + 0.55 * y) & (y <= 0.45 + 0.55 * x)
    steep = 2.414213562373095
    return inside & (x * x + y * y <= 1.2544) & (y <= steep * x) & (x <= steep * y)


@lru_cache(maxsize=256)
def draw_piece(kind: str, layer: int, size: int) -> tuple[Codes, Mask, Places, Codes]:
    """Return a piece of quadrant 1: the codes of its own pixels, with paint 0, and which they are.

    Args:
        kind: a type out of PIECES.
        layer: its layer, from 0.
        size: edge of the quadrant's square in pixels; its lower left corner is the middle.

    Returns:
        uint8 (size, size), the level of its paint; a mask of the pixels that show it; the places,
        in rows, of those that are its border; and how much of what is below stays at each of these,
        from STEPS - 1 for all.
    """
    reach = size * (1 - MARGIN) * REACH[layer]
    samples = (np.arange(size * FINE) + 0.5) / FINE
    x, y = samples[None, :], samples[::-1, None]
    covered = unit_mask(kind, x / reach, y / reach)
    inner = _shrink_mask(covered, round(BORDER * FINE))
    whole, filled = (_coverage_levels(mask, size) for mask in (covered, inner))
    shows = filled > 0
    border = np.flatnonzero(~shows & (whole > 0))
    return filled, shows, border, (STEPS - 1 - whole).ravel()[border]


def _shrink_mask(mask: Mask, by: int) -> Mask:
    """Return the points from which a square step in any direction stays inside."""
    out = np.pad(mask, by)
    size = len(mask)
    kept = np.ones_like(mask)
    for angle in range(16):
        down = by + round(by * float(np.sin(angle * np.pi / 8)))
        right = by + round(by * float(np.cos(angle * np.pi / 8)))
        kept &= out[down : down + size, right : right + size]
    return kept


def _coverage_levels(mask: Mask, size: int) -> Codes:
    """Return coverage in whole levels, 0 to STEPS - 1."""
    counts = mask.reshape(size, FINE, size, FINE).sum(axis=(1, 3))
    levels: Codes = ((counts * (STEPS - 1) + FINE * FINE // 2) // (FINE * FINE)).astype(np.uint8)
    return levels


@lru_cache(maxsize=1024)
def draw_pile(pieces: tuple[str, ...], size: int) -> Codes:
    """Return the picture of pieces that lie on each other in quadrant 1, without the cross.

    Args:
        pieces: type and colour of each layer from the lowest, or "--".
        size: edge of the square in pixels.
    """
    codes = np.full((size, size), PAPER, np.uint8)
    flat = codes.ravel()  # the same memory
    for layer, one in enumerate(pieces):
        kind, shade = one[0], one[1]
        if kind == "-":
            continue
        levels, shows, border, stays = draw_piece(kind, layer, size)
        below = flat[border]
        flat[border] = below // STEPS * STEPS + np.minimum(below % STEPS, stays)
        np.copyto(codes, levels + np.uint8(NUMBERS[shade] * STEPS), where=shows)
    codes.setflags(write=False)
    return codes


@lru_cache(maxsize=1024)
def draw_quadrant(pieces: tuple[str, ...], turns: int, size: int, ticks: bool) -> Codes:
    """Return the picture of one quadrant, with its part of the cross.

    Args:
        pieces: type and colour of each layer from the lowest, or "--".
        turns: quarter turns clockwise from quadrant 1.
        size: edge of the square in pixels.
        ticks: whether the cross is marked where the pieces of each layer end.
    """
    codes = np.ascontiguousarray(np.rot90(draw_pile(pieces, size), -turns))
    top, left = (size * place for place in PLACES[turns])
    cross = _cross_mask(size, ticks)[top : top + size, left : left + size]
    codes = np.where(cross & (codes == PAPER), np.uint8(CROSS), codes)
    codes.setflags(write=False)
    return codes


def _letter_quadrant(codes: Codes, pieces: tuple[str, ...], turns: int) -> Codes:
    """Return the picture of one quadrant with the letter of its colour on each piece."""
    codes = codes.copy()
    for layer, one in enumerate(pieces):
        if one[0] != "-":
            above = tuple(other[0] for other in pieces[layer + 1 :])
            row, column = _letter_spot(one[0], layer, above, turns, len(codes))
            _draw_letter(codes, one[1], row, column)
    return codes


@lru_cache(maxsize=1 << 13)
def _letter_spot(
    kind: str, layer: int, above: tuple[str, ...], turns: int, size: int
) -> tuple[int, int]:
    """Return the pixel of a piece in sight that is farthest from its outline: row, column."""
    spot = np.rot90(visible_mask(kind, layer, above, size), -turns)
    while True:
        less = np.zeros_like(spot)
        less[1:-1, 1:-1] = (
            spot[1:-1, 1:-1] & spot[:-2, 1:-1] & spot[2:, 1:-1] & spot[1:-1, :-2] & spot[1:-1, 2:]
        )
        if not less.any():
            break
        spot = less
    rows, columns = np.nonzero(spot)
    middle = len(rows) // 2
    return int(rows[middle]), int(columns[middle])


def visible_mask(kind: str, layer: int, above: tuple[str, ...], size: int) -> Mask:
    """Return which pixels of quadrant 1 show the paint of a piece.

    Args:
        kind: its type.
        layer: its layer, from 0.
        above: the types of the layers above it, "-" for empty.
        size: edge of the quadrant's square in pixels.
    """
    seen = draw_piece(kind, layer, size)[1].copy()
    for higher, other in enumerate(above, layer + 1):
        if other != "-":
            _, shows, border, _ = draw_piece(other, higher, size)
            seen &= ~shows
            seen.ravel()[border] = False
    return seen


def _draw_letter(codes: Codes, shade: str, row: int, column: int) -> None:
    """Write the letter of a colour, in ink or in white, around a pixel."""
    glyph = glyphs.ink_mask(shade, 12)
    height, width = glyph.shape
    top = min(max(0, row - height // 2), len(codes) - height)
    left = min(max(0, column - width // 2), len(codes) - width)
    window = codes[top : top + height, left : left + width]
    light = sum(PAINTS[shade]) > 330
    window[glyph] = INK if light else STEPS * NUMBERS["w"] + STEPS - 1


@lru_cache(maxsize=64)
def _cross_mask(half: int, ticks: bool) -> Mask:
    """Return which pixels of a cell belong to the cross."""
    edge = 2 * half
    cross = np.zeros((edge, edge), np.bool_)
    away = round(half * (1 - MARGIN / 2))
    cross[half - 1 : half + 1, half - away : half + away] = True
    cross[half - away : half + away, half - 1 : half + 1] = True
    if ticks:
        for reach in REACH:
            step = round(half * (1 - MARGIN) * reach)
            for place in (half - step, half + step - 1):
                cross[half - 3 : half + 3, place] = True
                cross[place, half - 3 : half + 3] = True
    return cross


def draw_shapes(scene: ShapeSheet) -> Image.Image:
    """Return the picture of a sheet of shapes: mode P."""
    half = scene.cell // 2
    columns = min(scene.columns, len(scene.codes))
    rows = -(-len(scene.codes) // columns)
    strip = LABEL + 4 if any(scene.labels) else 0
    codes = np.full((rows * (2 * half + strip), columns * 2 * half), PAPER, np.uint8)
    ticks = any(":" in code for code in scene.codes)
    for number, (code, label) in enumerate(zip(scene.codes, scene.labels, strict=True)):
        row, column = divmod(number, columns)
        top, left = row * (2 * half + strip), column * 2 * half
        if strip:
            codes[top : top + strip, left : left + 2 * half] = _draw_label(label, 2 * half)
        layers = code.split(":")
        for turns, (down, right) in enumerate(PLACES):
            pieces = tuple([layer[2 * turns : 2 * turns + 2] for layer in layers])
            drawn = draw_quadrant(pieces, turns, half, ticks)
            y, x = top + strip + down * half, left + right * half
            codes[y : y + half, x : x + half] = (
                _letter_quadrant(drawn, pieces, turns) if scene.letters else drawn
            )
    if strip:
        codes[:, 2 * half :: 2 * half] = CROSS
        codes[2 * half + strip :: 2 * half + strip] = CROSS
    image = Image.frombuffer("P", codes.shape[::-1], codes, "raw", "P", 0, 1)
    image.putpalette(_PALETTE)
    return image


@lru_cache(maxsize=64)
def _draw_label(label: str, width: int) -> Codes:
    """Return the strip above a cell of some width, with its label in the upper left."""
    strip = np.full((LABEL + 4, width), PAPER, np.uint8)
    if label:
        text = glyphs.render_line(label, LABEL if len(label) < 3 else 12)[:, : width - 8]
        part = strip[2 : 2 + len(text), 6 : 6 + text.shape[1]]
        part[:] = PAPER - text[: len(part)].astype(np.int64) * (STEPS - 1) // glyphs.LEVELS
    strip.setflags(write=False)
    return strip


_PALETTE = bytes(
    (dark * (STEPS - 1 - level) + light * level) // (STEPS - 1)
    for paint in PAINTS.values()
    for level in range(STEPS)
    for dark, light in zip(DARK, paint, strict=True)
)

PAINTERS = {ShapeSheet: draw_shapes}
