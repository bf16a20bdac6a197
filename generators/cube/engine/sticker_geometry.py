"""The positions of the 54 stickers in space, and the facelet permutations of rigid motions.

Every table of the engine (moves, symmetries, corner and edge stickers) is computed from this. A
sticker is a cubie position in {-1, 0, 1}^3 and an outward normal; x points out of R, y out of U, z
out of F.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product

Vector = tuple[int, int, int]
Matrix = tuple[Vector, Vector, Vector]
"""A signed permutation matrix, by rows."""

NORMALS: dict[str, Vector] = {
    "U": (0, 1, 0),
    "R": (1, 0, 0),
    "F": (0, 0, 1),
    "D": (0, -1, 0),
    "L": (-1, 0, 0),
    "B": (0, 0, -1),
}

_RIGHT: dict[str, Vector] = {
    "U": (1, 0, 0),
    "R": (0, 0, -1),
    "F": (1, 0, 0),
    "D": (1, 0, 0),
    "L": (0, 0, 1),
    "B": (-1, 0, 0),
}
"""The direction in which a row of the face is read, seen from outside."""


@dataclass(frozen=True, slots=True)
class Sticker:
    """A sticker: the position of its cubie and the outward normal of its face."""

    position: Vector
    normal: Vector


def dot_product(a: Vector, b: Vector) -> int:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross_product(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def transform_vector(matrix: Matrix, vector: Vector) -> Vector:
    """Return matrix times vector."""
    return (
        dot_product(matrix[0], vector),
        dot_product(matrix[1], vector),
        dot_product(matrix[2], vector),
    )


def determinant(matrix: Matrix) -> int:
    """Return 1 for a rotation and -1 for a reflection."""
    return dot_product(matrix[0], cross_product(matrix[1], matrix[2]))


def clockwise_turn(axis: Vector) -> Matrix:
    """Return the quarter turn about `axis` that is clockwise as seen from outside, looking back."""

    def turn_vector(vector: Vector) -> Vector:
        along = dot_product(axis, vector)
        side = cross_product(vector, axis)
        return (
            along * axis[0] + side[0],
            along * axis[1] + side[1],
            along * axis[2] + side[2],
        )

    columns = (turn_vector((1, 0, 0)), turn_vector((0, 1, 0)), turn_vector((0, 0, 1)))
    return (
        (columns[0][0], columns[1][0], columns[2][0]),
        (columns[0][1], columns[1][1], columns[2][1]),
        (columns[0][2], columns[1][2], columns[2][2]),
    )


def _list_stickers() -> tuple[Sticker, ...]:
    stickers = []
    for name, normal in NORMALS.items():
        right = _RIGHT[name]
        down = cross_product(right, normal)
        for row, column in product((-1, 0, 1), repeat=2):
            x, y, z = (
                n + row * d + column * r for n, d, r in zip(normal, down, right, strict=True)
            )
            stickers.append(Sticker((x, y, z), normal))
    return tuple(stickers)


STICKERS = _list_stickers()
"""The stickers of the 54 facelet indices."""

INDEX = {sticker: index for index, sticker in enumerate(STICKERS)}


def _list_signed_permutations() -> tuple[Matrix, ...]:
    matrices = []
    for axes in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            rows = [[0, 0, 0] for _ in range(3)]
            for row, (axis, sign) in enumerate(zip(axes, signs, strict=True)):
                rows[row][axis] = sign
            a, b, c = ((row[0], row[1], row[2]) for row in rows)
            matrices.append((a, b, c))
    return tuple(sorted(matrices, key=lambda matrix: -determinant(matrix)))


SYMMETRIES = _list_signed_permutations()
"""The 48 rigid motions of the cube: the identity, 23 more rotations, then 24 reflections."""


def facelet_permutation(
    matrix: Matrix, moved: Callable[[Vector], bool] | None = None
) -> tuple[int, ...]:
    """Return the facelet permutation of a rigid motion: new[i] = old[result[i]].

    Args:
        matrix: the motion.
        moved: which cubie positions it carries along (a layer); None for the whole cube.
    """
    source = list(range(54))
    for index, sticker in enumerate(STICKERS):
        if moved is None or moved(sticker.position):
            target = Sticker(
                transform_vector(matrix, sticker.position), transform_vector(matrix, sticker.normal)
            )
            source[INDEX[target]] = index
    return tuple(source)
