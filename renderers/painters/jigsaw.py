"""Draw jigsaw pieces in perspective: flat slabs one cell thick, seen from above at an angle.

The frame of a piece, in cells: x runs to the right of its upright view (towards edge 3), y up
(towards edge 2), z out of the side that is seen; the upper side is the plane z = 0 and the lower
one z = -1. MARBLE gives its cameras as matplotlib does, in a frame with y and z reversed and with
elevations beyond -90 degrees, which turn the picture upside down once more. In the frame of this
module that is an elevation of 180 + e above the piece and an azimuth of 180 - a: at the paper's
base view, -135 and -120, the camera stands 45 degrees high, edge 1 is at the top left of the
picture, 2 at the top right, 3 at the bottom right and 4 at the bottom left.

Nothing covers the upper side of a cell, for all upper sides lie in one plane below the camera. So
the middle of a cell's upper side decides: TOP there is a bump, anything else a gap. The piece lies
on a mat of 5 x 5 squares. Without it, a piece with a whole border of gaps could be read shifted by
a cell.

Every shade is a level of one ramp of sixteen colours, so that smooth edges need no more colours:
pictures are drawn FINE times as large in levels, averaged, and rounded to the nearest level. The
numbers of the edges stand outside of the slab, straight out from the middle of each edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import cos, hypot, radians, sin

import numpy as np
from PIL import Image, ImageDraw

from facelet.renderers.painters import glyphs
from facelet.renderers.painters.perspective import PerspectiveCamera, Point, Solid
from facelet.renderers.painters.shade_ramp import (
    INK,
    LIGHT,
    MAT,
    PAPER,
    RULE,
    SHADE,
    TOP,
    Levels,
    average_levels,
    color_levels,
    write_text,
)
from facelet.renderers.scenes.jigsaw import JigsawPieces, View

Cell = tuple[int, int]

FINE = 4
DISTANCE = 18.0
"""Distance from the camera to the middle of a piece, in cells."""
REACH = 4.15
"""Half the width of a tile, in cells: room for a piece held diagonally, near the camera."""

CORNERS: tuple[Point, ...] = ((-2.5, 2.5), (2.5, 2.5), (2.5, -2.5), (-2.5, -2.5))
"""Corners of a piece, clockwise from the top left."""
EDGES: dict[str, tuple[int, int]] = {"1": (3, 0), "2": (0, 1), "3": (1, 2), "4": (2, 3)}
"""The corners at the ends of each edge, clockwise."""


def piece_camera(view: View) -> PerspectiveCamera:
    """Return the camera of a view, which looks at the middle of a piece's upper side."""
    elevation, azimuth = radians(180 + view[0]), radians(180 - view[1])
    return PerspectiveCamera(
        DISTANCE,
        (cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)),
        (-sin(azimuth), cos(azimuth), 0.0),
        (-sin(elevation) * cos(azimuth), -sin(elevation) * sin(azimuth), cos(elevation)),
    )


def cell_middle(row: int, column: int) -> Solid:
    """Return the middle of a cell's upper side in the frame of its piece."""
    return column - 2.0, 2.0 - row, 0.0


def tile_size(scene: JigsawPieces) -> tuple[int, int]:
    """Return the width and height of each piece's part of the picture, in pixels."""
    width = scene.width // min(3, len(scene.pieces))
    return width, width * 9 // 10


def tile_corner(scene: JigsawPieces, index: int) -> tuple[int, int]:
    """Return the left and top pixel of the part of piece number `index`."""
    columns = min(3, len(scene.pieces))
    width, height = tile_size(scene)
    spare = scene.width - columns * width
    return spare // 2 + index % columns * width, index // columns * height


def piece_placing(scene: JigsawPieces, index: int) -> tuple[float, float, float]:
    """Return how piece number `index` is placed: pixels a cell, and the pixel of its middle.

    A point that the camera projects to (x, y) appears at (left + scale * x, top + scale * y).
    """
    width, height = tile_size(scene)
    left, top = tile_corner(scene, index)
    scale = width / (2 * REACH)
    camera = piece_camera(scene.views[index])
    tops = [camera.project_point((*corner, z))[1] for corner in CORNERS for z in (0, -1)]
    lift = (min(tops) + max(tops)) / 2 * scale
    return scale, left + width / 2, top + height / 2 - lift


