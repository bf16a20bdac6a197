"""Drawing primitives of all chamber pictures: colours, text, stipple, and label placement.

A picture is in mode P; codes are indices of PALETTE. Labels are drawn last, each as near to its
item as there is room, with a line to the item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from facelet.renderers.painters import glyphs
from facelet.renderers.scenes.chamber import HEIGHTS, RARE, Cell, ChamberItem, ChamberRock
from facelet.renderers.scenes.records import RGB

Point = tuple[float, float]
Rect = tuple[int, int, int, int]

PALETTE: dict[str, RGB] = {
    "paper": (255, 255, 255),
    "ink": (24, 28, 36),
    "rock": (86, 92, 104),
    "wall": (150, 156, 168),
    "wall2": (128, 134, 148),
    "line": (110, 116, 128),
    "liquid": (104, 146, 40),
    "low": (226, 222, 210),
    "step1": (240, 214, 158),
    "step2": (238, 190, 120),
    "ledge": (228, 158, 96),
    "high": (206, 128, 80),
    "panel": (255, 255, 255),
    "portal": (60, 60, 70),
    "button": (214, 40, 48),
    "switch": (150, 30, 140),
    "plate": (20, 120, 120),
    "lift": (120, 96, 60),
    "door": (120, 70, 30),
    "shield": (110, 200, 240),
    "cube": (70, 110, 190),
    "mirror": (200, 90, 190),
    "laser": (255, 0, 0),
    "receiver": (140, 0, 0),
    "bridge": (0, 150, 255),
    "beam": (70, 60, 200),
    "exit": (40, 160, 60),
    "start": (250, 210, 0),
    "spot": (90, 90, 90),
    "dispenser": (40, 80, 150),
    "stairs": (160, 140, 100),
    "hint": (255, 0, 200),
    "piston": (96, 110, 104),
    "runway": (255, 120, 0),
    "spring": (40, 90, 255),
    "turret": (110, 0, 30),
    "watch": (255, 60, 90),
    "cover": (150, 120, 0),
}
CODE = {name: place for place, name in enumerate(PALETTE)}
FONT = 12
_LEVEL_COLOURS = {0: "liquid", 1: "low", 2: "step1", 3: "step2", 4: "ledge"}


def level_colour(height: int) -> int:
    """Return the colour of a floor at a height."""
    return CODE[_LEVEL_COLOURS.get(height, "high")]


def make_canvas(width: int, height: int, items: Iterable[ChamberItem] = ()) -> Image.Image:
    """Return an empty picture.

    Args:
        width: its width in pixels.
        height: its height.
        items: what is to be drawn; colours that only rare shapes need are left out without them.
    """
    rare = any(item.shape in RARE for item in items)
    colours = list(PALETTE.values())[: None if rare else CODE["hint"] + 1]
    image = Image.new("P", (width, height), CODE["paper"])
    image.putpalette([level for colour in colours for level in colour])
    return image


class RockColumns:
    """The columns of a scene by place."""

    def __init__(self, scene: ChamberRock) -> None:
        """Read them."""
        self.floors, self.ceilings = (
            [[HEIGHTS.index(sign) for sign in row] for row in text.split("/")]
            for text in (scene.floors, scene.ceilings)
        )
        self.wide, self.deep = len(self.floors[0]), len(self.floors)

    def is_open(self, x: int, y: int) -> bool:
        """Return whether a column is no rock."""
        inside = 0 <= x < self.wide and 0 <= y < self.deep
        return inside and self.floors[y][x] < self.ceilings[y][x]

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is no rock."""
        x, y, z = cell
        return self.is_open(x, y) and self.floors[y][x] <= z < self.ceilings[y][x]


def text_size(text: str, size: int = FONT) -> tuple[int, int]:
    """Return width and height of a line in pixels."""
    return glyphs.render_line(text, size).shape[1], glyphs.SIZES[size]


