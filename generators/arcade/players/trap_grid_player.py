"""Short ways over grids of hidden traps that most often win without a reply.

The lists come from playing the two sides against each other: of grids that reasoning can cross, the
way that is free on most grids was recorded, the grids on which it is free got four fifths of their
weight, and so on, forty times. If a grid is kept with this weight, 0.8 for every listed way that is
free on it, no single way is free much more often than the others.

A way begins in the corner (1, 1). A step is a digit: three times the row's change plus one, plus
the column's change plus one; 8 goes down and right, 5 right, 7 down.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

KEPT = 0.8
"""The share of grids to keep for each listed way that is free on them."""

_WAYS = {
    6: (
        "88888 88888 88888 88888 88888 88888 588788 588788 588878 588887 588887 588887 588887 "
        "788588 788588 788858 788858 788885 788885 788885 788885 885887 888587 888785 5588868 "
        "5588877 5858877 5858877 7788828 7788855 7878855 7878855 56587885 56788288 56788558 "
        "57288778 565288688 567878555 572588777 572858777"
    ),
    7: (
        "888888 888888 888888 888888 888888 888888 888888 5888788 5888788 5888788 5888878 "
        "5888887 5888887 5888887 5888887 5888887 7888588 7888588 7888588 7888858 7888885 "
        "7888885 7888885 7888885 7888885 8885887 8887885 55888778 55888787 55888868 55888877 "
        "77888558 77888585 77888855 77888855 558588777 568788558 5652888787 5656888288 "
        "5678788555"
    ),
    8: (
        "8888888 8888888 8888888 8888888 58887888 58888788 58888788 58888887 58888887 "
        "58888887 78888588 78888588 78888588 78888885 78888885 88588887 88788885 88858887 "
        "88878885 88887885 558888877 558888877 558888877 585888778 585888778 778888855 "
        "778888855 778888855 787888558 787888558 5585888678 5655887888 5657885888 5855888777 "
        "7787888258 7787888258 7877888555 56555888688 56577888288 57285888768"
    ),
}
"""The ways by rows of the grid; a way that was found twice appears twice."""


@cache
def short_ways(size: int) -> tuple[frozenset[int], ...]:
    """Return the cells of each way as places from 0, row by row; none for sizes without a list.

    Args:
        size: rows and columns.
    """
    return tuple(frozenset(_list_places(size, way)) for way in _WAYS.get(size, "").split())


def _list_places(size: int, way: str) -> Iterator[int]:
    row = column = 0
    for step in map(int, way):
        row, column = row + step // 3 - 1, column + step % 3 - 1
        yield row * size + column
