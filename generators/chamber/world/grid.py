"""Cells, directions, and the eight symmetries of a floor plan.

A cell is (x, y, z): x runs east, y north, z up, each from 0. Directions are numbers: the four of
the compass counterclockwise from east, then up and down. A symmetry is a number from 0 to 7: from
4 on the plan is first mirrored (east becomes west), then turned by symmetry % 4 quarter turns
counterclockwise. Heights never change.
"""

from __future__ import annotations

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
