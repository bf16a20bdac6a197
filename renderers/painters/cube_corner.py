"""Draw cubes from a corner: three faces in perspective.

As with the net, everything that does not depend on colours is a pattern, one byte a pixel, and a
scene is drawn by translating its pattern into palette indices. Stickers lie on a black body; no
face is shaded, so that a colour looks the same on every face.

In the frame of the body, in sticker edges, x points to the right face, y to the top, z to the
front, and the origin is the middle of the cube. The camera stands at EYE and looks at the origin
with y upwards. A pixel has FINE x FINE samples; each finds where its line of sight meets the body,
so that rounded stickers need no polygons. A pixel is a mix, in LEVELS steps, of the body and of one
sticker or the background, whichever has most samples; only where a small picture has thin gaps does
a pixel have more, and there the difference cannot be seen. The geometry uses only sums, products,
quotients and square roots, which are the same to the last bit on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, sqrt

import numpy as np
import numpy.typing as npt
from PIL import Image

from facelet.renderers.painters.perspective import PerspectiveCamera, Solid, dot_product
from facelet.renderers.scenes.cube import CubeCorner
from facelet.renderers.scenes.records import FACES, FRAME, RGB, dim_colour

Box = tuple[int, int, int, int]
Floats = npt.NDArray[np.float64]

EYE: Solid = (8.6, 8.8, 10.6)
REACH = 1.55
"""Distance from the middle to each side of the body: a little beyond the 3 x 3 stickers."""
GAP = 0.12
"""Width of the gap between stickers."""
RADIUS = 0.13
"""Radius of the rounded corners of a sticker."""
MARGIN = 0.05
"""Margin between the cube and the sides of the picture, as a part of its width."""
SIDES: tuple[tuple[Solid, Solid, Solid], ...] = (
    ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
)
"""Axes of the top, the front and the right face: outwards, along a row, down a column."""

HAIR = 1e-9
FINE = 4
LEVELS = 8
STRIP = 32
"""Rows of a pattern that are computed at a time, to bound memory."""


@dataclass(frozen=True, slots=True)
class CornerPattern:
    """Everything about a picture that does not depend on colours.

    Attributes:
        codes: size * size bytes, row by row: 0 is body; then LEVELS codes a sticker, from least
            to most of it; then LEVELS codes for the background.
        used: the codes that occur, ascending.
    """

    codes: bytes
    used: tuple[int, ...]


def _place_camera() -> PerspectiveCamera:
    """Return a camera at EYE that looks at the middle of the cube."""
    distance = sqrt(dot_product(EYE, EYE))
    x, y, z = (part / distance for part in EYE)
    across = sqrt(x * x + z * z)
    right, up = (z / across, 0.0, -x / across), (-x * y / across, across, -y * z / across)
    return PerspectiveCamera(distance, (x, y, z), right, up)


CAMERA = _place_camera()


def _corner_placing(size: int) -> tuple[float, float, float]:
    """Return the pixels of a sticker edge, and the pixel where the middle of the cube is.

    A point that the camera projects to (x, y) appears at (left + scale * x, top + scale * y).
    """
    ends = (-REACH, REACH)
    corners = [CAMERA.project_point((x, y, z)) for x in ends for y in ends for z in ends]
    low, high = (tuple(pick(axis) for axis in zip(*corners, strict=True)) for pick in (min, max))
    scale = size * (1 - 2 * MARGIN) / max(high[0] - low[0], high[1] - low[1])
    left, top = (size / 2 - scale * (low[axis] + high[axis]) / 2 for axis in (0, 1))
    return scale, left, top


def _side_point(side: int, across: float, below: float) -> Solid:
    """Return a point of a side: so far along a row and down a column from its middle."""
    x, y, z = (REACH * o + across * a + below * d for o, a, d in zip(*SIDES[side], strict=True))
    return x, y, z


@lru_cache(maxsize=8)
def corner_pattern(size: int) -> CornerPattern:
    """Return the pattern of all corners of this size."""
    strips = [_pattern_strip(size, top, min(size, top + STRIP)) for top in range(0, size, STRIP)]
    codes = np.concatenate(strips)
    return CornerPattern(codes.tobytes(), tuple(np.unique(codes).tolist()))


def _pattern_strip(size: int, first: int, last: int) -> npt.NDArray[np.uint8]:
    """Return the codes of some rows of a corner's pattern."""
    fine = _sample_paints(size, first, last).reshape(last - first, FINE, size, FINE)
    samples = fine.transpose(0, 2, 1, 3).reshape(-1, FINE * FINE)
    paints = samples[:, 0].astype(np.int64)
    seen = np.full(len(paints), FINE * FINE)
    mixed = np.flatnonzero((samples != samples[:, :1]).any(axis=1))
    counts = np.stack([(samples[mixed] == paint).sum(axis=1) for paint in range(28)])
    paints[mixed], seen[mixed] = counts.argmax(axis=0), counts.max(axis=0)
    levels = (2 * LEVELS * seen + FINE * FINE) // (2 * FINE * FINE)
    shown = (paints >= 0) & (levels > 0)
    return np.where(shown, LEVELS * paints + levels, 0).astype(np.uint8).reshape(-1, size)


