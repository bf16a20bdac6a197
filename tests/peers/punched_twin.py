"""Folded paper from the words of the prompts alone: points in the plane, mirrored at creases."""

from __future__ import annotations

import re

SIZE = 6


def find_point(number: int) -> complex:
    """Return the middle of a square: numbered row by row, 1 to 6 in the top row."""
    row, column = divmod(number - 1, SIZE)
    return complex(column + 0.5, row + 0.5)


def find_number(point: complex) -> int:
    return SIZE * int(point.imag) + int(point.real) + 1


def read_steps(text: str) -> tuple[list[tuple[int, int]], int]:
    """Return the folds and the punch of a prompt in words."""
    folds = re.findall(r"^Fold \d: (\d+)-(\d+)$", text, re.MULTILINE)
    punch = re.search(r"^Punch: (\d+)$", text, re.MULTILINE)
    assert punch
    return [(int(one), int(other)) for one, other in folds], int(punch[1])


def is_crease(one: int, other: int) -> bool:
    """Whether the line midway is a grid line or a diagonal of squares."""
    apart = find_point(one) - find_point(other)
    right, down = abs(apart.real), abs(apart.imag)
    straight = min(right, down) == 0 and max(right, down) % 2 == 1
    return straight or right == down > 0


def list_holes(folds: list[tuple[int, int]], punch: int) -> set[int] | None:
    """Return the squares with a hole; None where a fold or the punch is not possible."""
    here = {number: find_point(number) for number in range(1, SIZE**2 + 1)}
    creased: set[int] = set()
    for one, other in folds:
        if not is_crease(one, other):
            return None
        start, end = find_point(one), find_point(other)
        out = (start - end) / abs(start - end)
        middle = (start + end) / 2
        far = {n: round(((z - middle) * out.conjugate()).real, 6) for n, z in here.items()}
        stay = {here[n] for n in here if far[n] <= 0}
        creased |= {n for n in here if far[n] == 0}
        moved = {n: here[n] - 2 * far[n] * out for n in here if far[n] > 0}
        moved = {n: complex(round(z.real, 3), round(z.imag, 3)) for n, z in moved.items()}
        if not moved or min(far.values()) >= 0 or not stay.issuperset(moved.values()):
            return None
        here |= moved
    layers = {n for n, z in here.items() if z == find_point(punch)}
    return None if not layers or layers & creased else layers
