"""Breadth-first search over a graph that is given by its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def compute_distances(start: N, neighbours: Callable[[N], Iterable[N]]) -> dict[N, int]:
    """Return the least number of steps from a node to each that it leads to, itself included."""
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

    Among paths of one length the first in the order of the neighbours.

    Args:
        start: where it begins.
        goal: where it ends.
        neighbours: the nodes that one step leads to.
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
