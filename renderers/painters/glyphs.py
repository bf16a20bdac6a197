"""Render letters from one committed bitmap atlas, without system fonts or FreeType.

The atlas, glyphs.png, holds printable ASCII in DejaVu Sans Bold (licence: glyphs-LICENSE.txt) at
the sizes in SIZES, one strip below the other. A strip is one row of marks, white where a glyph
starts and once more past the last, and below it the glyphs' coverage in steps of 255 / LEVELS.
Coverage 0 is empty, LEVELS is solid; the few levels between keep a labelled picture within sixteen
colours. Text is laid out glyph by glyph on whole pixels, without kerning. The atlas was made by
tests/renderers/make_glyphs.py.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

ATLAS = Path(__file__).with_name("glyphs.png")
CHARACTERS = "".join(map(chr, range(32, 127)))
LEVELS = 5
SIZES = {12: 13, 20: 21, 32: 34}
"""Font sizes in pixels, and the height of a line of each, ascenders and descenders included."""

Coverage = npt.NDArray[np.uint8]


@cache
def _read_glyphs(size: int) -> dict[str, Coverage]:
    """Return the glyphs of one size; each is uint8 (SIZES[size], advance), 0 to LEVELS."""
    with Image.open(ATLAS) as image:
        atlas = np.asarray(image.convert("L"))
    above = sum(height + 1 for other, height in SIZES.items() if other < size)
    marks, rows = atlas[above], atlas[above + 1 : above + 1 + SIZES[size]] // (255 // LEVELS)
    edges = np.flatnonzero(marks).tolist()
    return {
        character: rows[:, left:right]
        for character, left, right in zip(CHARACTERS, edges[:-1], edges[1:], strict=True)
    }


def render_line(text: str, size: int) -> Coverage:
    """Return one line of text as coverage.

    Args:
        text: printable ASCII; "" gives an array of width 0.
        size: a font size out of SIZES, in pixels.

    Returns:
        uint8 (SIZES[size], width), 0 (empty) to LEVELS (solid).

    Raises:
        ValueError: there is no such size, or a character is not printable ASCII.
    """
    if size not in SIZES:
        raise ValueError(f"no glyphs of size {size}; choose one of {sorted(SIZES)}")
    glyphs = _read_glyphs(size)
    if missing := sorted(set(text) - glyphs.keys()):
        raise ValueError(f"no glyph for {missing[0]!r}; labels are printable ASCII, space to tilde")
    if not text:
        return np.zeros((SIZES[size], 0), np.uint8)
    return np.concatenate([glyphs[character] for character in text], axis=1)


@lru_cache(maxsize=256)
def ink_mask(character: str, size: int) -> npt.NDArray[np.bool_]:
    """Return which pixels a character inks if each is inked or not, without empty rows.

    Args:
        character: printable ASCII, not blank.
        size: a font size out of SIZES, in pixels.
    """
    coverage = render_line(character, size)
    rows = np.flatnonzero(coverage.any(axis=1))
    return coverage[rows[0] : rows[-1] + 1] > LEVELS // 2


@cache
def capital_rows(size: int) -> tuple[int, int]:
    """Return the rows of a line that capital letters fill: the first, and the one past the last.

    Labels are centred on their capitals; centring the line box would set them too high, for most
    labels have no descender.
    """
    rows = np.flatnonzero(render_line("E", size).any(axis=1))
    return int(rows[0]), int(rows[-1]) + 1
