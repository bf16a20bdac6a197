"""A square sheet of paper that is folded along its grid lines and diagonals, and punched.

Squares are numbered row by row from 1. A place is twice the distance of a square's middle from the
left and the top edge. A crease is (a, b, k): the places with a * right + b * down = k. A fold is
written as two squares: the paper at the first comes down on the second, and with it all paper on
that side of the crease, through all layers. The sheet is never turned over or moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

SIZE = 6
"""Squares along an edge."""

MOST_SEARCHED = 3
"""Most folds of patterns whose fewest folds are known."""

Place = tuple[int, int]
Crease = tuple[int, int, int]
Fold = tuple[int, int]
"""Numbers of two squares."""
START: tuple[Place, ...] = tuple(
    (2 * column + 1, 2 * row + 1) for row in range(SIZE) for column in range(SIZE)
)


@dataclass(frozen=True, slots=True)
class FoldedSheet:
    """Where the squares of a sheet are now.

    Attributes:
        places: the place of each square, in the order of their numbers.
        creased: numbers of the squares through whose middle a crease runs.
    """

    places: tuple[Place, ...] = START
    creased: frozenset[int] = frozenset()


def find_place(number: int) -> Place:
    """Return the place of a square of the open sheet.

    Raises:
        ValueError: there is no such square.
    """
    if not 1 <= number <= len(START):
        raise ValueError(f"there is no square {number}; they are numbered 1 to {len(START)}")
    return START[number - 1]


def find_crease(fold: Fold) -> Crease:
    """Return the crease of a fold, with the moved side where a * right + b * down is greater.

    Raises:
        ValueError: no grid line or diagonal lies midway between the squares.
    """
    (left, top), (right, bottom) = map(find_place, fold)
    across, down = left - right, top - bottom
    sides = ((across > 0) - (across < 0), (down > 0) - (down < 0))
    crease = (*sides, (sides[0] * (left + right) + sides[1] * (top + bottom)) // 2)
    straight = 0 in sides and (left + right + top + bottom) // 2 % 2 == 1
    if fold[0] == fold[1] or not (straight or abs(across) == abs(down)):
        raise ValueError(f"no crease brings square {fold[0]} onto square {fold[1]}")
    return crease


def measure_side(place: Place, crease: Crease) -> int:
    """Return how far a place is on the moved side of a crease; 0 on it, negative beyond."""
    return crease[0] * place[0] + crease[1] * place[1] - crease[2]


def reflect_place(place: Place, crease: Crease) -> Place:
    """Return where a place comes to by a fold along a crease."""
    across, down, _ = crease
    far = 2 * measure_side(place, crease) // (across * across + down * down)
    return place[0] - far * across, place[1] - far * down


def fold_sheet(sheet: FoldedSheet, crease: Crease) -> FoldedSheet:
    """Return the sheet after a fold.

    Raises:
        ValueError: nothing moves, nothing stays, or a square would come down beside the paper.
    """
    sides = [measure_side(place, crease) for place in sheet.places]
    if max(sides) <= 0 or min(sides) >= 0:
        raise ValueError("the crease does not part the paper")
    stay = {place for place, side in zip(sheet.places, sides, strict=True) if side <= 0}
    places = tuple(
        reflect_place(place, crease) if side > 0 else place
        for place, side in zip(sheet.places, sides, strict=True)
    )
    if not stay.issuperset(places):
        raise ValueError("a part would come down beside the paper")
    creased = {number for number, side in enumerate(sides, 1) if side == 0}
    return FoldedSheet(places, sheet.creased | creased)


def fold_in_order(folds: Iterable[Fold]) -> FoldedSheet:
    """Return the sheet after some folds.

    Raises:
        ValueError: a fold is not possible; the message has its number.
    """
    sheet = FoldedSheet()
    for number, fold in enumerate(folds, 1):
        try:
            sheet = fold_sheet(sheet, find_crease(fold))
        except ValueError as error:
            raise ValueError(f"fold {number}: {error}") from None
    return sheet


def punch_sheet(sheet: FoldedSheet, number: int) -> tuple[int, ...]:
    """Return the squares with a hole after a punch through all layers at a square.

    Raises:
        ValueError: there is no paper, or a crease runs through it.
    """
    place = find_place(number)
    layers = [layer for layer, here in enumerate(sheet.places, 1) if here == place]
    if not layers:
        raise ValueError(f"there is no paper at square {number}")
    if sheet.creased.intersection(layers):
        raise ValueError(f"a crease runs through the paper at square {number}")
    return tuple(layers)


@lru_cache(maxsize=1)
def list_creases() -> tuple[tuple[Crease, Fold], ...]:
    """Return all creases of the open sheet, by side, and the first pair of squares of each."""
    found: dict[Crease, Fold] = {}
    for fold in permutations(range(1, len(START) + 1), 2):
        with suppress(ValueError):
            found.setdefault(find_crease(fold), fold)
    return tuple(found.items())


@lru_cache(maxsize=1 << 10)
def list_folds(sheet: FoldedSheet) -> dict[Fold, FoldedSheet]:
    """Return the sheet after each possible fold."""
    found: dict[Fold, FoldedSheet] = {}
    for crease, fold in list_creases():
        with suppress(ValueError):
            found[fold] = fold_sheet(sheet, crease)
    return found


@lru_cache(maxsize=1)
def list_pairs() -> tuple[tuple[tuple[Fold, Fold], tuple[FoldedSheet, ...]], ...]:
    """Return all pairs of folds of the open sheet, with the sheet before and after each."""
    start = FoldedSheet()
    return tuple(
        ((one, two), (start, once, twice))
        for one, once in list_folds(start).items()
        for two, twice in list_folds(once).items()
    )


@lru_cache(maxsize=1)
def list_fewest_folds() -> dict[tuple[int, ...], tuple[tuple[Fold, ...], int]]:
    """Return for each pattern of up to MOST_SEARCHED folds the fewest folds, and the punch."""
    found: dict[tuple[int, ...], tuple[tuple[Fold, ...], int]] = {}
    level: dict[FoldedSheet, tuple[Fold, ...]] = {FoldedSheet(): ()}
    for _ in range(MOST_SEARCHED + 1):
        after: dict[FoldedSheet, tuple[Fold, ...]] = {}
        for sheet, folds in level.items():
            for pattern, punch in list_patterns(sheet).items():
                found.setdefault(pattern, (folds, punch))
            if len(folds) < MOST_SEARCHED:
                for fold, folded in list_folds(sheet).items():
                    after.setdefault(folded, (*folds, fold))
        level = after
    return found


def list_patterns(sheet: FoldedSheet) -> dict[tuple[int, ...], int]:
    """Return the holes of each punch that is allowed, with the square that is punched."""
    layers: dict[Place, list[int]] = {}
    for number, place in enumerate(sheet.places, 1):
        layers.setdefault(place, []).append(number)
    return {
        tuple(numbers): START.index(place) + 1
        for place, numbers in layers.items()
        if not sheet.creased.intersection(numbers)
    }


def parse_folds(texts: Sequence[str]) -> list[Fold]:
    """Return folds that are written like 7-8."""
    return [(int(one), int(other)) for one, other in (text.split("-") for text in texts)]


def format_folds(folds: Iterable[Fold]) -> tuple[str, ...]:
    """Return folds as `parse_folds` reads them."""
    return tuple(f"{one}-{other}" for one, other in folds)