def _sample_paints(size: int, first: int, last: int) -> npt.NDArray[np.int8]:
    """Return what each sample of some rows sees: a sticker 0 to 26, 27 background, -1 body."""
    paints = np.full((FINE * (last - first), FINE * size), 27, np.int8)
    for side in range(3):
        left, top, right, bottom = _side_box(size, side)
        upper, lower = max(first, top), min(last, bottom)
        if upper < lower:
            part = paints[
                FINE * (upper - first) : FINE * (lower - first), FINE * left : FINE * right
            ]
            seen, inside = _side_samples(size, side, (left, upper, right, lower))
            part[inside] = seen[inside]
    return paints


def _side_box(size: int, side: int) -> Box:
    """Return a box of pixels that contains a whole side of the cube."""
    scale, left, top = _corner_placing(size)
    ends = (-REACH, REACH)
    corners = [
        CAMERA.project_point(_side_point(side, across, below)) for across in ends for below in ends
    ]
    x, y = zip(*corners, strict=True)
    return (
        floor(left + scale * min(x)),
        floor(top + scale * min(y)),
        ceil(left + scale * max(x)),
        ceil(top + scale * max(y)),
    )


def _side_samples(
    size: int, side: int, box: Box
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """Return what the samples of a box see if they see this side, and which of them do."""
    scale, left, top = _corner_placing(size)
    samples = (np.arange(FINE * size) + 0.5) / FINE
    x = ((samples[FINE * box[0] : FINE * box[2]] - left) / scale)[None, :]
    y = ((top - samples[FINE * box[1] : FINE * box[3]]) / scale)[:, None]
    # The line of sight from the eye through this point of the plane that faces it at the origin.
    sight = [
        x * right + y * up - towards * CAMERA.distance
        for right, up, towards in zip(CAMERA.right, CAMERA.up, CAMERA.towards, strict=True)
    ]
    out, along, down = SIDES[side]
    steps = (REACH - dot_product(out, EYE)) / _axis_component(sight, out)
    across = dot_product(along, EYE) + steps * _axis_component(sight, along)
    below = dot_product(down, EYE) + steps * _axis_component(sight, down)
    # A little beyond the edge: by rounding, a line of sight through it could miss both sides.
    inside = (np.abs(across) < REACH + HAIR) & (np.abs(below) < REACH + HAIR)
    column, row = (np.clip(np.floor(part + 1.5), 0, 2) for part in (across, below))
    sticker = _inside_rounded(across - (column - 1), below - (row - 1))
    return np.where(sticker, 9 * side + 3 * row + column, -1).astype(np.int8), inside


def _axis_component(sight: list[Floats], axis: Solid) -> Floats:
    """Return the part of a line of sight along one of the body's axes."""
    place, sign = next((place, sign) for place, sign in enumerate(axis) if sign)
    return sight[place] * sign


def _inside_rounded(across: Floats, below: Floats) -> npt.NDArray[np.bool_]:
    """Return which points, seen from the middle of their field, lie on its sticker."""
    straight = (1 - GAP) / 2 - RADIUS
    x, y = (np.maximum(np.abs(part) - straight, 0) for part in (across, below))
    sticker: npt.NDArray[np.bool_] = x * x + y * y <= RADIUS * RADIUS
    return sticker


def draw_corner(scene: CubeCorner) -> Image.Image:
    """Return the picture of a corner: mode P, with a palette of exactly the colours it shows."""
    plan = corner_pattern(scene.size)
    ramps = {
        face: _shade_ramp(colour, scene.brightness)
        for face, colour in zip(FACES, scene.colours, strict=True)
    }
    shades = [dim_colour(FRAME, scene.brightness)]
    for letter in scene.stickers:
        shades += ramps[letter]
    shades += _shade_ramp(scene.background, scene.brightness)
    palette: dict[RGB, int] = {}
    table = bytearray(256)
    for code in plan.used:
        table[code] = palette.setdefault(shades[code], len(palette))
    image = Image.frombytes("P", (scene.size, scene.size), plan.codes.translate(table))
    image.putpalette([level for colour in palette for level in colour])
    return image


@lru_cache(maxsize=1024)
def _shade_ramp(paint: RGB, brightness: float) -> tuple[RGB, ...]:
    """Return the shades of a paint over the body, from least to most of it, dimmed."""
    ramp = []
    for level in range(1, LEVELS + 1):
        red, green, blue = (
            dark + (light - dark) * level // LEVELS
            for dark, light in zip(FRAME, paint, strict=True)
        )
        ramp.append(dim_colour((red, green, blue), brightness))
    return tuple(ramp)


PAINTERS = {CubeCorner: draw_corner}
