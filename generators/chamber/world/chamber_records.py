"""Records of chambers, fixtures and steps, and their text forms.

A cell is (x, y, z): x runs east, y north, z up, each from 0. Directions are numbers: the four of
the compass counterclockwise from east, then up and down. A symmetry of the floor plan is a number
from 0 to 7: from 4 on the plan is first mirrored (east becomes west), then turned by symmetry % 4
quarter turns counterclockwise. Heights never change.

Every column (x, y) of the plan has one open space: its cells from the floor (inclusive) up to the
ceiling (exclusive) are free, all others are rock. A wall is a column without free cells, a doorway
a column with a low ceiling. The outermost columns are rock.

A fixture is anything with a place: devices, panels for portals, things that can be carried, the
floors that steps name, the start, the exit. The module of a kind in `devices` defines its rules.
This module treats all kinds alike, so moving, turning and renaming need no knowledge of kinds.

Rows contain the text form: one line for the size, one for each room, one each for floors and
ceilings (base 36, columns from west to east, rows from south to north, joined by "/"), and one for
each fixture, sorted by name:

    kind name cells facing inputs numbers
    door D1 9,4,1;9,4,2 - B1&S2 -

A step of a player is a verb and its arguments, which are names and words:

    shoot F2 blue P4     from floor F2 (or a button that the player stands on) a portal onto a panel
    both F2 P4 P7        the blue portal onto the first panel and the orange one onto the second
    take C1              pick a thing up
    put B2, put Q1 east  put the thing in hand onto, or let it fall into, something; a mirror cube
                         faces the direction
    press S1             press a switch
    stand B2             step onto a button or a lift
    enter P4             go, or jump, into a portal, a beam or onto a launch plate
    drop F3              jump down onto a floor
    wait                 let a step pass
    leave                walk out through the exit
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

Cell = tuple[int, int, int]
Size = tuple[int, int, int]

EAST, NORTH, WEST, SOUTH, UP, DOWN = range(6)
COMPASS = ("east", "north", "west", "south")
DIRECTIONS = (*COMPASS, "up", "down")
LEVEL = (EAST, NORTH, WEST, SOUTH)
"""The directions that a thing can walk or be flung in."""
DELTAS: tuple[Cell, ...] = (
    (1, 0, 0),
    (0, 1, 0),
    (-1, 0, 0),
    (0, -1, 0),
    (0, 0, 1),
    (0, 0, -1),
)
AHEAD, LEFT, BACK, RIGHT = range(4)
"""Directions relative to another one: quarter turns counterclockwise from it."""
SYMMETRIES = tuple(range(8))


def opposite_direction(direction: int) -> int:
    """Return the direction that points back."""
    return (direction + 2) % 4 if direction < UP else UP + DOWN - direction


def step_cell(cell: Cell, direction: int, length: int = 1) -> Cell:
    """Return the cell that is `length` cells away in a direction."""
    dx, dy, dz = DELTAS[direction]
    x, y, z = cell
    return x + length * dx, y + length * dy, z + length * dz


def transform_direction(direction: int, symmetry: int) -> int:
    """Return what a direction becomes under a symmetry."""
    if direction >= UP:
        return direction
    if symmetry >= 4 and direction in (EAST, WEST):
        direction = opposite_direction(direction)
    return (direction + symmetry) % 4


def transform_size(size: Size, symmetry: int) -> Size:
    """Return the size of a plan under a symmetry."""
    wide, deep, high = size
    return (deep, wide, high) if symmetry % 2 else size


def rotate_cell(cell: Cell, size: Size, symmetry: int) -> Cell:
    """Return the image of a cell of a plan under a symmetry.

    Args:
        cell: the cell.
        size: the size of the plan before.
        symmetry: the symmetry.
    """
    x, y, z = cell
    wide, deep, _ = size
    if symmetry >= 4:
        x = wide - 1 - x
    for _ in range(symmetry % 4):
        x, y = deep - 1 - y, x
        wide, deep = deep, wide
    return x, y, z


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
NOWHERE = -1
"""The facing of a fixture that faces nowhere."""
LARGEST: Size = (40, 40, 12)
MOST_FIXTURES = 160
_NONE = "-"


@dataclass(frozen=True, slots=True)
class Fixture:
    """Anything with a place.

    Attributes:
        kind: which module of `devices` knows it.
        name: how steps and pictures call it; unique.
        cells: the cells that it has; for most kinds one.
        facing: a direction, or NOWHERE.
        inputs: names of the fixtures that drive it; it is on while all of them are.
        numbers: figures of its kind, such as the steps that a switch stays on.
    """

    kind: str
    name: str
    cells: tuple[Cell, ...]
    facing: int = NOWHERE
    inputs: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def first_cell(self) -> Cell:
        """Its first cell."""
        return self.cells[0]


Room = tuple[int, int, int, int]
"""A room's box of columns: west, south, east, north; the last two exclusive."""


