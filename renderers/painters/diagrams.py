"""Draw flat diagrams mark by mark, in the ramp of renderers.painters.shade_ramp.

All points are whole fine pixels; the picture is drawn FINE times as large and averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import hypot

import numpy as np
from PIL import Image, ImageDraw

from facelet.renderers.painters.shade_ramp import (
    PAPER,
    Levels,
    average_levels,
    color_levels,
    write_text,
)
from facelet.renderers.scenes.diagrams import DiagramSheet, Mark

FINE = 2
WIDTH = 2
"""Pixels of a line."""
DASH = 7
"""Pixels of a dash, and of a gap."""
HEAD = 9
"""Pixels of the head of an arrow."""
LABEL, LETTERS, LARGE = 20, (12, 20), 6
"""Sizes of labels, and of the letters of small and large panels; the least step of the latter."""

Pixel = tuple[int, int]


def draw_diagrams(scene: DiagramSheet) -> Image.Image:
    """Return the picture: mode P, sixteen shades."""
    width, height = (side * scene.step for side in scene.size)
    columns = min(scene.columns, len(scene.panels))
    rows = -(-len(scene.panels) // columns)
    levels = np.full((rows * height, columns * width), PAPER, np.uint8)
    for index, (panel, label) in enumerate(zip(scene.panels, scene.labels, strict=True)):
        left, top = index % columns * width, index // columns * height
        tile = levels[top : top + height, left : left + width]
        tile[...] = _draw_panel(panel, (width, height), scene.step)
        write_text(tile, label, LABEL, (10, 8))
    return color_levels(levels)


@lru_cache(maxsize=32)
def _draw_panel(panel: tuple[Mark, ...], size: Pixel, step: int) -> Levels:
    """Return the levels of a panel; pictures of many rows share some."""
    fine = Image.new("L", (size[0] * FINE, size[1] * FINE), PAPER * 17)
    pen = ImageDraw.Draw(fine)
    for mark in panel:
        _draw_mark(pen, mark, step * FINE)
    levels = average_levels(fine, FINE)
    for mark in (mark for mark in panel if mark.kind == "text"):
        x, y = mark.points
        letter = LETTERS[step >= LARGE]
        write_text(levels, mark.text, letter, (x * step, y * step), centred=True)
    return levels


def _draw_mark(pen: ImageDraw.ImageDraw, mark: Mark, step: int) -> None:
    """Draw a mark into the fine picture; texts are written later."""
    numbers = [step * number for number in mark.points]
    points = list(zip(numbers[::2], numbers[1::2], strict=False))
    fill = mark.level * 17
    if mark.kind == "fill":
        pen.polygon(points, fill=fill)
    elif mark.kind == "disc":
        x, y = points[0]
        reach = mark.points[2] * step // 2
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)
    elif mark.kind == "dash":
        for one, other in pairwise(points):
            _draw_dashes(pen, one, other, fill)
    elif mark.kind in ("line", "arrow"):
        pen.line(points, fill=fill, width=WIDTH * FINE, joint="curve")
    if mark.kind == "arrow":
        _draw_head(pen, points, fill)


def _draw_dashes(pen: ImageDraw.ImageDraw, one: Pixel, other: Pixel, fill: int) -> None:
    """Draw a dashed line that begins and ends with a dash."""
    right, down = other[0] - one[0], other[1] - one[1]
    parts = max(1, round(hypot(right, down) / (DASH * FINE))) // 2 * 2 + 1
    for part in range(0, parts, 2):
        ends = [
            coordinate + side * k // parts
            for k in (part, part + 1)
            for coordinate, side in zip(one, (right, down), strict=True)
        ]
        pen.line(ends, fill=fill, width=WIDTH * FINE)


def _draw_head(pen: ImageDraw.ImageDraw, points: Sequence[Pixel], fill: int) -> None:
    """Draw the head of an arrow at its last point."""
    (x, y), (before_x, before_y) = points[-1], points[-2]
    length = hypot(x - before_x, y - before_y)
    right, down = (HEAD * FINE * (a - b) / length for a, b in ((x, before_x), (y, before_y)))
    wings = [(x - right + side * down / 2, y - down - side * right / 2) for side in (1, -1)]
    pen.polygon([(x, y), *((round(a), round(b)) for a, b in wings)], fill=fill)


PAINTERS = {DiagramSheet: draw_diagrams}
