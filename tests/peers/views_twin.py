"""Piles from the words of the prompts alone: all piles of a ground, seen from three sides."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import product

Pile = tuple[tuple[int, ...], ...]
Seen = tuple[str, tuple[int, ...], tuple[int, ...]]


def look(pile: Pile) -> Seen:
    """Return what is seen from above, from the front and from the right."""
    above = "/".join("".join("X" if high else "." for high in row) for row in pile)
    return above, tuple(max(column) for column in zip(*pile, strict=True)), tuple(map(max, pile))


def read_views(text: str) -> Seen:
    """Return the views that a prompt in words shows."""
    above = "/".join(row.replace(" ", "") for row in re.findall(r"^[a-e]: ([X. ]+)$", text, re.M))
    front, right = (
        tuple(int(high) for high in re.findall(rf"{noun} \w: (\d)", text))
        for noun in ("column", "row")
    )
    return above, front, right


@cache
def count_all(size: int, highest: int) -> dict[Seen, set[int]]:
    """Return the numbers of cubes of all piles with the same views, by the views."""
    found: defaultdict[Seen, set[int]] = defaultdict(set)
    for heights in product(range(highest + 1), repeat=size * size):
        pile = tuple(heights[start : start + size] for start in range(0, size * size, size))
        found[look(pile)].add(sum(heights))
    return found


def count_some(views: Seen) -> tuple[int, int]:
    """Return the least and the greatest number of cubes, by trying row after row."""
    above, front, right = views
    done: dict[tuple[int, ...], set[int]] = {(0,) * len(front): {0}}
    for row, highest in zip(above.split("/"), right, strict=True):
        choices = [
            range(1, min(highest, top) + 1) if sign == "X" else (0,)
            for sign, top in zip(row, front, strict=True)
        ]
        rows = [heights for heights in product(*choices) if max(heights) == highest]
        after: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        for tops, counts in done.items():
            for heights in rows:
                key = tuple(map(max, tops, heights))
                added = sum(heights)
                after[key] |= {min(counts) + added, max(counts) + added}
        done = {key: {min(counts), max(counts)} for key, counts in after.items()}
    return min(done[front]), max(done[front])
