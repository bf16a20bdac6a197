"""Draw flat cubes, the labelled net and the single face, from precomputed patterns.

Geometry, in cells of `scene.cell` pixels: each face is a black panel of 3 x 3 stickers. The faces
of a net are arranged as a cross or as a tower,

        U               U
      L F R B         L F R
        D               D
                        B

and a labelled panel has its face's name in a black bar above its stickers, so that a name covers no
sticker and cannot be taken for another face's. Around and between the panels there is background.
In the tower B lies as it unfolds from D, turned by 180 degrees: the edge that it shares with D is
on top. Stickers are flat squares; a hidden one is striped in two greys, and no other is.

A pattern is one byte a pixel that says what is there (label coverage, background, or which
sticker, on or off a stripe); it depends on `labels`, `cell` and `layout` alone. Drawing a scene is
one translation of its pattern into palette indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters import glyphs
from facelet.renderers.scenes.cube import CubeFace
from facelet.renderers.scenes.records import (
    FACES,
    FRAME,
    HATCH,
    RGB,
    WHITE,
    CubeNet,
    dim_colour,
)

Box = tuple[int, int, int, int]

PLACES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "face": {"U": (0, 0)},
    "cross": {"U": (0, 1), "L": (1, 0), "F": (1, 1), "R": (1, 2), "B": (1, 3), "D": (2, 1)},
    "tower": {"U": (0, 1), "L": (1, 0), "F": (1, 1), "R": (1, 2), "D": (2, 1), "B": (3, 1)},
}
"""Row and column of each face in a layout; a single face is a net of one."""
NAMES = {"U": "Up", "L": "Left", "F": "Front", "R": "Right", "B": "Back", "D": "Down"}

# What a pattern's byte means: 0 to LEVELS is the coverage of a label (0: bare frame), then the
# background, then two codes a sticker, off and on a stripe.
BACKGROUND = glyphs.LEVELS + 1
STICKERS = BACKGROUND + 1


@dataclass(frozen=True, slots=True)
class NetPattern:
    """Everything about a net or a face that does not depend on colours.

    Attributes:
        size: width and height in pixels.
        codes: width * height bytes, row by row, as above.
        boxes: where the stickers are, as (left, top, right, bottom) in pixels, right and bottom
            exclusive: in facelet order, or in the order of the scene of a face. Every pixel of a
            box has the sticker's colour, or belongs to the hatch that hides it.
        bars: where the faces' names are, by face letter; empty without labels.
    """

    size: tuple[int, int]
    codes: bytes
    boxes: tuple[Box, ...]
    bars: Mapping[str, Box]


@lru_cache(maxsize=32)
def net_pattern(labels: bool, cell: int, layout: str) -> NetPattern:
    """Return the pattern of all nets, or single faces, of a cell size and layout.

    Args:
        labels: whether the faces carry their names.
        cell: edge of a sticker in pixels, gap included.
        layout: how the faces are arranged; "face" for a single one.
    """
    places = PLACES[layout]
    rows, columns = (1 + max(steps) for steps in zip(*places.values(), strict=True))
    gap, margin = _net_spacing(cell)
    bar = max(14, cell * 5 // 8) if labels else 0
    apart = cell // 5
    wide = 3 * cell + gap
    tall = wide + bar
    width = 2 * margin + columns * wide + (columns - 1) * apart
    height = 2 * margin + rows * tall + (rows - 1) * apart
    codes = np.full((height, width), BACKGROUND, np.uint8)
    boxes: list[Box] = []
    bars: dict[str, Box] = {}
    for face, (row, column) in sorted(places.items(), key=lambda item: FACES.index(item[0])):
        left = margin + column * (wide + apart)
        top = margin + row * (tall + apart)
        codes[top : top + tall, left : left + wide] = 0
        if labels:
            bars[face] = (left, top, left + wide, top + bar + gap)
            _write_name(codes, NAMES[face], bars[face])
        panel = _sticker_boxes(left, top + bar, cell)
        boxes += reversed(panel) if layout == "tower" and face == "B" else panel
    _fill_stickers(codes, boxes)
    return NetPattern((width, height), codes.tobytes(), tuple(boxes), bars)


def _net_spacing(cell: int) -> tuple[int, int]:
    """Return the width of the gaps and of the margin."""
    return max(2, cell // 10), cell * 3 // 10


def _sticker_boxes(left: int, top: int, cell: int) -> list[Box]:
    """Return where nine stickers are in a panel, row by row."""
    gap, _ = _net_spacing(cell)
    edge = cell - gap
    starts = [gap + cell * step for step in range(3)]
    return [(left + x, top + y, left + x + edge, top + y + edge) for y in starts for x in starts]


def _fill_stickers(codes: npt.NDArray[np.uint8], boxes: Sequence[Box]) -> None:
    """Write the codes of the stickers into their boxes."""
    stripes = _stripe_mask(boxes[0][2] - boxes[0][0])
    for index, (left, top, right, bottom) in enumerate(boxes):
        codes[top:bottom, left:right] = STICKERS + 2 * index + stripes


def _stripe_mask(edge: int) -> npt.NDArray[np.bool_]:
    """Return which pixels of a sticker lie on a stripe: 45 degrees, six stripes across it."""
    across = np.arange(edge)
    period = max(4, edge // 6 * 2)
    return (across[:, None] + across) % period < period // 2


def _write_name(codes: npt.NDArray[np.uint8], name: str, bar: Box) -> None:
    """Write a face's name into the middle of its bar, in the largest letters that fit."""
    left, top, right, bottom = bar
    fitting = [
        size
        for size, height in glyphs.SIZES.items()
        if height + 1 <= bottom - top
        and max(glyphs.render_line(other, size).shape[1] for other in NAMES.values())
        <= right - left
    ]
    letters = glyphs.render_line(name, max(fitting))
    first, last = glyphs.capital_rows(max(fitting))
    y = (top + bottom - first - last) // 2
    x = (left + right - letters.shape[1]) // 2
    codes[y : y + letters.shape[0], x : x + letters.shape[1]] = letters


