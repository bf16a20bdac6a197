"""Breadth-first search over a graph given by a function that returns neighbours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def compute_distances(start: N, neighbours: Callable[[N], Iterable[N]]) -> dict[N, int]:
    """Return the fewest steps from a node to each reachable node, itself included."""
    found = {start: 0}
    layer = [start]
    while layer:
        following: list[N] = []
        for node in layer:
            for other in neighbours(node):
                if other not in found:
                    found[other] = found[node] + 1
                    following.append(other)
        layer = following
    return found


def find_path(start: N, goal: N, neighbours: Callable[[N], Iterable[N]]) -> list[N] | None:
    """Return a shortest path, both ends included, or None if there is none.

    Among paths of equal length it is the first in the order of the neighbours.

    Args:
        start: the first node.
        goal: the last node.
        neighbours: returns the nodes one step away.
    """
    before: dict[N, N] = {start: start}
    layer = [start]
    while layer and goal not in before:
        following: list[N] = []
        for node in layer:
            for other in neighbours(node):
                if other not in before:
                    before[other] = node
                    following.append(other)
        layer = following
    if goal not in before:
        return None
    found = [goal]
    while found[-1] != start:
        found.append(before[found[-1]])
    return found[::-1]
