"""Draw solids of unit cubes: one stamp of a cube, pasted from far to near.

The stamp is a cube in the view of renderers.scenes.voxels with an outline around each face. Cubes
are pasted on whole fine pixels, so a picture does not depend on floating point; it is drawn FINE
times as large and averaged. All shades are levels of the ramp of renderers.painters.jigsaw.
"""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

from facelet.renderers.painters.shade_ramp import (
    INK,
    LIGHT,
    PAPER,
    SHADE,
    TOP,
    average_levels,
    color_levels,
    write_text,
)
from facelet.renderers.scenes.voxels import VIEW, VoxelSheet

FINE = 2
MARGIN = 44
"""Pixels around a solid, in which its label is."""
ROOM = 56
"""Pixels on the left of the first solid for the axes."""
LEAST = 512
"""Least width of a picture in pixels."""
_TEXT = 20

Cell = tuple[int, ...]
Box = tuple[int, int, int, int]


def draw_voxels(scene: VoxelSheet) -> Image.Image:
    """Return the picture: mode P, sixteen shades, at least LEAST pixels wide."""
    solids = [[tuple(map(int, cell)) for cell in solid.split()] for solid in scene.solids]
    boxes = [_find_box(solid, scene.scale) for solid in solids]
    columns = min(scene.columns, len(solids))
    room = ROOM * scene.axes
    width = max(right - left for left, _, right, _ in boxes) // FINE + 2 * MARGIN + room
    height = max(bottom - top for _, top, _, bottom in boxes) // FINE + 2 * MARGIN
    width, height = max(width, -(-LEAST // columns)), max(height, width // 2)
    size = (columns * width, -(-len(solids) // columns) * height)
    fine = Image.new("L", (size[0] * FINE, size[1] * FINE), PAPER * 17)
    for index, (solid, (left, top, right, bottom)) in enumerate(zip(solids, boxes, strict=True)):
        x, y = index % columns * width, index // columns * height
        middle = (FINE * (2 * x + width + room), FINE * (2 * y + height))
        place = ((middle[0] - left - right) // 2, (middle[1] - top - bottom) // 2)
        _paste_cubes(fine, solid, scene.scale, place)
    if scene.axes:
        _draw_axes(fine, (FINE * 62, FINE * (height - 62)))
    levels = average_levels(fine, FINE)
    for index, label in enumerate(scene.labels):
        where = (index % columns * width + 10, index // columns * height + 10)
        write_text(levels, label, _TEXT, where)
    if scene.axes:
        for name, (right, down) in zip("XYZ", VIEW, strict=True):
            write_text(levels, name, _TEXT, (57 + 2 * right, height - 70 + 2 * down))
    return color_levels(levels)


def _project(cell: Cell, scale: int) -> tuple[int, int]:
    """Return where a corner of a cell appears, in fine pixels."""
    right, down = (sum(k * axis[i] for k, axis in zip(cell, VIEW, strict=True)) for i in (0, 1))
    return right * scale * FINE // 2, down * scale * FINE // 2


def _find_box(solid: list[Cell], scale: int) -> Box:
    """Return the box of a solid, in fine pixels around its origin."""
    stamp_box = _cube_stamp(scale)[0]
    places = [_project(cell, scale) for cell in solid]
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    top, bottom = min(y for _, y in places), max(y for _, y in places)
    return (
        left + stamp_box[0],
        top + stamp_box[1],
        right + stamp_box[2],
        bottom + stamp_box[3],
    )


def _paste_cubes(fine: Image.Image, solid: list[Cell], scale: int, place: tuple[int, int]) -> None:
    """Paste the cubes of a solid; one that may cover another has no lesser coordinate."""
    (left, top, *_), stamp, mask = _cube_stamp(scale)
    for cell in sorted(solid):
        right, down = _project(cell, scale)
        fine.paste(stamp, (place[0] + left + right, place[1] + top + down), mask)


@lru_cache(maxsize=8)
def _cube_stamp(scale: int) -> tuple[Box, Image.Image, Image.Image]:
    """Return the box of the stamp around the cube's origin, its levels, and its mask."""
    line = scale + 1
    corners = [_project((x, y, z), scale) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    left, right = min(x for x, _ in corners) - line, max(x for x, _ in corners) + line
    top, bottom = min(y for _, y in corners) - line, max(y for _, y in corners) + line
    size = (right - left, bottom - top)
    stamp, mask = Image.new("L", size, INK), Image.new("1", size)
    faces = (
        (LIGHT, ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1))),
        (SHADE, ((0, 1, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1))),
        (TOP, ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))),
    )
    for level, face in faces:
        points = [_project(corner, scale) for corner in face]
        shape = [(x - left, y - top) for x, y in points]
        for image, fill, ink in ((stamp, level * 17, INK), (mask, 1, 1)):
            pen = ImageDraw.Draw(image)
            pen.polygon(shape, fill=fill)
            pen.line([*shape, *shape[:2]], fill=ink, width=line, joint="curve")
    return (left, top, right, bottom), stamp, mask


def _draw_axes(fine: Image.Image, origin: tuple[int, int]) -> None:
    """Draw the arrows of the three axes."""
    pen = ImageDraw.Draw(fine)
    for right, down in VIEW:
        tip = (origin[0] + 3 * right, origin[1] + 3 * down)
        pen.line((*origin, *tip), fill=INK, width=2 * FINE)
        back = (tip[0] - right // 2, tip[1] - down // 2)
        side = (down // 4, -(right // 4))
        pen.polygon(
            [tip, (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])],
            fill=INK,
        )


PAINTERS = {VoxelSheet: draw_voxels}