def draw_net(scene: CubeNet) -> Image.Image:
    """Return the picture of a net: mode P, with a palette of exactly the colours that it shows."""
    plan = net_pattern(scene.labels, scene.cell, scene.layout)
    return _draw_pattern(plan, scene, scene.facelets, frozenset(scene.hidden))


def draw_face(scene: CubeFace) -> Image.Image:
    """Return the picture of a face: mode P, with a palette of exactly the colours that it shows."""
    return _draw_pattern(net_pattern(False, scene.cell, "face"), scene, scene.stickers)


def _draw_pattern(
    plan: NetPattern,
    scene: CubeNet | CubeFace,
    stickers: str,
    hidden: frozenset[int] = frozenset(),
) -> Image.Image:
    """Return the picture that a pattern gives with a scene's colours."""
    # Equal colours share a palette entry, so that a white sticker on white paper costs none.
    palette: dict[RGB, int] = {}

    def palette_entry(colour: RGB) -> int:
        return palette.setdefault(dim_colour(colour, scene.brightness), len(palette))

    visible = {letter for index, letter in enumerate(stickers) if index not in hidden}
    table = bytearray(256)
    for level in range(glyphs.LEVELS + 1) if plan.bars else range(1):
        table[level] = palette_entry(_label_shade(level))
    table[BACKGROUND] = palette_entry(scene.background)
    flat = {
        face: bytes(2 * [palette_entry(colour)])
        for face, colour in zip(FACES, scene.colours, strict=True)
        if face in visible
    }
    striped = bytes(palette_entry(grey) for grey in HATCH) if hidden else b""
    table[STICKERS : STICKERS + 2 * len(stickers)] = b"".join(
        striped if index in hidden else flat[letter] for index, letter in enumerate(stickers)
    )
    image = Image.frombytes("P", plan.size, plan.codes.translate(table))
    image.putpalette([level for colour in palette for level in colour])
    return image


def _label_shade(level: int) -> RGB:
    """Return the colour of a label's pixel: from the frame's black to white in LEVELS steps."""
    red, green, blue = (
        dark + (light - dark) * level // glyphs.LEVELS
        for dark, light in zip(FRAME, WHITE, strict=True)
    )
    return red, green, blue


PAINTERS = {CubeNet: draw_net, CubeFace: draw_face}
