"""Makes renderers/glyphs.png, the atlas of bitmap letters that every picture is labelled with.

Run once, by hand, from the repository's root, after `make setup-dev`:

    .venv/bin/python tests/renderers/make_glyphs.py

The source is DejaVu Sans Bold as matplotlib ships it (its licence stands in
renderers/glyphs-LICENSE.txt). FreeType rasterises it at each size; the coverage is then rounded to
a few levels and frozen, so that no later version of a font, of FreeType or of Pillow can move a
pixel. The format of the atlas is documented in renderers/painters/glyphs.py.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from facelet.renderers.painters.glyphs import ATLAS, CHARACTERS, LEVELS, SIZES

FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans-Bold.ttf"


def draw_strip(size: int) -> npt.NDArray[np.uint8]:
    """Return one size's strip: a row of marks, then coverage, 0 to 255 in LEVELS steps."""
    font = ImageFont.truetype(str(FONT), size, layout_engine=ImageFont.Layout.BASIC)
    _, top, _, bottom = font.getbbox(CHARACTERS)
    columns = []
    for character in CHARACTERS:
        # A glyph whose ink sticks out of its advance (j does) gets a wider cell: none is cropped,
        # and none bleeds into its neighbour.
        left, _, right, _ = font.getbbox(character)
        indent = max(0, -int(left))
        width = max(round(font.getlength(character)), int(right)) + indent
        cell = Image.new("L", (width, int(bottom - top)), 0)
        ImageDraw.Draw(cell).text((indent, -top), character, fill=255, font=font)
        coverage = np.rint(np.asarray(cell) / 255 * LEVELS) * (255 // LEVELS)
        start = np.zeros((1, width))
        start[0, 0] = 255
        columns.append(np.concatenate([start, coverage]))
    end = np.zeros((columns[0].shape[0], 1))
    end[0, 0] = 255
    return np.concatenate([*columns, end], axis=1).astype(np.uint8)


def build_atlas() -> Image.Image:
    """Return the strips of all sizes, one below the other, filled up with black on the right."""
    strips = [draw_strip(size) for size in SIZES]
    width = max(part.shape[1] for part in strips)
    return Image.fromarray(
        np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in strips])
    )


if __name__ == "__main__":
    image = build_atlas()
    image.save(ATLAS, optimize=True)
    print(f"{ATLAS.name}: {image.width} x {image.height}, {ATLAS.stat().st_size} bytes")
    print("line heights:", {size: draw_strip(size).shape[0] - 1 for size in SIZES})