def write_line(
    image: Image.Image, at: tuple[int, int], text: str, colour: int, size: int = FONT
) -> None:
    """Write a line.

    Args:
        image: the picture.
        at: the upper left corner of the line.
        text: printable ASCII.
        colour: its code.
        size: the font size.
    """
    letters = glyphs.render_line(text, size) * 2 >= glyphs.LEVELS
    mask = Image.fromarray(letters.astype(np.uint8) * 255, "L")
    image.paste(colour, at, mask)


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label and what it points to, by a dot, or by a ring if that is out of sight."""

    text: str
    at: Point
    colour: str = "ink"
    hidden: bool = False


def put_labels(
    image: Image.Image, labels: Sequence[PlacedLabel], bounds: Rect, taken: Iterable[Rect] = ()
) -> None:
    """Set labels, each as near as can be to its point and on no other label or point.

    Args:
        image: the picture.
        labels: the labels.
        bounds: where they may be.
        taken: rectangles that stay free of labels.
    """
    draw = ImageDraw.Draw(image)
    points = [(x - 3, y - 3, x + 3, y + 3) for x, y in (label.at for label in labels)]
    placed: list[Rect] = []
    used = [*taken]
    for number, label in enumerate(labels):
        wide, high = text_size(label.text)
        wide, high = wide + 4, high + 1
        others = [p for n, p in enumerate(points) if n != number]
        rect = _place_label(label.at, (wide, high), bounds, [*used, *placed], others)
        placed.append(rect)
    for label, rect in zip(labels, placed, strict=True):
        x, y = label.at
        near = (min(max(x, rect[0]), rect[2]), min(max(y, rect[1]), rect[3]))
        draw.line([(x, y), near], fill=CODE["ink"])
        if label.hidden:
            draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=CODE["paper"], outline=CODE["ink"])
        else:
            draw.ellipse([x - 2, y - 2, x + 2, y + 2], fill=CODE["ink"])
    for label, rect in zip(labels, placed, strict=True):
        draw.rectangle(rect, fill=CODE["paper"], outline=CODE[label.colour])
        write_line(image, (rect[0] + 3, rect[1] + 1), label.text, CODE["ink"])


def _place_label(
    at: Point,
    size: tuple[int, int],
    bounds: Rect,
    used: Sequence[Rect],
    points: Sequence[tuple[float, float, float, float]],
) -> Rect:
    """Return the nearest free place for a label; one on points if there is no better."""
    wide, high = size
    fallback: Rect | None = None
    for reach in range(12, 150, 6):
        ring = [
            (dx, dy)
            for dx in range(-reach, reach + 1, 6)
            for dy in range(-reach, reach + 1, 6)
            if max(abs(dx), abs(dy)) == reach
        ]
        for dx, dy in sorted(ring, key=lambda d: (abs(d[0]) + abs(d[1]), d)):
            left = int(at[0] + dx - (wide if dx < 0 else 0 if dx > 0 else wide // 2))
            top = int(at[1] + dy - (high if dy < 0 else 0 if dy > 0 else high // 2))
            rect = (left, top, left + wide, top + high)
            inside = (
                rect[0] >= bounds[0]
                and rect[1] >= bounds[1]
                and rect[2] < bounds[2]
                and rect[3] < bounds[3]
            )
            if not inside or any(_rects_overlap(rect, other) for other in used):
                continue
            if not any(_rects_overlap(rect, point) for point in points):
                return rect
            fallback = fallback or rect
    left = min(max(int(at[0]), bounds[0]), bounds[2] - wide - 1)
    top = min(max(int(at[1]), bounds[1]), bounds[3] - high - 1)
    return fallback or (left, top, left + wide, top + high)


def _rects_overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def draw_dashes(
    draw: ImageDraw.ImageDraw, ends: tuple[Point, Point], parts: int, colour: str, width: int = 1
) -> None:
    """Draw a dashed line.

    Args:
        draw: where to draw.
        ends: the ends of the line in pixels.
        parts: the number of dashes and gaps.
        colour: its name.
        width: its width in pixels.
    """
    for k in range(0, parts, 2):
        dash = [
            tuple(a + (b - a) * t / parts for a, b in zip(*ends, strict=True)) for t in (k, k + 1)
        ]
        draw.line(dash, fill=CODE[colour], width=width)


def stipple_polygon(image: Image.Image, corners: Sequence[Point], colour: int) -> None:
    """Fill a polygon with every other pixel, so that what is behind it shines through.

    Args:
        image: the picture, in palette colours.
        corners: the polygon's corners, (x, y) in pixels.
        colour: place in the palette.
    """
    left, top = (int(min(corner[axis] for corner in corners)) for axis in (0, 1))
    right, bottom = (int(max(corner[axis] for corner in corners)) + 1 for axis in (0, 1))
    mask = Image.new("1", (right - left + 1, bottom - top + 1))
    ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in corners], fill=1)
    odd = (left + top) % 2
    dots = _stipple_mask().crop((odd, 0, odd + mask.width, mask.height))
    image.paste(colour, (left, top), ImageChops.logical_and(mask, dots))


@cache
def _stipple_mask() -> Image.Image:
    """Return every other pixel of the largest polygon, from the upper left corner on."""
    rows, columns = np.indices((1024, 1024))
    return Image.fromarray((rows + columns) % 2 == 0)