@dataclass(frozen=True, slots=True)
class Chamber:
    """A chamber.

    Attributes:
        size: cells from west to east, from south to north, and from bottom to top.
        floors: for every column, row by row from the south, its lowest free cell.
        ceilings: for every column the cell above its highest free one.
        rooms: the boxes that pictures show one by one, in no particular order.
        fixtures: what is in it, sorted by name.
    """

    size: Size
    floors: tuple[int, ...]
    ceilings: tuple[int, ...]
    rooms: tuple[Room, ...]
    fixtures: tuple[Fixture, ...]

    def is_open(self, column: tuple[int, int]) -> bool:
        """Return whether a column has free cells."""
        at = column[0] + self.size[0] * column[1]
        return self.floors[at] < self.ceilings[at]

    def fixtures_of(self, *kinds: str) -> tuple[Fixture, ...]:
        """Return the fixtures of some kinds, in order."""
        return tuple(fixture for fixture in self.fixtures if fixture.kind in kinds)


def sort_fixtures(fixtures: Iterable[Fixture]) -> tuple[Fixture, ...]:
    """Return fixtures in the order of their names."""
    return tuple(sorted(fixtures, key=lambda fixture: fixture.name))


# --- symmetry -------------------------------------------------------------------------------------


def transform_chamber(chamber: Chamber, symmetry: int) -> Chamber:
    """Return a chamber turned, and mirrored, by a symmetry of the grid."""
    wide, deep, _ = chamber.size

    def transform_cell(cell: Cell) -> Cell:
        return rotate_cell(cell, chamber.size, symmetry)

    size = transform_size(chamber.size, symmetry)
    floors, ceilings = [0] * (wide * deep), [0] * (wide * deep)
    for y in range(deep):
        for x in range(wide):
            to_x, to_y, _ = transform_cell((x, y, 0))
            floors[to_x + size[0] * to_y] = chamber.floors[x + wide * y]
            ceilings[to_x + size[0] * to_y] = chamber.ceilings[x + wide * y]
    rooms = []
    for west, south, east, north in chamber.rooms:
        (x, y, _), (u, v, _) = (
            transform_cell((west, south, 0)),
            transform_cell((east - 1, north - 1, 0)),
        )
        rooms.append((min(x, u), min(y, v), max(x, u) + 1, max(y, v) + 1))
    fixtures = tuple(
        replace(
            fixture,
            cells=tuple(map(transform_cell, fixture.cells)),
            facing=fixture.facing
            if fixture.facing < 0
            else transform_direction(fixture.facing, symmetry),
        )
        for fixture in chamber.fixtures
    )
    return Chamber(size, tuple(floors), tuple(ceilings), tuple(rooms), fixtures)


def rename_fixtures(chamber: Chamber, names: Mapping[str, str]) -> Chamber:
    """Return a chamber whose fixtures have new names; those that are not listed keep theirs."""
    fixtures = (
        replace(
            fixture,
            name=names.get(fixture.name, fixture.name),
            inputs=tuple(sorted(names.get(name, name) for name in fixture.inputs)),
        )
        for fixture in chamber.fixtures
    )
    return replace(chamber, fixtures=sort_fixtures(fixtures))


