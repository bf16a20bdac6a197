"""Turned solids from the words of the prompts alone: places, quarter turns, equal pictures."""

from __future__ import annotations

import re
from itertools import product

from facelet.renderers.api import render_scene
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.voxels import VoxelSheet

Cells = frozenset[tuple[int, ...]]


def read_cells(text: str) -> dict[str, list[tuple[int, ...]]]:
    """Return the cubes of each named solid of a prompt in words."""
    lines = re.findall(r"^(Before|After|Solid|[A-D]): ((?:\d,\d,\d ?)+)$", text, re.MULTILINE)
    return {
        name: [tuple(map(int, cell.split(","))) for cell in cells.split()] for name, cells in lines
    }


def quarter(cells: list[tuple[int, ...]], axis: str) -> list[tuple[int, ...]]:
    """Turn counterclockwise, seen with the arrow of the axis pointing at you, right-handed."""
    if axis == "Z":  # X goes to Y, Y to -X
        return [(-y, x, z) for x, y, z in cells]
    if axis == "X":  # Y goes to Z, Z to -Y
        return [(x, -z, y) for x, y, z in cells]
    return [(z, y, -x) for x, y, z in cells]  # Z goes to X, X to -Z


def home(cells: list[tuple[int, ...]]) -> Cells:
    low = [min(axis) for axis in zip(*cells, strict=True)]
    return frozenset(tuple(k - least for k, least in zip(cell, low, strict=True)) for cell in cells)


def turn(cells: list[tuple[int, ...]], counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    for axis, count in zip("XYZ", counts, strict=True):
        for _ in range(count):
            cells = quarter(cells, axis)
    return cells


def list_right_counts(
    before: list[tuple[int, ...]], after: list[tuple[int, ...]]
) -> set[tuple[int, ...]]:
    goal = home(after)
    return {counts for counts in product(range(4), repeat=3) if home(turn(before, counts)) == goal}


def draw_alone(cells: Cells) -> str:
    """Return the hash of the picture of a solid."""
    text = " ".join("".join(map(str, cell)) for cell in sorted(home(list(cells))))
    return pixel_hash(render_scene(VoxelSheet((text,), ("",), columns=1)))


def find_lookalike(cells: Cells) -> Cells | None:
    """Return another solid with the same picture, one of whose cubes is elsewhere."""
    own = draw_alone(cells)
    for cell in cells:
        rest = cells - {cell}
        for other in {near for place in rest for near in neighbours(place)} - cells:
            moved = rest | {other}
            if is_joined(moved) and draw_alone(moved) == own:
                return moved
    return None


def list_unseen(cells: Cells) -> list[tuple[int, ...]]:
    """Return the cubes without which the picture is the same."""
    own = draw_alone(cells)
    return [cell for cell in cells if draw_alone(cells - {cell}) == own]


def neighbours(cell: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [
        tuple(k + step * (axis == at) for at, k in enumerate(cell))
        for axis in range(3)
        for step in (-1, 1)
    ]


def is_joined(cells: Cells) -> bool:
    reached = [next(iter(cells))]
    for cell in reached:
        reached += [near for near in neighbours(cell) if near in cells and near not in reached]
    return len(reached) == len(cells)
