"""Draw a room of a chamber at an angle, twice: from the south-west and the north-east.

Each view is axonometric and shows the two walls that face it, so both together show every wall.
Walls inside a room are stippled, so that what is behind them stays visible. Items that a higher
floor or a raised lift hides are labelled too, by a ring instead of a dot; a hidden cube is drawn in
outline. Points (x, y, z) are in cells, as in the scene; the second view turns them by half a turn
about the middle of the room. To the right of a picture is (1, -1, 0), and further away is higher.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from PIL import Image, ImageDraw

from facelet.renderers.painters.chamber_ink import (
    CODE,
    PlacedLabel,
    Point,
    Rect,
    RockColumns,
    draw_dashes,
    level_colour,
    make_canvas,
    put_labels,
    stipple_polygon,
    text_size,
    write_line,
)
from facelet.renderers.scenes.chamber import (
    BACK,
    BOXES,
    DELTAS,
    SOURCES,
    Cell,
    ChamberItem,
    ChamberRoom,
)

WIDTH = 900
TITLE = 22
MARGIN = 34
TOP = 8
"""Height up to which walls are drawn, in cells."""
RISE = 0.9
"""How high a cell is drawn, for one that is as wide as it is deep."""
RING = "ring: hidden from this side"
SPAN, APART = 0.1, 0.1
"""Cells between the points of a line of sight that are looked at, and from it to either side."""
_BOXES = {**BOXES, "lift": (0.06, 0.94, 0, 0), "piston": (0.06, 0.94, 0, 0)}
"""Shapes that are drawn as boxes; those of top 0 are as high as their item."""
_ARROWS = {"cube": "paper", "mirror": "paper", "turret": "watch"}
"""Colours of the arrows on boxes that face a direction."""
COMPASS = ("E", "N", "W", "S")
Solid = tuple[float, float, float]


def draw_room(scene: ChamberRoom) -> Image.Image:
    """Return the picture: mode P, WIDTH pixels wide."""
    west, south, east, north = scene.box
    across = east - west + north - south + 2
    unit = min(26.0, (WIDTH / 2 - 2 * MARGIN) / across)
    high = round(across * unit / 2 + TOP * unit * RISE) + 2 * MARGIN
    image = make_canvas(WIDTH, TITLE + high, scene.items)
    write_line(image, (MARGIN // 2, 4), scene.title, CODE["ink"])
    hides = False
    for half in (0, 1):
        frame = (half * WIDTH // 2, TITLE, (half + 1) * WIDTH // 2, TITLE + high)
        view = _RoomView(image, scene, half, unit, frame)
        view.draw_all()
        hides |= any(label.hidden for label in view.labels)
    if hides:
        write_line(image, (WIDTH - MARGIN // 2 - text_size(RING)[0], 4), RING, CODE["ink"])
    draw = ImageDraw.Draw(image)
    draw.line([(WIDTH // 2, TITLE), (WIDTH // 2, TITLE + high)], fill=CODE["line"])
    return image


class _RoomView:
    def __init__(
        self,
        image: Image.Image,
        scene: ChamberRoom,
        half: int,
        unit: float,
        frame: tuple[int, int, int, int],
    ) -> None:
        self.image, self.scene, self.half, self.unit, self.frame = image, scene, half, unit, frame
        self.draw = ImageDraw.Draw(image)
        self.rock = RockColumns(scene)
        self.labels: list[PlacedLabel] = []
        west, south, east, north = scene.box
        self.box = (west - 1, south - 1, east + 1, north + 1)
        self.middle = ((west + east) / 2, (south + north) / 2)
        self.far = (0, 1) if half == 0 else (2, 3)
        self.tops = {
            column: self.rock.floors[column[1]][column[0]] for column in self.iterate_columns()
        }
        for item in scene.items:
            for cell in item.cells:
                if item.height and item.shape != "cover" and cell[:2] in self.tops:
                    self.tops[cell[:2]] += item.height
        self.summit = max(self.tops.values(), default=0)

    # --- geometry ---------------------------------------------------------------------------------

    def project_point(self, x: float, y: float, z: float) -> Point:
        """Return where a point is in the picture."""
        u, v = x - self.middle[0], y - self.middle[1]
        if self.half:
            u, v = -u, -v
        left, _, right, bottom = self.frame
        west, south, east, north = self.box
        reach = (east - west + north - south) / 4
        return (
            (left + right) / 2 + (u - v) * self.unit,
            bottom
            - MARGIN
            - (u + v + 2 * reach) * self.unit / 2
            - z * self.unit * RISE
            + self.unit,
        )

    def project_quad(self, *corners: Solid) -> list[Point]:
        return [self.project_point(*corner) for corner in corners]

    def tile_corners(self, x: int, y: int, z: float, inset: float = 0.0) -> list[Point]:
        """Return a square at a height."""
        a, b, c, d = x + inset, x + 1 - inset, y + inset, y + 1 - inset
        return self.project_quad((a, c, z), (b, c, z), (b, d, z), (a, d, z))

    def face_corners(self, cell: Cell, side: int, inset: float = 0.0) -> list[Point]:
        """Return a cell's face towards a side, drawn a little smaller by `inset`."""
        x, y, z = cell
        if side >= 4:
            return self.tile_corners(x, y, z + (side == 4), inset)
        low, high = inset, 1 - inset
        dx, dy, _ = DELTAS[side]
        square = ((low, low), (high, low), (high, high), (low, high))
        if dx:
            return self.project_quad(*((x + (dx > 0), y + a, z + b) for a, b in square))
        return self.project_quad(*((x + a, y + (dy > 0), z + b) for a, b in square))

    def column_depth(self, x: float, y: float) -> float:
        """Return how far away a column is."""
        return -(x + y) if self.half else x + y

    def is_hidden(self, x: float, y: float, z: float) -> bool:
        """Return whether floors or a lift lie between a point and the eye.

        Two lines of sight are followed, side by side: one through a corner at which two columns
        meet would pass between them.
        """
        return self._is_blocked(x - APART, y + APART, z) and self._is_blocked(
            x + APART, y - APART, z
        )

    def _is_blocked(self, x: float, y: float, z: float) -> bool:
        towards, inside = SPAN if self.half else -SPAN, False
        while z < self.summit:
            x, y, z = x + towards, y + towards, z + SPAN / RISE
            top = self.tops.get((floor(x), floor(y)))
            # A block is cut open where the room ends: what it has there is not painted.
            if top is not None and inside and z >= top:
                return True
            inside = top is not None and z < top
        return inside

    def iterate_columns(self) -> Iterator[tuple[int, int]]:
        """Yield the open columns of the room and its doorways, the farthest first."""
        west, south, east, north = self.box
        found = [
            (x, y)
            for x in range(west, east)
            for y in range(south, north)
            if self.rock.is_open(x, y)
        ]
        yield from sorted(found, key=lambda c: (-self.column_depth(*c), c))

    # --- drawing ----------------------------------------------------------------------------------

    def draw_all(self) -> None:
        west, south, east, north = self.scene.box
        items = [i for i in self.scene.items if any(self._inside(c) for c in i.cells)]
        flat = [i for i in items if i.shape in ("panel", "receiver")]
        loose = sorted(
            (i for i in items if i.shape not in ("panel", "receiver", "floor", "liquid")),
            key=lambda i: (-self.column_depth(*i.cells[0][:2]), i.name),
        )
        for x, y in self.iterate_columns():
            self._column(x, y)
            for item in flat:
                if item.facing != 4 and item.cells[0][:2] == (x, y):
                    self._flat(item)
            for item in loose:
                if item.cells[0][:2] == (x, y) and item.shape not in ("cube", "mirror"):
                    self._solid(item)
        for item in flat:
            if item.facing == 4:
                self._flat(item)
        for ray in self.scene.rays:
            points = [
                self.project_point(x + 0.5, y + 0.5, z + 0.5)
                for x, y, z in ray.cells
                if self._inside((x, y, z))
            ]
            if ray.kind == "bridge":
                for x, y, z in ray.cells:
                    if self._inside((x, y, z)):
                        stipple_polygon(self.image, self.tile_corners(x, y, z), CODE["bridge"])
            elif len(points) > 1:
                self.draw.line(points, fill=CODE[ray.kind], width=3)
        for item in loose:
            if item.shape in ("cube", "mirror"):
                self._solid(item)
        for item in items:
            if item.shape == "floor":
                x, y, z = item.cells[0]
                self._label(item, (x + 0.5, y + 0.5, z), "ledge")
        left, top, right, bottom = self.frame
        signs = self._compass(west, south, east, north)
        put_labels(self.image, self.labels, (left + 3, top, right - 3, bottom), signs)

    def _inside(self, cell: Cell) -> bool:
        west, south, east, north = self.box
        return west <= cell[0] < east and south <= cell[1] < north

    def _column(self, x: int, y: int) -> None:
        rock = self.rock
        ground, ceiling = rock.floors[y][x], rock.ceilings[y][x]
        self.draw.polygon(
            self.tile_corners(x, y, ground), fill=level_colour(ground), outline=CODE["wall"]
        )
        west, south, east, north = self.scene.box
        for side in self.far:
            dx, dy, _ = DELTAS[side]
            beyond = (x + dx, y + dy)
            inner = west <= beyond[0] < east and south <= beyond[1] < north
            for z in range(ground, min(ceiling, TOP)):
                if rock.is_free((*beyond, z)):
                    continue
                corners = self.face_corners((x, y, z), side)
                colour = CODE["wall" if side % 2 else "wall2"]
                if inner and not rock.is_open(*beyond):
                    stipple_polygon(self.image, corners, colour)
                    self.draw.polygon(corners, outline=colour)
                else:
                    self.draw.polygon(corners, fill=colour, outline=CODE["line"])

    def _flat(self, item: ChamberItem) -> None:
        """Draw what is on a face of the rock, if that is seen from here."""
        cell, side = item.cells[0], item.facing
        if side < 4 and side not in self.far:
            return
        corners = self.face_corners(cell, side, 0.06)
        if side == 4:
            x, y, z = cell
            self.draw.polygon(corners, outline=CODE["ink"])
            self.draw.polygon(self.face_corners(cell, side, 0.25), outline=CODE["ink"])
            self._draw_plumb_line((x + 0.5, y + 0.5, z + 1), self.rock.floors[y][x])
        else:
            self.draw.polygon(corners, fill=CODE[item.shape], outline=CODE["ink"])
        self._label(item, _face_centre(cell, side))

    def _draw_plumb_line(self, start: Solid, height: float) -> None:
        """Draw a dashed vertical line from a point to a height."""
        x, y, _ = start
        ends = (self.project_point(*start), self.project_point(x, y, height))
        draw_dashes(self.draw, ends, 20, "line")

    def _label(self, item: ChamberItem, at: Solid, colour: str = "ink") -> None:
        if item.name:
            label = PlacedLabel(
                item.name, self.project_point(*at), colour, hidden=self.is_hidden(*at)
            )
            self.labels.append(label)

    def _solid(self, item: ChamberItem) -> None:
        shape, (x, y, z) = item.shape, item.cells[0]
        colour = CODE[shape]
        at: Solid = (x + 0.5, y + 0.5, z)
        if shape in ("door", "shield"):
            for cell in item.cells:
                for side in (0, 2) if self._runs_east(cell) else (1, 3):
                    stipple_polygon(self.image, self.face_corners(cell, side), colour)
                    self.draw.polygon(self.face_corners(cell, side), outline=colour)
            near = BACK[self.far[0 if self._runs_east(item.cells[0]) else 1]]
            at = _face_centre(item.cells[-1], near)
        elif shape in SOURCES:
            if (back := BACK[item.facing]) < 4 and back not in self.far:
                return
            at = _face_centre(item.cells[0], back)
            self.draw.polygon(
                self.face_corners(item.cells[0], back, 0.1), fill=colour, outline=CODE["ink"]
            )
            if item.facing < 4:
                self._arrow(item.cells[0], item.facing, z + 0.5, colour)
        elif shape in _BOXES:
            west, east, low, top = _BOXES[shape]
            top = top or item.height
            at = (x + 0.5, y + 0.5, z + top)
            outlined = shape in ("cube", "mirror") and self.is_hidden(*at)
            for a, b, c in item.cells if shape == "turret" else ():
                self.draw.polygon(self.tile_corners(a, b, c, 0.4), outline=CODE["watch"])
            cells = item.cells if shape == "piston" else item.cells[:1]
            for a, b, c in sorted(cells, key=lambda cell: -self.column_depth(*cell[:2])):
                corners = (a + west, b + west, c + low), (a + east, b + east, c + top)
                self._box(*corners, None if outlined else colour)
            if item.facing >= 0 and shape in _ARROWS:
                self._arrow(item.cells[0], item.facing, z + top, CODE[_ARROWS[shape]])
            if shape == "dispenser":
                self._draw_plumb_line((x + 0.5, y + 0.5, z), self.rock.floors[y][x])
        elif shape == "cover":
            at = (x + 0.5, y + 0.5, z + 0.5)
            for side in range(6) if item.height else (item.facing,):
                if item.height:
                    stipple_polygon(self.image, self.face_corners(item.cells[0], side), colour)
                self.draw.polygon(self.face_corners(item.cells[0], side), outline=colour)
        elif shape == "runway":
            for a, b, c in item.cells:
                self.draw.polygon(self.tile_corners(a, b, c, 0.1), fill=colour, outline=CODE["ink"])
            self._arrow(item.cells[-1], item.facing, z, CODE["paper"])
        elif shape == "stairs":
            for place, (a, b, c) in enumerate(item.cells):
                self.draw.polygon(self.tile_corners(a, b, c, 0.1), fill=colour, outline=CODE["ink"])
                self._draw_plumb_line((a + 0.5, b + 0.5, c), c + place + 1)
        else:
            self.draw.polygon(self.tile_corners(x, y, z, 0.14), fill=colour, outline=CODE["ink"])
            if item.facing >= 0:
                self._arrow(item.cells[0], item.facing, z, CODE["paper"])
        self._label(item, at)

    def _runs_east(self, cell: Cell) -> bool:
        """Return whether a doorway leads from west to east."""
        x, y, _ = cell
        return self.rock.is_open(x - 1, y) or self.rock.is_open(x + 1, y)

    def _box(self, low: Solid, high: Solid, colour: int | None) -> None:
        """Draw a box; without a colour only its edges."""
        (a, b, c), (d, e, f) = low, high
        near_x, near_y = (a, b) if self.half == 0 else (d, e)
        sides = (
            self.project_quad((a, near_y, c), (d, near_y, c), (d, near_y, f), (a, near_y, f)),
            self.project_quad((near_x, b, c), (near_x, e, c), (near_x, e, f), (near_x, b, f)),
            self.project_quad((a, b, f), (d, b, f), (d, e, f), (a, e, f)),
        )
        for corners in sides:
            self.draw.polygon(corners, fill=colour, outline=CODE["ink"])

    def _arrow(self, cell: Cell, facing: int, z: float, colour: int) -> None:
        dx, dy, _ = DELTAS[facing]
        x, y = cell[0] + 0.5, cell[1] + 0.5
        corners = self.project_quad(
            (x + 0.45 * dx, y + 0.45 * dy, z),
            (x - 0.1 * dx + 0.2 * dy, y - 0.1 * dy + 0.2 * dx, z),
            (x - 0.1 * dx - 0.2 * dy, y - 0.1 * dy - 0.2 * dx, z),
        )
        self.draw.polygon(corners, fill=colour, outline=CODE["ink"])

    def _compass(self, west: int, south: int, east: int, north: int) -> list[Rect]:
        """Write the names of the four sides outside of the near and above the far walls.

        Returns:
            Their places, so that labels avoid them.
        """
        taken = []
        x, y = self.middle
        ends = ((east + 1.2, y), (x, north + 1.2), (west - 1.2, y), (x, south - 1.2))
        for side, (a, b) in enumerate(ends):
            px, py = self.project_point(a, b, TOP * 0.5 if side in self.far else 1)
            write_line(self.image, (round(px) - 4, round(py) - 6), COMPASS[side], CODE["ink"])
            taken.append((round(px) - 6, round(py) - 8, round(px) + 10, round(py) + 10))
        return taken


def _face_centre(cell: Cell, side: int) -> Solid:
    """Return the middle of a cell's face towards a side."""
    x, y, z = (place + 0.5 + step / 2 for place, step in zip(cell, DELTAS[side], strict=True))
    return x, y, z


PAINTERS = {ChamberRoom: draw_room}