@lru_cache(maxsize=64)  # a map has many rows, one after another, and each is checked
def canonical_text(chamber: Chamber) -> str:
    """Return a text that is equal for equivalent chambers only.

    Equivalent chambers differ only by a symmetry of the grid and by the names of fixtures.
    """
    return min(_nameless_text(transform_chamber(chamber, symmetry)) for symmetry in SYMMETRIES)


def _nameless_text(chamber: Chamber) -> str:
    """Return the text of a chamber with names that follow from places."""
    place = {
        fixture.name: (fixture.kind, fixture.cells, fixture.facing, fixture.numbers)
        for fixture in chamber.fixtures
    }
    # A thing without a place, such as a cube in its dispenser, has the place of its inputs. Two
    # cubes of one dispenser are ordered by their names, which nothing else depends on.
    places = sorted(
        (*place[fixture.name], [place[name] for name in fixture.inputs], fixture.name)
        for fixture in chamber.fixtures
    )
    names = {found[-1]: f"{found[0]}{number}" for number, found in enumerate(places)}
    rooms = tuple(sorted(chamber.rooms))
    return format_chamber(replace(rename_fixtures(chamber, names), rooms=rooms))


# --- text -----------------------------------------------------------------------------------------


def format_chamber(chamber: Chamber) -> str:
    """Return the text form; `parse_chamber` is the inverse."""
    wide, deep, _ = chamber.size

    def format_rows(heights: tuple[int, ...]) -> str:
        lines = (heights[wide * y : wide * (y + 1)] for y in range(deep))
        return "/".join("".join(DIGITS[height] for height in line) for line in lines)

    lines = [f"size {_format_numbers(chamber.size)}"]
    lines += [f"room {_format_numbers(room)}" for room in chamber.rooms]
    lines += [f"floors {format_rows(chamber.floors)}", f"ceilings {format_rows(chamber.ceilings)}"]
    lines += map(_fixture_line, chamber.fixtures)
    return "\n".join(lines)


def _format_numbers(values: Iterable[int]) -> str:
    return ",".join(map(str, values)) or _NONE


def _fixture_line(fixture: Fixture) -> str:
    return " ".join(
        (
            fixture.kind,
            fixture.name,
            ";".join(map(_format_numbers, fixture.cells)) or _NONE,
            _NONE if fixture.facing < 0 else DIRECTIONS[fixture.facing],
            "&".join(fixture.inputs) or _NONE,
            _format_numbers(fixture.numbers),
        )
    )


@lru_cache(maxsize=64)  # the rows of a map share it
def parse_chamber(text: str) -> Chamber:
    """Return the chamber of a text form.

    Raises:
        ValueError: it is no chamber's; the message quotes the line.
    """
    size: Size = (0, 0, 0)
    rooms: list[Room] = []
    heights: dict[str, tuple[int, ...]] = {}
    fixtures: list[Fixture] = []
    for line in text.split("\n"):
        kind, _, rest = line.partition(" ")
        try:
            if kind == "size":
                size = _parse_cell(rest)
            elif kind == "room":
                west, south, east, north = _parse_integers(rest)
                rooms.append((west, south, east, north))
            elif kind in ("floors", "ceilings"):
                heights[kind] = _parse_heights(rest, size)
            else:
                fixtures.append(_parse_fixture(line))
        except ValueError as error:
            raise ValueError(f"{line[:80]!r} is no line of a chamber: {error}") from None
    if set(heights) != {"floors", "ceilings"}:
        raise ValueError("a chamber has a line of floors and one of ceilings; give both")
    if len(fixtures) > MOST_FIXTURES:
        raise ValueError(f"{len(fixtures)} fixtures are too many; use at most {MOST_FIXTURES}")
    chamber = Chamber(
        size, heights["floors"], heights["ceilings"], tuple(rooms), sort_fixtures(fixtures)
    )
    _check_chamber(chamber)
    return chamber


def _parse_integers(text: str) -> tuple[int, ...]:
    if text == _NONE:
        return ()
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise ValueError("use whole numbers below 1000, joined by commas")
    return tuple(map(int, parts))


def _parse_cell(text: str) -> Cell:
    values = _parse_integers(text)
    if len(values) != 3:
        raise ValueError("use three numbers")
    return values[0], values[1], values[2]


