"""Panels and words that show folded and punched paper.

A square of the sheet is SQUARE steps wide. Each square is drawn as up to four quarters, so that
folds along diagonals are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from facelet.generators.spatial import paper
from facelet.generators.spatial.paper import SIZE, START, Fold, Place
from facelet.renderers.scenes.diagrams import (
    FAINT,
    INK,
    PALE,
    WASH,
    DiagramSheet,
    Mark,
)

SQUARE = 6
LEFT, TOP = 3, 8
PANEL = (SQUARE * SIZE + 2 * LEFT, SQUARE * SIZE + TOP + LEFT)
EDGE = SQUARE * SIZE
_HALF = SQUARE // 2
_SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))

Marks = tuple[Mark, ...]


def draw_folds(folds: Sequence[Fold]) -> tuple[Marks, ...]:
    """Return a panel for each fold: the paper after it, the part that moved, and an arrow."""
    quarters = [
        (_HALF * x + 2 * right, _HALF * y + 2 * down) for x, y in START for right, down in _SIDES
    ]
    panels = []
    for fold in folds:
        across, down, far = paper.find_crease(fold)
        crease = (across, down, _HALF * far)
        moved = [place for place in quarters if paper.measure_side(place, crease) > 0]
        flap = [paper.reflect_place(place, crease) for place in moved]
        quarters = [place for place in quarters if paper.measure_side(place, crease) <= 0]
        arrow = [_find_middle(moved), _find_middle(flap)]
        panels.append(
            (
                *(_fill_quarter(place, WASH) for place in sorted({*quarters})),
                *(_fill_quarter(place, PALE) for place in sorted({*flap})),
                *_draw_grid(),
                *_draw_outline({*quarters, *flap}),
                *_draw_outline({*flap}),
                Mark("arrow", _place_points(arrow)),
            )
        )
        quarters = [*quarters, *flap]
    return tuple(panels)


def draw_punch(last: Marks, punch: int) -> Marks:
    """Return the panel of the last fold, without its arrow, with the punch."""
    return (*(mark for mark in last if mark.kind != "arrow"), *draw_holes((punch,))[-1:])


def draw_holes(holes: Iterable[int], *, numbered: bool = False) -> Marks:
    """Return the panel of the open sheet with holes.

    Args:
        holes: numbers of the squares with a hole.
        numbered: whether the squares show their numbers.
    """
    square = ((0, 0), (EDGE, 0), (EDGE, EDGE), (0, EDGE))
    middles = [(_HALF * x, _HALF * y) for x, y in START]
    numbers = [Mark("text", _place_points([at]), text=str(n)) for n, at in enumerate(middles, 1)]
    return (
        Mark("fill", _place_points(square), WASH),
        *_draw_grid(),
        Mark("line", _place_points((*square, square[0]))),
        *(numbers if numbered else ()),
        *(Mark("disc", (*_place_points([middles[hole - 1]]), 2)) for hole in holes),
    )


def build_sheet(panels: Sequence[Marks], labels: Sequence[str], columns: int = 3) -> DiagramSheet:
    """Return the scene of some panels."""
    return DiagramSheet((*panels,), (*labels,), PANEL, 8 if columns == 2 else 5, columns)


def list_steps(folds: Sequence[str], punch: int) -> list[str]:
    """Return a line for each fold, and one for the punch."""
    lines = [f"Fold {number}: {fold}" for number, fold in enumerate(folds, 1)]
    return [*lines, f"Punch: {punch}"]


def list_fold_faults(folds: Sequence[Fold]) -> list[str]:
    """Return which pictures of folds, in order, fit another fold as well."""
    found = []
    for number, fold in enumerate(folds):
        shown = draw_folds(folds[: number + 1])[-1]
        others = paper.list_folds(paper.fold_in_order(folds[:number]))
        alike = [
            other
            for other in others
            if paper.find_crease(other) != paper.find_crease(fold)
            and draw_folds([*folds[:number], other])[-1] == shown
        ]
        found += [f"the picture of fold {number + 1} shows {other} as well" for other in alike]
    return found


def _place_points(points: Iterable[Place]) -> tuple[int, ...]:
    return tuple(number for x, y in points for number in (LEFT + x, TOP + y))


def _find_middle(places: Sequence[Place]) -> Place:
    x, y = (round(sum(axis) / len(places)) for axis in zip(*places, strict=True))
    return x, y


@lru_cache(maxsize=1)
def _draw_grid() -> list[Mark]:
    """Return the grid lines of the open sheet, and its dashed edge."""
    lines = []
    for far in range(SQUARE, EDGE, SQUARE):
        lines += [((far, 0), (far, EDGE)), ((0, far), (EDGE, far))]
    edge = ((0, 0), (EDGE, 0), (EDGE, EDGE), (0, EDGE), (0, 0))
    return [
        *(Mark("line", _place_points(line), FAINT) for line in lines),
        Mark("dash", _place_points(edge), FAINT),
    ]


@lru_cache(maxsize=1 << 10)
def _shape_quarter(place: Place) -> tuple[Place, Place, Place]:
    """Return the corners of the quarter of a square whose centroid is at a place."""
    x, y = (number // SQUARE * SQUARE + _HALF for number in place)
    right, down = (place[0] - x) // 2 * _HALF, (place[1] - y) // 2 * _HALF
    return (x, y), (x + right + down, y + down + right), (x + right - down, y + down - right)


@lru_cache(maxsize=1 << 10)
def _fill_quarter(place: Place, level: int) -> Mark:
    return Mark("fill", _place_points(_shape_quarter(place)), level)


@lru_cache(maxsize=1 << 10)
def _list_edges(place: Place) -> tuple[tuple[Place, Place], ...]:
    """Return the edges of a quarter, each with its lesser end first."""
    one, two, three = sorted(_shape_quarter(place))
    return (one, two), (one, three), (two, three)


def _draw_outline(places: Iterable[Place]) -> list[Mark]:
    """Return the edges between the quarters and what is none of them."""
    edges = Counter(edge for place in places for edge in _list_edges(place))
    return [Mark("line", _place_points(e), INK) for e, times in sorted(edges.items()) if times == 1]


RULES = (
    f"A square sheet of paper has {SIZE} by {SIZE} squares, numbered row by row: 1 to {SIZE} from "
    f"left to right in the top row, {SIZE + 1} to {2 * SIZE} in the next one, and so on. It lies "
    "on a table and is folded; it is never turned over, turned round or moved. A fold goes along a "
    "grid line or a diagonal of squares: all paper on one side of the crease, all its layers "
    "together, is lifted towards you and comes down on the other side. "
)
FOLDS = (
    "A fold is written as two squares of the table, a-b: the paper at a comes down on b, so the "
    "crease lies midway between them. "
)
LEGAL = (
    "A fold is possible if it parts the paper and every square that moves, whole or cut by a "
    "crease, comes down on a square of the paper. "
)
PICTURES = (
    "Each picture of a fold shows the paper right after it: darker is the part that has just come "
    "down, the arrow leads from where it was to where it is, and the faint squares are those of "
    "the open sheet. "
)
PUNCH = (
    "Then one hole is punched through all layers of the middle of one square, where no crease is, "
    "and the sheet is unfolded."
)
