"""Carve rooms into solid rock and record where fixtures are placed.

A room is built in a frame of its own: u runs ahead, in the direction in which the player crosses
the room, from 0 at the wall of the entrance; v runs to the left of it. A strip of a room spans its
whole width at one height.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from facelet.generators.chamber.world.chamber_records import (
    NOWHERE,
    Chamber,
    Fixture,
    Room,
    sort_fixtures,
)
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.chamber.world.grid import DOWN, Cell, opposite_direction, step_cell
from facelet.generators.core.task import Reject

T = TypeVar("T")
Sort = Literal["floor", "pool", "wall"]
Face = tuple[Cell, int]

HIGH = 8
"""Cells from bottom to top."""
POOL, LOW, LEDGE = 0, 1, 4
"""Heights of floors: of liquid, of most rooms, and of what is too high to climb."""


@dataclass(frozen=True, slots=True)
class FloorStrip:
    """A strip of a room: columns from u = `first` to `last`, both inclusive, at one height.

    Attributes:
        first: its first u.
        last: its last u.
        level: the height of its floor.
        sort: a floor, a pool of liquid, or a wall with a doorway in it.
    """

    first: int
    last: int
    level: int
    sort: Sort = "floor"


class RockGrid:
    """Rock with rooms and fixtures in it; see the module.

    Attributes:
        rng: the randomness of the chamber.
        size: its size.
        rooms: the boxes of its rooms.
        doorways: the columns of walls that are open, at the height of their floor.
        fixtures: the fixtures so far; their names are provisional.
        taken: cells that are in use.
        faces: faces that are in use.
    """

    def __init__(self, wide: int, deep: int, rng: np.random.Generator) -> None:
        """Begin with solid rock.

        Args:
            wide: columns from west to east.
            deep: columns from south to north.
            rng: the randomness of the chamber.
        """
        self.rng = rng
        self.size = (wide, deep, HIGH)
        self._floors = [HIGH] * (wide * deep)
        self._ceilings = [HIGH] * (wide * deep)
        self.rooms: list[Room] = []
        self.doorways: set[Cell] = set()
        self.fixtures: list[Fixture] = []
        self.taken: set[Cell] = set()
        self.faces: set[Face] = set()

    # --- rock -------------------------------------------------------------------------------------

    def carve_column(self, cell: Cell, ceiling: int = HIGH) -> None:
        """Open a column from a cell up to a ceiling."""
        column = cell[0] + self.size[0] * cell[1]
        self._floors[column] = cell[2]
        self._ceilings[column] = ceiling

    def floor_cell(self, cell: Cell) -> int:
        """Return the floor of a cell's column."""
        return self._floors[cell[0] + self.size[0] * cell[1]]

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is no rock."""
        x, y, z = cell
        if not (0 <= x < self.size[0] and 0 <= y < self.size[1]):
            return False
        column = x + self.size[0] * y
        return self._floors[column] <= z < self._ceilings[column]

    def cells_to_rock(self, cell: Cell, direction: int) -> list[Cell]:
        """Return the cells of a straight line from a cell up to the rock."""
        cells = [cell]
        while self.is_free(step_cell(cells[-1], direction)):
            cells.append(step_cell(cells[-1], direction))
        return cells

    def is_line_clear(self, cell: Cell, back: int, least: int = 3) -> bool:
        """Return whether a line from a face leads over some cells and through no doorway."""
        run = self.cells_to_rock(cell, opposite_direction(back))
        doors = {door[:2] for door in self.doorways}
        return len(run) >= least and all(place[:2] not in doors for place in run)

    # --- fixtures ---------------------------------------------------------------------------------

    def add_fixture(
        self,
        kind: str,
        cells: Sequence[Cell],
        facing: int = NOWHERE,
        inputs: Sequence[str] = (),
        numbers: Sequence[int] = (),
    ) -> str:
        """Put a fixture and return its name.

        Args:
            kind: its kind.
            cells: its cells.
            facing: its direction.
            inputs: names of what drives it.
            numbers: the figures of its kind.
        """
        name = f"{find_device(kind).letter}{1 + sum(f.kind == kind for f in self.fixtures)}"
        self.fixtures.append(
            Fixture(kind, name, tuple(cells), facing, tuple(sorted(inputs)), tuple(numbers))
        )
        return name

    def on_floor(self, kind: str, cell: Cell, **more: object) -> str:
        """Put a fixture onto a free floor cell and mark the cell as used."""
        self.taken.add(cell)
        return self.add_fixture(kind, (cell,), **more)  # type: ignore[arg-type]

    def on_face(self, kind: str, face: Face, **more: object) -> str:
        """Put a fixture onto a face of the rock and mark the face as used."""
        self.faces.add(face)
        if face[1] == DOWN:
            self.taken.add(face[0])
        return self.add_fixture(kind, (face[0],), face[1], **more)  # type: ignore[arg-type]

    def build_chamber(self, extra: Iterable[Fixture] = ()) -> Chamber:
        """Return what has been built so far."""
        return Chamber(
            self.size,
            tuple(self._floors),
            tuple(self._ceilings),
            tuple(self.rooms),
            sort_fixtures((*self.fixtures, *extra)),
        )

    # --- choosing ---------------------------------------------------------------------------------

    def draw_chance(self, percent: int) -> bool:
        """Return whether something that happens so often happens."""
        return int(self.rng.integers(100)) < percent

    def draw_number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return int(self.rng.integers(low, high + 1))

    def draw_one(self, things: Sequence[T]) -> T:
        """Return one of some things.

        Raises:
            Reject: there are none.
        """
        if not things:
            raise Reject("there is no room for a device")
        return things[int(self.rng.integers(len(things)))]

    def shuffle_items(self, things: Sequence[T]) -> list[T]:
        """Return things in random order."""
        return [things[int(place)] for place in self.rng.permutation(len(things))]
