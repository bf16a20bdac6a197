"""Draw a room of a chamber in perspective, as a person standing in it sees it.

Each pixel is a ray from the eye that is traced cell by cell until it hits rock. Boxes represent the
solid items of the room, and the nearer of rock and box is visible. The first axis of a view points
forward, the second to the right, the third up. Items with a name are labelled where they are
visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import cos, radians, sin, tan

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from facelet.renderers.painters.chamber_ink import (
    CODE,
    FONT,
    PlacedLabel,
    RockColumns,
    level_colour,
    make_canvas,
    put_labels,
    write_line,
)
from facelet.renderers.scenes.chamber import (
    BOXES,
    DELTAS,
    EYE,
    HEIGHTS,
    Cell,
    ChamberEye,
    ChamberItem,
    ChamberRay,
    ChamberSight,
    face_of,
    sight_of,
)

WIDTH = 900
WIDE, HIGH = 446, 330
"""Size of a view."""
FIELD = 96.0
"""Degrees from the left to the right edge of a view."""
TITLE, GAP = 20, 4
SLACK = 0.35
"""Cells by which something may lie behind what is seen and still be named."""
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _SolidBox:
    """Something solid: two corners, its colour, whether it is transparent, and has no edges."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    colour: int
    glass: bool = False
    plain: bool = False


