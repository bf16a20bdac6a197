"""Draw a chamber from above: coloured floors, dark walls, labels, and a table below.

Panels and other items on walls are bars along the wall; their labels end with "@" and the height of
their cell. Bars above each other share the side of their column, the lowest first from the west or
south. Arrows are on top, and labels avoid them. A panel in a floor or a ceiling is a square with a
double border; "@c" marks one in a ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from facelet.renderers.painters.chamber_ink import (
    CODE,
    FONT,
    PlacedLabel,
    RockColumns,
    draw_dashes,
    level_colour,
    make_canvas,
    put_labels,
    text_size,
    write_line,
)
from facelet.renderers.scenes.chamber import (
    BACK,
    DELTAS,
    SOURCES,
    Cell,
    ChamberItem,
    ChamberPlan,
    ChamberTable,
)
from facelet.renderers.scenes.records import LEAST_EDGE

WIDTH = 900
MARGIN = 12
LARGEST_CELL = 40
TALLEST = 900
"""Height of the plan without its table."""
LARGE = 20
"""Size of letters where the table is alone."""
_INSETS = {
    **dict.fromkeys(("door", "shield", "stairs", "piston", "runway"), 0.1),
    **dict.fromkeys(("button", "dispenser"), 0.2),
    **dict.fromkeys(("switch", "spot"), 0.32),
}
"""Shapes that are drawn as squares or discs in their cells: how far from the cell's edges."""
_LEGEND = ((0, "liquid"), (1, "height 1"), (2, "2"), (3, "3"), (4, "4"))


def draw_plan(scene: ChamberPlan) -> Image.Image:
    """Return the picture: mode P, WIDTH pixels wide."""
    return _PlanPainter(scene).image


def draw_table(scene: ChamberTable) -> Image.Image:
    """Return the picture: mode P, WIDTH pixels wide."""
    image = make_canvas(WIDTH, max(LEAST_EDGE, MARGIN + table_height(scene.table, LARGE)))
    draw_legend(image, scene.table, MARGIN, LARGE, places=False)
    return image