def draw_pieces(scene: JigsawPieces) -> Image.Image:
    """Return the picture of some pieces: mode P, at most sixteen colours."""
    width, height = tile_size(scene)
    rows = -(-len(scene.pieces) // 3)
    levels = np.full((rows * height, scene.width), PAPER, np.uint8)
    for index in range(len(scene.pieces)):
        left, top = tile_corner(scene, index)
        levels[top : top + height, left : left + width] = _draw_piece(scene, index)
    return color_levels(levels)


def _draw_piece(scene: JigsawPieces, index: int) -> Levels:
    """Return the part of one piece, in levels."""
    width, height = tile_size(scene)
    left, top = tile_corner(scene, index)
    scale, x, y = piece_placing(scene, index)
    camera = piece_camera(scene.views[index])

    def to_pixel(point: Solid) -> Point:
        across, down = camera.project_point(point)
        return x - left + scale * across, y - top + scale * down

    fine = Image.new("L", (width * FINE, height * FINE), PAPER * 17)
    pen = _SolidPen(ImageDraw.Draw(fine), to_pixel, max(1, round(scale / 24 * FINE)))
    cells = {
        (row, column)
        for row, line in enumerate(scene.pieces[index].split("/"))
        for column, letter in enumerate(line)
        if letter == "1"
    }
    _draw_mat(pen)
    for cell in _far_to_near(cells, camera.eye_position):
        _draw_sides(pen, cell, cells, camera.eye_position)
    for cell in cells:
        pen.fill_polygon(_cell_square(*cell), TOP)
    for cell in sorted(cells):
        pen.draw_outline(_cell_square(*cell))
    tile = average_levels(fine, FINE)
    upper, lower = ([to_pixel((*corner, z)) for corner in CORNERS] for z in (0.0, -1.0))
    for name, (one, other) in EDGES.items():
        _write_edge_number(tile, name, (upper[one], upper[other]), upper + lower)
    if scene.names:
        write_text(tile, scene.names[index], 32, (width // 24, width // 24))
    return tile


class _SolidPen:
    """Draws solid shapes into a fine picture."""

    def __init__(
        self, draw: ImageDraw.ImageDraw, pixel: Callable[[Solid], Point], width: int
    ) -> None:
        self._draw, self._pixel, self._width = draw, pixel, width

    def _to_pixels(self, shape: Sequence[Solid]) -> list[tuple[int, int]]:
        # Whole fine pixels, so that the last bit of a sine does not change a picture.
        return [
            (round(FINE * x), round(FINE * y)) for x, y in (self._pixel(point) for point in shape)
        ]

    def fill_polygon(self, shape: Sequence[Solid], level: int) -> None:
        """Fill a polygon."""
        self._draw.polygon(self._to_pixels(shape), fill=17 * level)

    def draw_line(self, one: Solid, other: Solid, level: int) -> None:
        """Draw a straight line."""
        self._draw.line(self._to_pixels((one, other)), fill=17 * level, width=self._width)

    def draw_outline(self, shape: Sequence[Solid]) -> None:
        """Draw the outline of a polygon in ink, with round corners."""
        points = self._to_pixels(shape)
        reach = self._width // 2
        self._draw.line([*points, points[0]], fill=17 * INK, width=self._width)
        for x, y in points:
            self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=17 * INK)


def _cell_square(row: int, column: int) -> tuple[Solid, ...]:
    """Return the corners of a cell's upper side, clockwise from the top left."""
    x, y, _ = cell_middle(row, column)
    return (
        (x - 0.5, y + 0.5, 0.0),
        (x + 0.5, y + 0.5, 0.0),
        (x + 0.5, y - 0.5, 0.0),
        (x - 0.5, y - 0.5, 0.0),
    )


def _far_to_near(cells: Iterable[Cell], eye: Solid) -> list[Cell]:
    """Return cells in an order in which none comes before one that it may cover.

    Along a line of sight the distances from the camera in x and in y only grow, so their sum does.
    """

    def cell_depth(cell: Cell) -> float:
        x, y, _ = cell_middle(*cell)
        return abs(x - eye[0]) + abs(y - eye[1])

    return sorted(cells, key=lambda cell: (-cell_depth(cell), cell))


def _draw_mat(pen: _SolidPen) -> None:
    """Draw the mat below a piece."""
    pen.fill_polygon([(*corner, -1.0) for corner in CORNERS], MAT)
    for place in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5):
        pen.draw_line((place, -2.5, -1.0), (place, 2.5, -1.0), RULE)
        pen.draw_line((-2.5, place, -1.0), (2.5, place, -1.0), RULE)


_SIDES: tuple[tuple[Cell, int, int], ...] = (
    ((-1, 0), 0, SHADE),
    ((0, 1), 1, LIGHT),
    ((1, 0), 2, SHADE),
    ((0, -1), 3, LIGHT),
)
"""For each side of a cell: where the next cell is, which corner begins the side, its level."""


def _draw_sides(pen: _SolidPen, cell: Cell, cells: set[Cell], eye: Solid) -> None:
    """Draw the sides of a cell that face the camera and that no other cell touches."""
    row, column = cell
    square = _cell_square(row, column)
    x, y, _ = cell_middle(row, column)
    for (down, across), first, level in _SIDES:
        beyond = (eye[0] - x) * across - (eye[1] - y) * down
        if (row + down, column + across) in cells or beyond <= 0.5:
            continue
        one, other = square[first], square[(first + 1) % 4]
        wall = (one, other, (other[0], other[1], -1.0), (one[0], one[1], -1.0))
        pen.fill_polygon(wall, level)
        pen.draw_outline(wall)


def _write_edge_number(
    tile: Levels, name: str, edge: tuple[Point, Point], slab: Sequence[Point]
) -> None:
    """Write the number of an edge beside the slab, straight outwards from the middle of the edge.

    Args:
        tile: what to write into.
        name: the number.
        edge: pixels of the ends of the edge, clockwise around the slab.
        slab: pixels of the eight corners of the slab.
    """
    size = 20
    first, last = glyphs.capital_rows(size)
    half = (glyphs.render_line(name, size).shape[1] / 2 + 3, (last - first) / 2 + 3)
    (x, y), (right, down) = edge
    length = hypot(right - x, down - y)
    out = ((down - y) / length, (x - right) / length)
    middle = ((x + right) / 2, (y + down) / 2)
    # Beyond a line along the edge, on whose other side the whole slab is, with its thickness.
    slab_reach = max(
        out[0] * (corner[0] - middle[0]) + out[1] * (corner[1] - middle[1]) for corner in slab
    )
    reach = slab_reach + abs(out[0]) * half[0] + abs(out[1]) * half[1]
    place = (round(middle[0] + reach * out[0]), round(middle[1] + reach * out[1]))
    write_text(tile, name, size, place, centred=True)


PAINTERS = {JigsawPieces: draw_pieces}
