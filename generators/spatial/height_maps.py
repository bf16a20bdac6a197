"""Piles of unit cubes in stacks: their three views, and all piles that have the same views.

A pile is a tuple of rows of heights, the back row first. The views are silhouettes: from above
which places have a stack, from the front the highest stack of each column, from the right that of
each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from facelet.renderers.scenes.diagrams import FAINT, PALE, DiagramSheet, Mark

Heights = tuple[tuple[int, ...], ...]
ROWS = "abcde"
"""Names of rows, the back one first."""
_NUMBERS = "12345"
_SQUARE, _LEFT, _TOP = 6, 7, 8


@dataclass(frozen=True, slots=True)
class Views:
    """The silhouettes of a pile.

    Attributes:
        above: rows of True where a stack is.
        front: the highest stack of each column, from left to right.
        right: the highest stack of each row, the back one first.
    """

    above: tuple[tuple[bool, ...], ...]
    front: tuple[int, ...]
    right: tuple[int, ...]

    def list_stacks(self) -> Iterator[tuple[int, int]]:
        """Yield row and column of each stack."""
        size = range(len(self.above))
        yield from (place for place in product(size, size) if self.above[place[0]][place[1]])


def see_pile(heights: Heights) -> Views:
    """Return the views of a pile."""
    columns = tuple(map(max, zip(*heights, strict=True)))
    above = tuple(tuple(height > 0 for height in row) for row in heights)
    return Views(above, columns, tuple(map(max, heights)))


def fill_views(views: Views) -> Heights:
    """Return the greatest pile with some views: each stack as high as both of its views allow."""
    return tuple(
        tuple(
            min(across, along) * filled
            for across, filled in zip(views.front, views.above[row], strict=True)
        )
        for row, along in enumerate(views.right)
    )


def thin_views(views: Views) -> Heights:
    """Return a least pile with some views.

    A view's column of height h needs a stack of exactly h. One stack serves a column of the front
    view and one of the right view if both have its height, so the fewest extra cubes follow from a
    largest matching of columns and rows of each height.
    """
    greatest = fill_views(views)
    found = [[min(1, height) for height in row] for row in greatest]
    for height in {*views.front, *views.right} - {0, 1}:
        rows = [row for row, high in enumerate(views.right) if high == height]
        pairs = _match_rows(rows, greatest, views.front, height)
        for column, row in pairs.items():
            found[row][column] = height
        for row in set(rows) - set(pairs.values()):
            found[row][greatest[row].index(height)] = height
        for column, high in enumerate(views.front):
            if high == height and column not in pairs:
                row = next(row for row, line in enumerate(greatest) if line[column] == height)
                found[row][column] = height
    return tuple(map(tuple, found))


def bound_least(views: Views) -> int:
    """Return the least number of cubes if columns and rows of one height always shared stacks."""
    extra = (
        (high - 1) * max(views.front.count(high), views.right.count(high))
        for high in {*views.front, *views.right}
    )
    return len(list(views.list_stacks())) + sum(extra)


def _match_rows(
    rows: Sequence[int], greatest: Heights, front: Sequence[int], height: int
) -> dict[int, int]:
    """Return a largest matching, from columns of a height to rows of that height."""
    pairs: dict[int, int] = {}

    def place_row(row: int, tried: set[int]) -> bool:
        for column, high in enumerate(front):
            if high == greatest[row][column] == height and column not in tried:
                tried.add(column)
                if column not in pairs or place_row(pairs[column], tried):
                    pairs[column] = row
                    return True
        return False

    for row in rows:
        place_row(row, set())
    return pairs


def count_cubes(heights: Heights) -> int:
    """Return the number of cubes."""
    return sum(map(sum, heights))


def format_pile(heights: Heights) -> str:
    """Return a pile as digits, such as "120/003"."""
    return "/".join("".join(map(str, row)) for row in heights)


def parse_pile(text: str) -> Heights:
    """Return the pile that `format_pile` wrote."""
    return tuple(tuple(map(int, row)) for row in text.split("/"))


def format_views(views: Views) -> str:
    """Return the views in words, a line each."""
    names = ROWS[: len(views.right)]
    above = (
        f"{name}: {' '.join('X' if filled else '.' for filled in row)}"
        for name, row in zip(names, views.above, strict=True)
    )
    front = (f"column {number}: {high}" for number, high in enumerate(views.front, 1))
    right = (f"row {name}: {high}" for name, high in zip(names, views.right, strict=True))
    return "\n".join(
        (
            *("From above (X is a stack, . is empty ground):", *above),
            f"From the front, heights: {', '.join(front)}",
            f"From the right, heights: {', '.join(right)}",
        )
    )


def draw_views(views: Views, *, plan: bool = True) -> DiagramSheet:
    """Return the scene of the views, each with the names of its columns.

    Args:
        views: the views.
        plan: whether the one from above is shown.
    """
    size = len(views.right)
    panels = {
        "Above": _draw_squares(set(views.list_stacks()), size, _NUMBERS, ROWS),
        "Front": _draw_squares(_stand_columns(views.front), size, _NUMBERS),
        "Right": _draw_squares(_stand_columns(views.right[::-1]), size, ROWS[size - 1 :: -1]),
    }
    return _build_sheet(panels if plan else {name: panels[name] for name in ("Front", "Right")})


def draw_plans(piles: Mapping[str, Heights]) -> DiagramSheet:
    """Return the scene of piles from above, with the height of each stack."""
    panels = {}
    for name, pile in piles.items():
        size = len(pile)
        heights = (
            Mark("text", (_find_middle(column, _LEFT), _find_middle(row, _TOP)), text=str(height))
            for row, line in enumerate(pile)
            for column, height in enumerate(line)
        )
        panels[name] = (*_draw_squares(set(), size, _NUMBERS, ROWS), *heights)
    return _build_sheet(panels)


def _build_sheet(panels: Mapping[str, tuple[Mark, ...]]) -> DiagramSheet:
    """Return the scene of grids, as wide as they need to be."""
    side = max(max(mark.points[::2]) for mark in next(iter(panels.values()))) + 3
    columns = 3 if len(panels) == 3 else 2
    size = (side, side + 6)
    return DiagramSheet((*panels.values(),), (*panels,), size, 260 // side, columns)


def _find_middle(number: int, edge: int) -> int:
    return edge + number * _SQUARE + _SQUARE // 2


def _stand_columns(heights: Sequence[int]) -> set[tuple[int, int]]:
    """Return row and column of the squares of a view, as many rows as columns."""
    size = len(heights)
    return {
        (size - 1 - level, column) for column, high in enumerate(heights) for level in range(high)
    }


def _draw_squares(
    filled: set[tuple[int, int]], size: int, below: str, beside: str = ""
) -> tuple[Mark, ...]:
    """Return a grid with filled squares, names of its columns below it and of its rows beside."""
    marks = []
    for place in product(range(size), range(size)):
        top, left = (_SQUARE * k + edge for k, edge in zip(place, (_TOP, _LEFT), strict=True))
        end, low = left + _SQUARE, top + _SQUARE
        square = (left, top, end, top, end, low, left, low)
        marks.append(Mark("line", (*square, left, top), FAINT))
        if place in filled:
            marks += [Mark("fill", square, PALE), Mark("line", (*square, left, top))]
    bottom = _TOP + size * _SQUARE + 3
    for number in range(size):
        marks.append(Mark("text", (_find_middle(number, _LEFT), bottom), text=below[number]))
        if beside:
            place = (_LEFT - 3, _find_middle(number, _TOP))
            marks.append(Mark("text", place, text=beside[number]))
    return tuple(sorted(marks, key=lambda mark: mark.level != FAINT))


RULES = (
    "Equal cubes are piled in stacks on a square ground of {size} by {size} places. Every cube "
    "lies on the ground or on another cube. Rows are named from the back, a, to the front, {last}; "
    "columns are numbered from left to right. The views are silhouettes: from above, places with a "
    "stack; from the front, the highest stack of each column; from the right, the highest stack of "
    "each row, the front row on the left."
)


def describe_rules(size: int) -> str:
    """Return the rules of piles on a ground of some size."""
    return RULES.format(size=size, last=ROWS[size - 1])
