"""Accept that two texts are the same puzzle: equal, or equal after turning or mirroring a grid."""

from __future__ import annotations


def is_same_grid(first: str, second: str) -> bool:
    """Whether two grids of characters agree under one of the eight symmetries of a square."""
    goal = second.split("\n")
    here = first.split("\n")
    for _ in range(4):
        here = ["".join(row[k] for row in reversed(here)) for k in range(min(map(len, here)))]
        if goal in (here, [row[::-1] for row in here]):
            return True
    return False