class _PlanPainter:
    def __init__(self, scene: ChamberPlan) -> None:
        self.rock = RockColumns(scene)
        self.cell = min(
            LARGEST_CELL, (WIDTH - 2 * MARGIN) // self.rock.wide, TALLEST // self.rock.deep
        )
        self.left = max(MARGIN, (WIDTH - self.cell * self.rock.wide) // 2)
        self.bottom = MARGIN + self.cell * self.rock.deep
        height = self.bottom + MARGIN + table_height(scene.table)
        self.image = make_canvas(WIDTH, height, scene.items)
        self.draw = ImageDraw.Draw(self.image)
        self.labels: list[PlacedLabel] = []
        self.arrows: list[tuple[int, int, int, int]] = []
        self.sharing: dict[tuple[int, int, int], list[ChamberItem]] = {}
        for item in sorted(scene.items, key=lambda item: (item.cells[0][2], item.name)):
            if (side := _bar_side(item)) is not None:
                self.sharing.setdefault((*item.cells[0][:2], side), []).append(item)
        self._draw_floors()
        for ray in scene.rays:
            points = [self.middle_pixel(cell) for cell in ray.cells]
            if len(points) == 1:
                points *= 2
            width = {"laser": 2, "watch": 3}.get(ray.kind, 6)
            self.draw.line(points, fill=CODE[ray.kind], width=width)
        for item in sorted(scene.items, key=lambda item: item.shape in ("cube", "mirror")):
            self._draw_item(item)
        for item in scene.items:
            if item.shape == "runway":
                self._draw_arrow(item.cells[-1], item.facing, "paper")
            if item.shape in SOURCES and _bar_side(item) is not None:
                self._draw_arrow(item.cells[0], item.facing, item.shape)
        if scene.link:
            first, last = (
                self.anchor_pixel(i) for name in scene.link for i in scene.items if i.name == name
            )
            draw_dashes(self.draw, (first, last), 24, "hint", 4)
        put_labels(self.image, self.labels, (0, 0, WIDTH, self.bottom + MARGIN), self.arrows)
        draw_legend(self.image, scene.table, self.bottom + MARGIN)

    def corner_pixel(self, x: float, y: float) -> tuple[int, int]:
        return round(self.left + self.cell * x), round(self.bottom - self.cell * y)

    def middle_pixel(self, cell: Cell) -> tuple[int, int]:
        return self.corner_pixel(cell[0] + 0.5, cell[1] + 0.5)

    def square_corners(self, cell: Cell, inset: float = 0.0) -> list[tuple[int, int]]:
        x, y, _ = cell
        return [
            self.corner_pixel(x + inset, y + 1 - inset),
            self.corner_pixel(x + 1 - inset, y + inset),
        ]

    def _draw_floors(self) -> None:
        rock = self.rock
        top = [self.corner_pixel(0, rock.deep), self.corner_pixel(rock.wide, 0)]
        self.draw.rectangle(top, fill=CODE["rock"])
        for y in range(rock.deep):
            for x in range(rock.wide):
                if rock.is_open(x, y):
                    fill = level_colour(rock.floors[y][x])
                    self.draw.rectangle(
                        self.square_corners((x, y, 0)), fill=fill, outline=CODE["wall"]
                    )

    def draw_bar(self, item: ChamberItem, side: int, colour: str) -> tuple[int, int]:
        """Draw a bar along a side of the first cell, inside of it, and return its middle."""
        west, south, east, north = self._bar_edges(item, side)
        box = [self.corner_pixel(west, north), self.corner_pixel(east, south)]
        self.draw.rectangle(box, fill=CODE[colour], outline=CODE["ink"])
        return self.anchor_pixel(item)

    def _bar_edges(self, item: ChamberItem, side: int) -> tuple[float, float, float, float]:
        """Return the edges of a bar, in cells: west, south, east, north."""
        x, y, _ = item.cells[0]
        dx, dy, _ = DELTAS[side]
        others = self.sharing[x, y, side]
        deep, first, last = 0.22, others.index(item) / len(others), 1 / len(others)
        last += first
        if dx:
            west = x + 1 - deep if dx > 0 else x
            return west, y + first, west + deep, y + last
        south = y + 1 - deep if dy > 0 else y
        return x + first, south, x + last, south + deep

    def anchor_pixel(self, item: ChamberItem) -> tuple[int, int]:
        """Return where a line to an item ends."""
        if (side := _bar_side(item)) is not None:
            west, south, east, north = self._bar_edges(item, side)
            return self.corner_pixel((west + east) / 2, (south + north) / 2)
        return self.middle_pixel(item.cells[0])

    def _draw_item(self, item: ChamberItem) -> None:
        shape, cell = item.shape, item.cells[0]
        at, text = self.middle_pixel(cell), item.name
        if (side := _bar_side(item)) is not None:
            at = self.draw_bar(item, side, shape)
            text = f"{item.name}@{cell[2]}"
        elif shape == "panel":
            self.draw.rectangle(
                self.square_corners(cell, 0.08), fill=CODE["panel"], outline=CODE["ink"]
            )
            self.draw.rectangle(self.square_corners(cell, 0.22), outline=CODE["ink"])
            text = f"{item.name}@c" if item.facing == 4 else item.name
        elif shape in _INSETS:
            drawn = self.draw.rectangle if shape != "switch" else self.draw.ellipse
            for other in item.cells:
                corners = self.square_corners(other, _INSETS[shape])
                drawn(corners, fill=CODE[shape], outline=CODE["ink"])
        elif shape == "cover":
            fill = CODE[shape] if item.height else None
            self.draw.rectangle(self.square_corners(cell, 0.28), fill, CODE[shape], 2)
            text = f"{item.name}@{cell[2]}"
        elif shape == "turret":
            for other in item.cells:
                self.draw.rectangle(self.square_corners(other, 0.4), outline=CODE["watch"])
            self.draw.ellipse(self.square_corners(cell, 0.2), fill=CODE[shape], outline=CODE["ink"])
            self._draw_arrow(cell, item.facing, "watch")
        elif shape not in ("liquid", "floor"):
            self.draw.rectangle(
                self.square_corners(cell, 0.14), fill=CODE[shape], outline=CODE["ink"]
            )
            if 0 <= item.facing < 4:
                self._draw_arrow(cell, item.facing, "paper")
            elif shape == "beam":
                text = f"{item.name} up"
        if text:
            self.labels.append(PlacedLabel(text, at, "ink" if shape != "floor" else "ledge"))

    def _draw_arrow(self, cell: Cell, facing: int, colour: str) -> None:
        dx, dy, _ = DELTAS[facing]
        x, y = cell[0] + 0.5, cell[1] + 0.5
        tip = self.corner_pixel(x + 0.4 * dx, y + 0.4 * dy)
        sides = [
            self.corner_pixel(x + 0.05 * dx + 0.22 * s * dy, y + 0.05 * dy + 0.22 * s * dx)
            for s in (-1, 1)
        ]
        self.draw.polygon([tip, *sides], fill=CODE[colour], outline=CODE["ink"])
        across, down = zip(tip, *sides, strict=True)
        self.arrows.append((min(across), min(down), max(across), max(down)))


# The table is as wide as the picture, however narrow the plan is.
COLUMN = WIDTH // 2 - MARGIN


def _lines(table: Sequence[str], size: int) -> int:
    """Return how many lines a table takes, in two columns if they fit."""
    widest = max((text_size(line, size)[0] for line in table), default=0)
    return -(-len(table) // (2 if widest < COLUMN else 1))


def table_height(table: Sequence[str], size: int = FONT) -> int:
    """Return how many pixels a table takes with its legend, in letters of a size."""
    return size * 4 // 3 * (_lines(table, size) + 1) + 8


def draw_legend(
    image: Image.Image, table: Sequence[str], top: int, size: int = FONT, *, places: bool = True
) -> None:
    """Write what colours mean, and a table below.

    Args:
        image: the picture.
        table: the lines.
        top: where the legend begins.
        size: the font size.
        places: whether to explain the signs of a plan.
    """
    draw, x = ImageDraw.Draw(image), MARGIN
    for height, words in _LEGEND:
        draw.rectangle([x, top, x + size, top + size], level_colour(height), CODE["ink"])
        write_line(image, (x + size + 5, top), words, CODE["ink"], size)
        x += size + 18 + text_size(words, size)[0]
    if places:
        words = "dark: rock   north is up   @: height of the cell"
        write_line(image, (x + 6, top), words, CODE["ink"])
    lines = _lines(table, size)
    for place, line in enumerate(table):
        column, row = divmod(place, lines)
        corner = (MARGIN + column * COLUMN, top + size * 4 // 3 * (row + 1) + 4)
        write_line(image, corner, line, CODE["ink"], size)


def _bar_side(item: ChamberItem) -> int | None:
    """Return the side of its cell on which a bar for an item is drawn; None if none is."""
    if not 0 <= item.facing < 4:
        return None
    if item.shape in SOURCES:
        return BACK[item.facing]
    return item.facing if item.shape in ("panel", "receiver") else None


PAINTERS = {ChamberPlan: draw_plan, ChamberTable: draw_table}