def _parse_heights(text: str, size: Size) -> tuple[int, ...]:
    wide, deep, high = size
    rows = text.split("/")
    if len(rows) != deep or any(len(row) != wide for row in rows):
        raise ValueError(f"use {deep} rows of {wide} columns")
    values = tuple(DIGITS.find(sign) for row in rows for sign in row)
    if any(not 0 <= value <= high for value in values):
        raise ValueError(f"use heights of 0 to {high}")
    return values


def _parse_fixture(line: str) -> Fixture:
    parts = line.split(" ")
    if len(parts) != 6:
        raise ValueError("use kind, name, cells, facing, inputs and numbers")
    kind, name, cells, facing, inputs, numbers = parts
    if not (name.isascii() and name.isalnum() and len(name) <= 12):
        raise ValueError("use a name of up to 12 letters and digits")
    if facing not in (_NONE, *DIRECTIONS):
        raise ValueError(f"use one of {', '.join(DIRECTIONS)} for the facing")
    return Fixture(
        kind,
        name,
        () if cells == _NONE else tuple(map(_parse_cell, cells.split(";"))),
        NOWHERE if facing == _NONE else DIRECTIONS.index(facing),
        () if inputs == _NONE else tuple(inputs.split("&")),
        _parse_integers(numbers),
    )


def _check_chamber(chamber: Chamber) -> None:
    """Raise ValueError unless places and names fit together."""
    wide, deep, high = chamber.size
    for value, most in zip(chamber.size, LARGEST, strict=True):
        if not 3 <= value <= most:
            raise ValueError(f"the size {chamber.size} is out of range; use 3 to {LARGEST}")
    for column, (floor, ceiling) in enumerate(zip(chamber.floors, chamber.ceilings, strict=True)):
        x, y = column % wide, column // wide
        rim = x in (0, wide - 1) or y in (0, deep - 1)
        if floor > ceiling or (rim and floor < ceiling):
            raise ValueError(f"the column {x},{y} is open from {floor} to {ceiling}; close it")
    names = [fixture.name for fixture in chamber.fixtures]
    if len(set(names)) != len(names):
        raise ValueError("two fixtures have one name; give each its own")
    for fixture in chamber.fixtures:
        if unknown := set(fixture.inputs) - set(names):
            raise ValueError(f"{fixture.name} is driven by {sorted(unknown)[0]!r}; name a fixture")
        for x, y, z in fixture.cells:
            if not (0 <= x < wide and 0 <= y < deep and 0 <= z < high):
                raise ValueError(f"{fixture.name} is at {x},{y},{z}; use a cell inside")


BLUE, ORANGE = COLOURS = ("blue", "orange")
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "shoot": ("origin", "colour", "panel"),
    "both": ("origin", "panel", "panel"),
    "take": ("thing",),
    "put": ("target", "direction"),
    "press": ("target",),
    "stand": ("target",),
    "enter": ("target",),
    "drop": ("floor",),
    "wait": ("origin",),
    "leave": (),
}
"""What the arguments of each verb are; the direction is left out where nothing faces one."""


# A named tuple, not a dataclass: the planner makes and hashes millions.
class Step(NamedTuple):
    """A step.

    Attributes:
        verb: one of ARGUMENTS.
        args: its arguments.
    """

    verb: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return verb and arguments, separated by blanks."""
        return " ".join((self.verb, *self.args))


LEAVE = Step("leave")


def parse_step(text: str) -> Step:
    """Return the step of its verb and arguments; the inverse of str.

    Raises:
        ValueError: there is no such verb, or it takes other arguments.
    """
    verb, *args = text.split(" ")
    if verb not in ARGUMENTS:
        raise ValueError(f"{text!r} begins with no verb; use one of {', '.join(ARGUMENTS)}")
    wanted = len(ARGUMENTS[verb])
    if len(args) not in ((wanted - 1, wanted) if verb == "put" else (wanted,)):
        raise ValueError(f"{text!r} has {len(args)} arguments; use {wanted} for {verb}")
    return Step(verb, tuple(args))
