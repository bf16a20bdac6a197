"""Scenes of test chambers, from above, at an angle, or in perspective.

Cells are (x, y, z): x runs east, y north, z up. Directions are 0 east, 1 north, 2 west, 3 south, 4
up, 5 down. A column (x, y) is open from its floor up to its ceiling; one of equal floor and ceiling
is rock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.renderers.scenes.records import Scene

Cell = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Columns: west, south, east, north; the last two exclusive."""

HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"
SHAPES = frozenset(
    "beam bridge button cover cube dispenser door exit floor laser lift liquid mirror panel piston "
    "plate receiver runway shield spot spring stairs start switch turret".split()
)
"""What can be drawn."""
FACING = range(-1, 6)
LARGEST = 40


@dataclass(frozen=True, slots=True, repr=False)
class ChamberItem:
    """Something in a chamber.

    Attributes:
        shape: one of SHAPES.
        name: its label; "" for none.
        cells: where it is.
        facing: its direction; -1 for none. Panels and receivers are on the face of the rock that
            lies that way; beams, bridges and lasers start at the face behind them.
        height: cells that it is raised, for lifts and pistons; 1 for a cover that closes its cell.
    """

    shape: str
    name: str
    cells: tuple[Cell, ...]
    facing: int = -1
    height: int = 0

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise ValueError(f"shape is {self.shape!r}; use one of {', '.join(sorted(SHAPES))}")
        if self.facing not in FACING or not self.cells:
            raise ValueError(
                f"{self.name or self.shape} faces {self.facing!r} and has {len(self.cells)} cells; "
                "use -1 to 5 and at least one cell"
            )

    def __repr__(self) -> str:
        """Return a line: there are dozens in a scene."""
        cells = ";".join(",".join(map(str, cell)) for cell in self.cells)
        return f"<{self.shape} {self.name} {cells} {self.facing} {self.height}>"


@dataclass(frozen=True, slots=True)
class ChamberRay:
    """A ray that is on: its kind, and the cells that it passes through, in order."""

    kind: Literal["laser", "bridge", "beam", "watch"]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ChamberRock:
    """What all views of a chamber share.

    Attributes:
        floors: heights of the floors, a digit (base 36) a column, rows from south to north joined
            by "/", columns from west to east.
        ceilings: heights of the ceilings, likewise.
        items: the items in it.
        rays: the rays that are on.

    Raises:
        ValueError: a field is out of its range.
    """

    floors: str
    ceilings: str
    items: tuple[ChamberItem, ...]
    rays: tuple[ChamberRay, ...] = ()

    def __post_init__(self) -> None:
        rows, tops = self.floors.split("/"), self.ceilings.split("/")
        widths = {len(row) for row in rows + tops}
        if len(rows) != len(tops) or len(widths) != 1 or not 0 < max(widths) <= LARGEST:
            raise ValueError(
                f"floors and ceilings have {len(rows)} and {len(tops)} rows of {sorted(widths)} "
                f"columns; give equal ones of at most {LARGEST}"
            )
        if len(rows) > LARGEST or set(self.floors + self.ceilings) - set(HEIGHTS + "/"):
            raise ValueError(f"give at most {LARGEST} rows of base-36 digits")


@dataclass(frozen=True, slots=True)
class ChamberPlan(ChamberRock, Scene):
    """A chamber from above, north at the top, with labels and a table of what drives what.

    Attributes:
        table: lines below the plan.
        link: names of two panels that a dashed line joins, for a hint; () for none.
    """

    table: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChamberTable(Scene):
    """What drives what, and what colours mean, where no plan is shown.

    Attributes:
        table: its lines.
    """

    table: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChamberEye:
    """A viewpoint.

    Attributes:
        cell: its cell; the eye is EYE cells above the lower face, in the middle.
        yaw: the direction of view, in degrees from east to north.
        title: a line above the view.
        tilt: degrees upwards, or downwards if negative.
    """

    cell: Cell
    yaw: int
    title: str = ""
    tilt: int = -14


DELTAS = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
"""Steps of the six directions."""
BACK = (2, 3, 0, 1, 5, 4)
"""The opposite of each direction."""
SOURCES = ("beam", "bridge", "laser")
BOXES: dict[str, tuple[float, float, float, float]] = {
    "cube": (0.2, 0.8, 0, 0.6),
    "mirror": (0.2, 0.8, 0, 0.6),
    "switch": (0.4, 0.6, 0, 0.9),
    "dispenser": (0.25, 0.75, 0.5, 1),
    "turret": (0.3, 0.7, 0, 0.9),
}
"""Shapes that are drawn as a box in their cell: edges across (low, high), then bottom and top."""
_FLAT = ("button", "plate", "spot", "exit", "start", "spring", "runway")
RARE = frozenset({"cover", "piston", "runway", "spring", "turret"})
"""Shapes with colours of their own, which a picture without them does without."""


def face_of(item: ChamberItem) -> tuple[int, float]:
    """Return the face of its cell that an item is on, and how far from its edge; -1 for none."""
    if item.shape in ("panel", "receiver"):
        return item.facing, 0.08
    if item.shape in SOURCES:
        return BACK[item.facing], 0.2
    return (5, 0.14) if item.shape in _FLAT else (-1, 0.0)


def sight_of(item: ChamberItem) -> tuple[float, float, float]:
    """Return the point of an item that its label points to, in cells."""
    x, y, z = item.cells[-1 if item.shape in ("door", "shield") else 0]
    side, _ = face_of(item)
    if side in range(5):
        dx, dy, dz = DELTAS[side]
        return x + 0.5 + 0.48 * dx, y + 0.5 + 0.48 * dy, z + 0.5 + 0.48 * dz
    tops = {
        "cube": 0.6,
        "mirror": 0.6,
        "switch": 0.9,
        "dispenser": 0.75,
        "turret": 0.9,
        "cover": 0.5,
    }
    top = item.height if item.shape in ("lift", "piston") else tops.get(item.shape, 0.02)
    return x + 0.5, y + 0.5, z + (0.5 if item.shape in ("door", "shield") else top)


EYE = 1.5
"""Height of the eye above the ground, in cells."""


@dataclass(frozen=True, slots=True)
class ChamberSight(ChamberRock, Scene):
    """A room in perspective, seen from several viewpoints inside it.

    Attributes:
        box: its columns, walls excluded; items in other rooms have no labels.
        title: a line above the views.
        eyes: the viewpoints, at least one.
    """

    box: Box = (0, 0, 1, 1)
    title: str = ""
    eyes: tuple[ChamberEye, ...] = ()

    def __post_init__(self) -> None:
        ChamberRock.__post_init__(self)
        if not self.eyes:
            raise ValueError("eyes is empty; give at least one")


@dataclass(frozen=True, slots=True)
class ChamberRoom(ChamberRock, Scene):
    """A room at an angle, twice: as seen from the south-west, and from the north-east.

    Attributes:
        box: its columns, walls excluded.
        title: a line above it.
    """

    box: Box = (0, 0, 1, 1)
    title: str = ""

    def __post_init__(self) -> None:
        # A dataclass with slots has no zero-argument super.
        ChamberRock.__post_init__(self)
        west, south, east, north = self.box
        rows = self.floors.split("/")
        if not (0 <= west < east <= len(rows[0]) and 0 <= south < north <= len(rows)):
            raise ValueError(f"box is {self.box}; give columns inside the chamber")
