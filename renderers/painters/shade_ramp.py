"""One ramp of sixteen blues from ink to paper, for solids and diagrams, and text in it.

Smooth edges need no more colours: pictures are drawn larger in levels, averaged, and rounded to the
nearest level. Shades differ in lightness, so they are told apart without seeing colour.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters import glyphs
from facelet.renderers.scenes.records import RGB

Levels = npt.NDArray[np.uint8]

LEVELS = 16
INK, SHADE, LIGHT, TOP, RULE, MAT, PAPER = 0, 4, 7, 10, 12, 14, 15
"""Levels of lines, of the darker and the lighter sides of solids, of their upper sides, of the
lines of a mat, of the mat, and of the background."""
STOPS: dict[int, RGB] = {
    INK: (16, 26, 48),
    SHADE: (32, 74, 128),
    LIGHT: (66, 124, 184),
    TOP: (156, 202, 238),
    RULE: (208, 214, 222),
    MAT: (240, 243, 246),
    PAPER: (255, 255, 255),
}
"""Colours of these levels; those between are mixed."""


def average_levels(fine: Image.Image, times: int) -> Levels:
    """Return the levels of a picture that was drawn some times as large, in levels times 17."""
    return ((np.asarray(fine.reduce(times), np.uint16) + 8) // 17).astype(np.uint8)


def color_levels(levels: Levels) -> Image.Image:
    """Return the picture of levels, mode P."""
    image = Image.fromarray(levels, "P")
    stops = sorted(STOPS)
    channels = [
        np.rint(np.interp(range(LEVELS), stops, [STOPS[stop][channel] for stop in stops]))
        for channel in range(3)
    ]
    image.putpalette(np.stack(channels, axis=1).astype(np.uint8).tobytes())
    return image


def write_text(
    tile: Levels, text: str, size: int, where: tuple[int, int], *, centred: bool = False
) -> None:
    """Write a text in ink.

    Args:
        tile: what to write into.
        text: printable ASCII.
        size: a font size of glyphs.
        where: the left and top of its capitals, or their middle.
        centred: whether it is the middle.
    """
    letters = glyphs.render_line(text, size)
    first, last = glyphs.capital_rows(size)
    x, y = where
    if centred:
        x, y = x - letters.shape[1] // 2, y - (last - first) // 2
    # What hangs below the line is kept, but does not count where the text is centred.
    letters = letters[first : last if centred else None]
    part = tile[y : y + letters.shape[0], x : x + letters.shape[1]]
    part[...] = np.minimum(part, PAPER - letters * (PAPER - INK) // glyphs.LEVELS)