def draw_sight(scene: ChamberSight) -> Image.Image:
    """Return the picture: mode P, WIDTH pixels wide, two views side by side."""
    rows = -(-len(scene.eyes) // 2)
    image = make_canvas(WIDTH, TITLE + rows * (HIGH + TITLE + GAP), scene.items)
    write_line(image, (GAP, 4), scene.title, CODE["ink"])
    world = _SightScene(scene)
    for number, eye in enumerate(scene.eyes):
        row, column = divmod(number, 2)
        left = column * (WIDE + 2 * GAP)
        top = TITLE + row * (HIGH + TITLE + GAP)
        write_line(image, (left + GAP, top + 3), eye.title, CODE["ink"])
        world.draw_view(image, (left, top + TITLE), eye)
    return image


class _SightScene:
    def __init__(self, scene: ChamberSight) -> None:
        self.scene, self.rock = scene, RockColumns(scene)
        floors, ceilings = (np.array(rows) for rows in (self.rock.floors, self.rock.ceilings))
        levels = np.arange(len(HEIGHTS))
        free = (floors.T[..., None] <= levels) & (levels < ceilings.T[..., None])
        # One more layer of rock around all of it: no ray leaves.
        self.solid = np.pad(~free, 1, constant_values=True)
        west, south, east, north = scene.box
        self.box = (west - 1, south - 1, east + 1, north + 1)
        self.boxes = [box for item in scene.items for box in self._item_boxes(item)]
        self.rays = [box for ray in scene.rays for box in _ray_boxes(ray)]

    # --- items -----------------------------------------------------------------------------------

    def _is_inside(self, cell: Cell) -> bool:
        west, south, east, north = self.box
        return west <= cell[0] < east and south <= cell[1] < north

    def _item_boxes(self, item: ChamberItem) -> list[_SolidBox]:
        """Return the boxes that an item is drawn as."""
        colour, shape = CODE.get(item.shape, CODE["ink"]), item.shape
        x, y, z = item.cells[0]
        if shape in BOXES:
            west, east, low, top = BOXES[shape]
            found = [
                _SolidBox((x + west, y + west, z + low), (x + east, y + east, z + top), colour)
            ]
            if shape in ("cube", "mirror") and item.facing >= 0:
                dx, dy, _ = DELTAS[item.facing]
                a, b = x + 0.5 + 0.3 * dx, y + 0.5 + 0.3 * dy
                wide = (0.05 if dx else 0.2, 0.05 if dy else 0.2)
                near = (a - wide[0], b - wide[1], z + 0.1)
                found.append(_SolidBox(near, (a + wide[0], b + wide[1], z + 0.5), CODE["paper"]))
            marked = item.cells[1:] if shape == "turret" else ()
            return found + _flat_boxes(marked, (0.4, 0.6), 0.02, CODE["watch"])
        if shape in ("lift", "piston"):
            cells = item.cells if shape == "piston" else item.cells[:1]
            return _flat_boxes(cells, (0.04, 0.96), max(item.height, 0.06), colour)
        if shape == "stairs":
            return _flat_boxes(item.cells, (0.05, 0.95), 0.05, colour)
        if shape == "cover" and item.height:
            near, far = (x + 0.02, y + 0.02, z + 0.02), (x + 0.98, y + 0.98, z + 0.98)
            return [_SolidBox(near, far, colour, glass=True)]
        if shape in ("door", "shield"):
            return [self._door_leaf(cell, colour, shape == "shield") for cell in item.cells]
        return []

    def _door_leaf(self, cell: Cell, colour: int, glass: bool) -> _SolidBox:
        """Return the part of a door in a cell: across the way through it."""
        x, y, z = cell
        if self.rock.is_open(x - 1, y) and self.rock.is_open(x + 1, y):
            return _SolidBox((x + 0.4, y, z), (x + 0.6, y + 1, z + 1), colour, glass)
        return _SolidBox((x, y + 0.4, z), (x + 1, y + 0.6, z + 1), colour, glass)

    # --- a view -----------------------------------------------------------------------------------

    def draw_view(self, image: Image.Image, corner: tuple[int, int], eye: ChamberEye) -> None:
        """Draw a view.

        Args:
            image: the picture.
            corner: the upper left corner of the view.
            eye: the viewpoint.
        """
        at = np.array([eye.cell[0] + 0.5, eye.cell[1] + 0.5, eye.cell[2] + EYE])
        axes, focus = _ViewAxes.from_eye(eye), round(WIDE / 2 / tan(radians(FIELD / 2)), 9)
        down, right = np.mgrid[0:HIGH, 0:WIDE]
        rays = axes.to_cells(focus, right + 0.5 - WIDE / 2, HIGH / 2 - 0.5 - down).reshape(-1, 3)
        rays /= _vector_lengths(rays)[:, None]
        far, cells, sides = self._march_rays(at, rays)
        codes = self._face_colours(at, rays, far, cells, sides, focus)
        dots = (down + right) % 2 == 0
        codes, near = codes.reshape(HIGH, WIDE), far.reshape(HIGH, WIDE).copy()
        grid = rays.reshape(HIGH, WIDE, 3)
        shown = near
        for place, box in enumerate((*self.boxes, *self.rays)):
            if place == len(self.boxes):
                shown = near.copy()  # a ray hides no label
            x, y, z = (int(part) for part in box.low)
            window = _box_window(at, axes, focus, box)
            if window is None or not self._is_inside((x, y, z)):
                continue
            when, edge = _ray_distances(at, grid[window], box, focus)
            here, seen = codes[window], when < near[window]
            if box.glass:
                here[seen & dots[window]] = box.colour
                here[seen & edge] = CODE["ink"]
                continue
            inked = edge[seen] & (not box.plain)
            here[seen] = np.where(inked, CODE["ink"], box.colour)
            near[window][seen] = when[seen]
        view = Image.fromarray(codes.astype(np.uint8), "L")
        image.paste(Image.frombytes("P", view.size, view.tobytes()), corner)
        self._draw_labels(image, corner, at, axes, focus, shown)
        draw = ImageDraw.Draw(image)
        ends = (corner[0] + WIDE - 1, corner[1] + HIGH - 1)
        draw.rectangle([corner, ends], outline=CODE["line"])

    def _march_rays(self, at: Floats, rays: Floats) -> tuple[Floats, Ints, Ints]:
        """Follow rays to the rock.

        Returns:
            For each ray how far it goes, the last free cell, and the side on which it leaves it.
        """
        count = len(rays)
        signs = np.where(rays >= 0, 1, -1).astype(np.int64)
        with np.errstate(divide="ignore"):
            step = np.abs(1 / rays)
        cells = np.repeat(np.floor(at).astype(np.int64)[None], count, axis=0)
        borders = np.where(signs > 0, cells + 1 - at, at - cells)
        after = np.where(np.isfinite(step), borders * step, np.inf)
        far, sides = np.zeros(count), np.zeros(count, dtype=np.int64)
        left = np.arange(count)
        while len(left):
            axis = np.argmin(after[left], axis=1)
            when = after[left, axis]
            there = cells[left].copy()
            there[np.arange(len(left)), axis] += signs[left, axis]
            a, b, c = (there + 1).T
            hit = self.solid[a, b, c]
            ended = left[hit]
            far[ended] = when[hit]
            sides[ended] = _SIDE[axis[hit], (signs[ended, axis[hit]] > 0).astype(np.int64)]
            going = ~hit
            left = left[going]
            cells[left] = there[going]
            after[left, axis[going]] += step[left, axis[going]]
        return far, cells, sides

    def _face_colours(
        self, at: Floats, rays: Floats, far: Floats, cells: Ints, sides: Ints, focus: float
    ) -> Ints:
        """Return the colours that rays meet: rock, and flat items on it."""
        floors = np.array([level_colour(height) for height in range(len(HEIGHTS))])
        # By side: walls to the east and west, to the north and south, ceilings, floors.
        by_side = np.array(
            [CODE[name] for name in ("wall2", "wall", "wall2", "wall", "line")] + [0]
        )
        codes = np.where(sides == 5, floors[cells[:, 2]], by_side[sides])
        points = at + rays * far[:, None]
        across = np.where((sides % 2 == 0) & (sides < 4), 1, 0)
        upward = np.where(sides < 4, 2, 1)
        every = np.arange(len(rays))
        u = points[every, across] - cells[every, across]
        v = points[every, upward] - cells[every, upward]
        margin = np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v))
        line = margin < 0.7 * far / focus
        codes = np.where(line, CODE["line"], codes)
        codes = np.where(line & (sides == 4), CODE["rock"], codes)
        for item in self.scene.items:
            side, inset = face_of(item)
            if side < 0 or not self._is_inside(item.cells[0]):
                continue
            whole = np.zeros(len(rays), dtype=bool)
            for cell in item.cells if item.shape == "runway" else item.cells[:1]:
                there = (cells == np.array(cell)).all(axis=1) & (sides == side)
                whole |= there & (margin > inset)
                codes[there & (margin > inset - 0.04)] = CODE["ink"]
            codes[whole] = CODE[item.shape]
            if item.shape in ("plate", "runway") and 0 <= item.facing < 4:
                dx, dy, _ = DELTAS[item.facing]
                along = (u - 0.5) * dx + (v - 0.5) * dy
                beside = np.abs((u - 0.5) * dy - (v - 0.5) * dx)
                codes[whole & (along > -0.2) & (beside < 0.3 - along)] = CODE["paper"]
        return codes

    def _draw_labels(
        self,
        image: Image.Image,
        corner: tuple[int, int],
        at: Floats,
        axes: _ViewAxes,
        focus: float,
        near: Floats,
    ) -> None:
        labels = []
        for item in self.scene.items:
            if not item.name or not self._is_inside(item.cells[0]):
                continue
            place = np.array(sight_of(item)) - at
            forward, right, up = map(float, axes.to_axes(place))
            if forward < 0.3:
                continue
            px, py = WIDE / 2 + focus * right / forward, HIGH / 2 - focus * up / forward
            if not (2 <= px < WIDE - 2 and 2 <= py < HIGH - 2):
                continue
            if _vector_lengths(place) > near[int(py), int(px)] + SLACK:
                continue
            colour = "ledge" if item.shape == "floor" else "ink"
            labels.append(PlacedLabel(item.name, (corner[0] + px, corner[1] + py), colour))
        left, top = corner
        put_labels(image, labels, (left + 1, top + 1, left + WIDE - 2, top + HIGH - FONT // 4))


_SIDE = np.array([[2, 0], [3, 1], [5, 4]])
"""The direction of an axis, downwards and upwards."""


@dataclass(frozen=True, slots=True)
class _ViewAxes:
    """The axes of a view: forward, right and up.

    Nothing here is a product of matrices: their sums depend on the processor, pixels must not.
    """

    forward: tuple[float, float, float]
    right: tuple[float, float, float]
    up: tuple[float, float, float]

    @classmethod
    def from_eye(cls, eye: ChamberEye) -> _ViewAxes:
        """Return the axes of a viewpoint; sines are rounded, since their last digit varies."""
        a, b = radians(eye.yaw), radians(eye.tilt)
        cos_a, sin_a, cos_b, sin_b = (round(f(x), 9) for x in (a, b) for f in (cos, sin))
        return cls(
            (cos_a * cos_b, sin_a * cos_b, sin_b),
            (sin_a, -cos_a, 0.0),
            (-cos_a * sin_b, -sin_a * sin_b, cos_b),
        )

    def to_cells(self, forward: float, right: Floats, up: Floats) -> Floats:
        """Return vectors in cells, on a new last axis, from what they are along the axes."""
        parts = zip(self.forward, self.right, self.up, strict=True)
        return np.stack([f * forward + r * right + u * up for f, r, u in parts], axis=-1)

    def to_axes(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """Return vectors along the axes, from those in cells, on the last axis."""
        x, y, z = place[..., 0], place[..., 1], place[..., 2]
        axes = (self.forward, self.right, self.up)
        forward, right, up = (a * x + b * y + c * z for a, b, c in axes)
        return forward, right, up


def _vector_lengths(rays: Floats) -> Floats:
    """Return the lengths of vectors on the last axis."""
    squares = rays * rays
    return np.sqrt(squares[..., 0] + squares[..., 1] + squares[..., 2])


def _flat_boxes(
    cells: Sequence[Cell], edges: tuple[float, float], height: float, colour: int
) -> list[_SolidBox]:
    """Return a box on the floor of each cell."""
    low, high = edges
    return [
        _SolidBox((x + low, y + low, z), (x + high, y + high, z + height), colour)
        for x, y, z in cells
    ]


def _ray_boxes(ray: ChamberRay) -> list[_SolidBox]:
    """Return the boxes of a ray, one for each straight part: a thread, a deck, a column of haze."""
    found: list[_SolidBox] = []
    thick = {"laser": 0.03, "watch": 0.03, "beam": 0.2, "bridge": 0.5}[ray.kind]
    start = 0
    for place in range(1, len(ray.cells) + 1):
        part = ray.cells[start:place]
        if place < len(ray.cells) and _is_straight((*part, ray.cells[place])):
            continue
        low, high = (np.array(list(map(pick, zip(*part, strict=True)))) for pick in (min, max))
        along = (low != high) if len(part) > 1 else np.zeros(3, dtype=bool)
        near = np.where(along, low, low + 0.5 - thick)
        far = np.where(along, high + 1, low + 0.5 + thick)
        if ray.kind == "bridge":
            near[2], far[2] = low[2], low[2] + 0.06
        a, b, c = map(float, near)
        d, e, f = map(float, far)
        thread = ray.kind in ("laser", "watch")
        found.append(_SolidBox((a, b, c), (d, e, f), CODE[ray.kind], not thread, thread))
        start = place
    return found


def _is_straight(cells: Sequence[Cell]) -> bool:
    """Return whether cells follow each other along one axis."""
    ways = {tuple(np.subtract(b, a).tolist()) for a, b in pairwise(cells)}
    return len(ways) == 1 and sum(map(abs, next(iter(ways)))) == 1


Window = tuple[slice, slice]


def _box_window(at: Floats, axes: _ViewAxes, focus: float, box: _SolidBox) -> Window | None:
    """Return the part of a view in which a box can be seen; None if it is nowhere."""
    corners = np.array(list(product(*zip(box.low, box.high, strict=True))))
    forward, right, up = axes.to_axes(corners - at)
    if (forward < 0.05).all():
        return None
    if (forward < 0.05).any():
        return slice(0, HIGH), slice(0, WIDE)
    across, down = WIDE / 2 + focus * right / forward, HIGH / 2 - focus * up / forward
    first, last = (max(0, int(across.min()) - 1), min(WIDE, int(across.max()) + 2))
    top, bottom = (max(0, int(down.min()) - 1), min(HIGH, int(down.max()) + 2))
    return (slice(top, bottom), slice(first, last)) if first < last and top < bottom else None


def _ray_distances(at: Floats, rays: Floats, box: _SolidBox, focus: float) -> tuple[Floats, Bools]:
    """Return how far rays go to a box, infinity past it, and whether they meet one of its edges."""
    begin = np.full(rays.shape[:-1], -np.inf)
    end = np.full(rays.shape[:-1], np.inf)
    for axis in range(3):
        with np.errstate(divide="ignore", invalid="ignore"):
            one = (box.low[axis] - at[axis]) / rays[..., axis]
            two = (box.high[axis] - at[axis]) / rays[..., axis]
        begin = np.fmax(begin, np.fmin(one, two))
        end = np.fmin(end, np.fmax(one, two))
    hit = (begin <= end) & (begin > 0.05)
    when = np.where(hit, begin, 0.0)
    close = np.zeros(rays.shape[:-1], dtype=np.int64)
    for axis in range(3):
        place = at[axis] + rays[..., axis] * when
        border = np.minimum(np.abs(place - box.low[axis]), np.abs(place - box.high[axis]))
        close += border < 0.8 * when / focus
    # Two of the three coordinates near a border: an edge.
    return np.where(hit, begin, np.inf), hit & (close >= 2)


PAINTERS = {ChamberSight: draw_sight}
