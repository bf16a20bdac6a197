"""What obvious rules share: grids, hops, and shortest paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Cell = tuple[int, int]

SIDES = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
AROUND = [(a, b) for a in (1, 0, -1) for b in (1, 0, -1) if a or b]


def find_path(
    start: Any, neighbors: Callable[[Any], Iterable[Any]], is_goal: Callable[[Any], bool]
) -> list[Any]:
    """Return the nodes of a shortest path, its start first; [start] if no goal can be reached.

    Args:
        start: the first node.
        neighbors: lists the neighbors of a node.
        is_goal: whether a path may end at a node.
    """
    paths: dict[Any, list[Any]] = {start: [start]}
    for node in (queue := [start]):
        if is_goal(node):
            return paths[node]
        for after in neighbors(node):
            if after not in paths:
                paths[after] = [*paths[node], after]
                queue.append(after)
    return [start]


def measure_distances(goal: Any, neighbors: Callable[[Any], Iterable[Any]]) -> dict[Any, int]:
    """Return the steps from each node to a goal, in a graph whose edges go both ways."""
    far = {goal: 0}
    for node in (queue := [goal]):
        for after in neighbors(node):
            if after not in far:
                far[after] = far[node] + 1
                queue.append(after)
    return far


def add_step(cell: Cell, step: Cell) -> Cell:
    """Return the cell one step further."""
    return cell[0] + step[0], cell[1] + step[1]


def read_cell(text: str) -> Cell:
    """Return the last two numbers of a text as a cell."""
    first, second = text.split()[-2:]
    return int(first), int(second)


def list_cells(rows: int, columns: int) -> list[Cell]:
    """Return all cells of a grid, numbered from 1, row by row."""
    return [(x, y) for x in range(1, rows + 1) for y in range(1, columns + 1)]
