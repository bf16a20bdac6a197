"""Draw icons of the 24 treasures: flat shapes in one ink, drawn large and reduced.

A shape is a tuple: "disc" (x, y, radius), "oval" (left, top, right, bottom), "fill" (points of a
polygon) or "line" (width, then points), in a square of 100 x 100 with y down. Shapes are drawn in
order, in ink, or with a minus before their name in the colour of the paper.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

Shape = tuple[str, tuple[float, ...]]
Coverage = npt.NDArray[np.uint8]

LEVELS = 5
FINE = 8


def _leg_shapes(*legs: tuple[float, ...]) -> tuple[Shape, ...]:
    """Return bent lines and their mirror images about x = 50."""
    both: list[Shape] = []
    for leg in legs:
        mirrored = tuple(100 - value if i % 2 == 0 else value for i, value in enumerate(leg))
        both += (("line", (5.0, *leg)), ("line", (5.0, *mirrored)))
    return tuple(both)


_BAT: tuple[Shape, ...] = (
    ("fill", (50, 40, 30, 26, 4, 30, 0, 66, 14, 56, 24, 70, 36, 60, 50, 80)),
    ("fill", (50, 40, 70, 26, 96, 30, 100, 66, 86, 56, 76, 70, 64, 60, 50, 80)),
    ("disc", (50, 40, 13)),
    ("fill", (38, 38, 38, 16, 50, 32)),
    ("fill", (62, 38, 62, 16, 50, 32)),
    ("-disc", (45, 40, 3)),
    ("-disc", (55, 40, 3)),
)
_DRAGON: tuple[Shape, ...] = (
    ("line", (15, 14, 92, 48, 92, 66, 78, 60, 60, 42, 54, 40, 36, 52, 26)),
    ("fill", (44, 12, 72, 12, 98, 28, 96, 40, 66, 42, 46, 36)),
    ("fill", (48, 14, 34, 0, 62, 12)),
    ("fill", (38, 54, 2, 26, 6, 62, 22, 56, 30, 70)),
    ("fill", (22, 98, 2, 98, 8, 78)),
    ("-disc", (66, 22, 4)),
    ("-line", (3, 74, 35, 98, 34)),
)
_GENIE: tuple[Shape, ...] = (
    ("fill", (4, 74, 24, 66, 70, 66, 96, 50, 88, 78, 66, 90, 34, 90, 20, 80)),
    ("fill", (36, 100, 42, 86, 58, 86, 64, 100)),
    ("line", (6, 82, 66, 98, 66, 96, 86, 78, 82)),
    ("line", (9, 20, 62, 10, 46, 34, 36, 22, 20, 44, 6)),
    ("line", (7, 36, 58, 32, 48, 54, 38, 46, 22, 64, 12)),
)
_GHOST: tuple[Shape, ...] = (
    ("disc", (50, 38, 34)),
    ("fill", (16, 38, 84, 38, 88, 98, 74, 84, 62, 98, 50, 84, 38, 98, 26, 84, 12, 98)),
    ("-oval", (30, 26, 44, 46)),
    ("-oval", (56, 26, 70, 46)),
    ("-oval", (42, 54, 58, 72)),
)
_TROLL: tuple[Shape, ...] = (
    ("fill", (0, 30, 24, 36, 24, 62, 12, 56)),
    ("fill", (100, 30, 76, 36, 76, 62, 88, 56)),
    ("oval", (18, 18, 82, 98)),
    ("fill", (30, 26, 36, 0, 44, 20, 50, 0, 56, 20, 64, 0, 70, 26)),
    ("-disc", (38, 46, 6)),
    ("-disc", (62, 46, 6)),
    ("-oval", (40, 54, 60, 70)),
    ("-fill", (30, 76, 70, 76, 64, 88, 36, 88)),
    ("fill", (36, 90, 40, 72, 45, 90)),
    ("fill", (64, 90, 60, 72, 55, 90)),
)
_PRINCESS: tuple[Shape, ...] = (
    ("fill", (50, 44, 98, 100, 2, 100)),
    ("fill", (30, 20, 70, 20, 78, 60, 22, 60)),
    ("-disc", (50, 34, 15)),
    ("fill", (32, 22, 28, 0, 40, 10, 50, 0, 60, 10, 72, 0, 68, 22)),
    ("disc", (44, 32, 2.5)),
    ("disc", (56, 32, 2.5)),
    ("-line", (4, 30, 78, 70, 78)),
)
_LIZARD: tuple[Shape, ...] = (
    *_leg_shapes((40, 30, 20, 34, 14, 18), (40, 56, 18, 54, 12, 72)),
    ("oval", (38, 0, 62, 28)),
    ("oval", (35, 16, 65, 68)),
    ("line", (12, 50, 58, 46, 74)),
    ("line", (10, 46, 74, 54, 86)),
    ("line", (8, 54, 86, 72, 92, 92, 84)),
    ("-line", (4, 50, 28, 50, 58)),
    ("-disc", (44, 12, 3)),
    ("-disc", (56, 12, 3)),
)
_MOTH: tuple[Shape, ...] = (
    ("fill", (48, 40, 4, 12, 0, 52, 30, 60)),
    ("fill", (52, 40, 96, 12, 100, 52, 70, 60)),
    ("fill", (46, 54, 14, 62, 22, 92, 46, 76)),
    ("fill", (54, 54, 86, 62, 78, 92, 54, 76)),
    ("oval", (43, 26, 57, 90)),
    ("line", (4, 48, 30, 40, 4)),
    ("line", (4, 52, 30, 60, 4)),
    ("-disc", (20, 38, 7)),
    ("-disc", (80, 38, 7)),
)
_OWL: tuple[Shape, ...] = (
    ("oval", (16, 12, 84, 96)),
    ("fill", (18, 40, 16, 0, 46, 18)),
    ("fill", (82, 40, 84, 0, 54, 18)),
    ("-disc", (35, 38, 15)),
    ("-disc", (65, 38, 15)),
    ("disc", (36, 38, 7)),
    ("disc", (64, 38, 7)),
    ("-fill", (44, 50, 56, 50, 50, 66)),
    ("-line", (4, 34, 78, 42, 84, 50, 78, 58, 84, 66, 78)),
)
_SCARAB: tuple[Shape, ...] = (
    *_leg_shapes((30, 46, 12, 38, 4, 22), (28, 62, 6, 62), (32, 78, 14, 86, 10, 98)),
    ("oval", (24, 32, 76, 98)),
    ("oval", (30, 14, 70, 44)),
    ("fill", (34, 20, 26, 2, 44, 12, 56, 12, 74, 2, 66, 20)),
    ("-line", (4, 50, 46, 50, 96)),
    ("-line", (4, 28, 42, 72, 42)),
)
_RAT: tuple[Shape, ...] = (
    ("oval", (22, 34, 76, 84)),
    ("fill", (60, 40, 100, 66, 66, 82)),
    ("disc", (62, 36, 11)),
    ("-disc", (62, 36, 5)),
    ("-disc", (78, 60, 3.5)),
    ("line", (6, 26, 74, 8, 70, 4, 50, 14, 36, 8, 20)),
    ("line", (6, 38, 80, 34, 94, 46, 94)),
    ("line", (6, 64, 80, 62, 94, 74, 94)),
)
_SPIDER: tuple[Shape, ...] = (
    *_leg_shapes(
        (42, 46, 20, 26, 10, 46),
        (42, 52, 14, 48, 2, 70),
        (42, 58, 18, 68, 14, 94),
        (44, 44, 32, 18, 22, 6),
    ),
    ("disc", (50, 68, 21)),
    ("disc", (50, 42, 12)),
    ("-fill", (50, 66, 42, 58, 58, 58)),
    ("-fill", (50, 70, 42, 80, 58, 80)),
)
_GOLD_COINS: tuple[Shape, ...] = (
    ("disc", (50, 26, 24)),
    ("-disc", (50, 26, 17)),
    ("disc", (50, 26, 11)),
    ("disc", (26, 72, 24)),
    ("-disc", (26, 72, 17)),
    ("disc", (26, 72, 11)),
    ("disc", (74, 72, 24)),
    ("-disc", (74, 72, 17)),
    ("disc", (74, 72, 11)),
)
_BOOK: tuple[Shape, ...] = (
    ("fill", (2, 18, 30, 12, 50, 22, 70, 12, 98, 18, 98, 86, 70, 80, 50, 90, 30, 80, 2, 86)),
    ("-fill", (9, 26, 30, 20, 46, 29, 46, 80, 30, 72, 9, 77)),
    ("-fill", (91, 26, 70, 20, 54, 29, 54, 80, 70, 72, 91, 77)),
    ("line", (5, 16, 38, 30, 35, 40, 40)),
    ("line", (5, 16, 52, 30, 49, 40, 54)),
    ("line", (5, 16, 65, 30, 62, 40, 67)),
    ("line", (5, 84, 38, 70, 35, 60, 40)),
    ("line", (5, 84, 52, 70, 49, 60, 54)),
    ("line", (5, 84, 65, 70, 62, 60, 67)),
)
_CROWN: tuple[Shape, ...] = (
    ("fill", (12, 84, 6, 26, 29, 50, 50, 12, 71, 50, 94, 26, 88, 84)),
    ("disc", (8, 22, 7)),
    ("disc", (50, 10, 8)),
    ("disc", (92, 22, 7)),
    ("-line", (5, 12, 70, 88, 70)),
)
_CANDELABRA: tuple[Shape, ...] = (
    ("line", (8, 50, 34, 50, 90)),
    ("line", (8, 14, 40, 14, 60, 86, 60, 86, 40)),
    ("fill", (24, 100, 38, 86, 62, 86, 76, 100)),
    ("fill", (4, 44, 24, 44, 20, 34, 8, 34)),
    ("fill", (40, 38, 60, 38, 56, 28, 44, 28)),
    ("fill", (76, 44, 96, 44, 92, 34, 80, 34)),
    ("fill", (14, 8, 20, 24, 14, 32, 8, 24)),
    ("fill", (50, 0, 57, 16, 50, 26, 43, 16)),
    ("fill", (86, 8, 92, 24, 86, 32, 80, 24)),
)
_RING: tuple[Shape, ...] = (
    ("disc", (50, 66, 34)),
    ("-disc", (50, 66, 22)),
    ("fill", (50, 40, 24, 16, 34, 2, 66, 2, 76, 16)),
    ("-fill", (50, 30, 36, 17, 41, 10, 59, 10, 64, 17)),
)
_HELMET: tuple[Shape, ...] = (
    ("disc", (50, 48, 36)),
    ("fill", (14, 48, 86, 48, 86, 96, 60, 96, 56, 70, 44, 70, 40, 96, 14, 96)),
    ("fill", (46, 14, 60, 0, 98, 6, 100, 34, 86, 18)),
    ("-fill", (22, 52, 44, 52, 44, 62, 22, 62)),
    ("-fill", (78, 52, 56, 52, 56, 62, 78, 62)),
)
_EMERALD: tuple[Shape, ...] = (
    ("fill", (24, 14, 76, 14, 100, 42, 50, 98, 0, 42)),
    ("-line", (4, 2, 42, 98, 42)),
    ("-line", (4, 26, 16, 36, 42, 50, 94)),
    ("-line", (4, 74, 16, 64, 42, 50, 94)),
    ("-line", (4, 36, 42, 50, 16, 64, 42)),
)
_KEYS: tuple[Shape, ...] = (
    ("disc", (22, 24, 22)),
    ("-disc", (22, 24, 11)),
    ("line", (10, 36, 38, 92, 94)),
    ("line", (8, 64, 66, 50, 80)),
    ("line", (8, 80, 82, 66, 96)),
    ("disc", (80, 22, 20)),
    ("-disc", (80, 22, 10)),
    ("-line", (18, 62, 40, 24, 78)),
    ("line", (10, 66, 36, 12, 92)),
    ("line", (8, 24, 80, 36, 94)),
    ("line", (8, 38, 66, 50, 80)),
)
_SKULL: tuple[Shape, ...] = (
    ("oval", (10, 2, 90, 76)),
    ("fill", (28, 62, 72, 62, 70, 98, 30, 98)),
    ("-disc", (33, 42, 12)),
    ("-disc", (67, 42, 12)),
    ("-fill", (50, 54, 43, 68, 57, 68)),
    ("-line", (4, 42, 80, 42, 100)),
    ("-line", (4, 58, 80, 58, 100)),
)
_SWORD: tuple[Shape, ...] = (
    ("fill", (100, 0, 96, 24, 42, 72, 28, 58, 76, 4)),
    ("-line", (3, 38, 62, 90, 10)),
    ("line", (10, 16, 46, 54, 84)),
    ("line", (10, 34, 66, 12, 88)),
    ("disc", (10, 90, 10)),
)
_TREASURE_CHEST: tuple[Shape, ...] = (
    ("fill", (4, 46, 4, 30, 16, 14, 84, 14, 96, 30, 96, 46)),
    ("fill", (4, 52, 96, 52, 96, 92, 4, 92)),
    ("-fill", (40, 40, 60, 40, 60, 66, 40, 66)),
    ("fill", (43, 43, 57, 43, 57, 63, 43, 63)),
    ("-disc", (50, 52, 4)),
    ("-line", (4, 20, 16, 20, 92)),
    ("-line", (4, 80, 16, 80, 92)),
)
_TREASURE_MAP: tuple[Shape, ...] = (
    ("fill", (2, 14, 34, 22, 66, 10, 98, 20, 98, 88, 66, 78, 34, 90, 2, 82)),
    ("-fill", (9, 24, 34, 30, 66, 18, 91, 26, 91, 78, 66, 70, 34, 82, 9, 75)),
    ("line", (6, 62, 32, 84, 54)),
    ("line", (6, 84, 32, 62, 54)),
    ("line", (6, 16, 66, 26, 60)),
    ("line", (6, 34, 54, 42, 46)),
    ("line", (6, 48, 56, 56, 62)),
    ("line", (6, 18, 38, 28, 42)),
)

SHAPES: tuple[tuple[Shape, ...], ...] = (
    _BAT,
    _DRAGON,
    _GENIE,
    _GHOST,
    _TROLL,
    _PRINCESS,
    _LIZARD,
    _MOTH,
    _OWL,
    _SCARAB,
    _RAT,
    _SPIDER,
    _GOLD_COINS,
    _BOOK,
    _CROWN,
    _CANDELABRA,
    _RING,
    _HELMET,
    _EMERALD,
    _KEYS,
    _SKULL,
    _SWORD,
    _TREASURE_CHEST,
    _TREASURE_MAP,
)
"""The icons of the treasures A to X."""


@cache
def draw_icon(index: int, size: int) -> Coverage:
    """Return an icon.

    Args:
        index: number of the treasure, 0 to 23.
        size: edge in pixels.

    Returns:
        uint8 (size, size), 0 (paper) to LEVELS (ink).
    """
    fine = Image.new("L", (size * FINE, size * FINE), 0)
    draw = ImageDraw.Draw(fine)
    scale = (size * FINE - 1) / 100
    for name, numbers in SHAPES[index]:
        _draw_shape(
            draw, name.removeprefix("-"), numbers, scale, 0 if name.startswith("-") else 255
        )
    levels = (np.asarray(fine.reduce(FINE), np.uint16) * LEVELS + 127) // 255
    return levels.astype(np.uint8)


def _draw_shape(
    draw: ImageDraw.ImageDraw, kind: str, numbers: tuple[float, ...], scale: float, ink: int
) -> None:
    """Draw one shape."""

    def scale_points(values: tuple[float, ...]) -> list[tuple[int, int]]:
        # Whole fine pixels, so that the last bit of a sine does not change a picture.
        fine = [round(value * scale) for value in values]
        return list(zip(fine[::2], fine[1::2], strict=True))

    if kind == "disc":
        x, y, reach = numbers
        (one, other) = scale_points((x - reach, y - reach, x + reach, y + reach))
        draw.ellipse((*one, *other), fill=ink)
    elif kind == "oval":
        (one, other) = scale_points(numbers)
        draw.ellipse((*one, *other), fill=ink)
    elif kind == "fill":
        draw.polygon(scale_points(numbers), fill=ink)
    else:
        width, corners = round(numbers[0] * scale), scale_points(numbers[1:])
        draw.line(corners, fill=ink, width=width)
        reach = width // 2
        for x, y in corners:
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=ink)
