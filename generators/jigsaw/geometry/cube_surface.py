"""The hull of the 5 x 5 x 5 cube: six faces, the 44 cells that they share, and cuts into pieces.

Each of the twelve edges has three inner cells, shared by two faces; each of the eight corners is a
cell shared by three. Faces are seen from outside: the four sides with Top up, Top with Back up,
Bottom with Front up. The sides of a face in that view have the numbers of a piece's edges, 1 left,
2 top, 3 right, 4 bottom. A set of shared cells is a whole number of 44 bits.

`draw_pieces` cuts a random hull into six pieces: each inner cell of an edge goes to one of the two
faces that share it, each corner to one of the three (MARBLE, 2.2), all with equal chances. Where
pieces must be connected, a corner goes only to a face that owns a cell beside it; there always is
one, for the three cells around a corner belong to the same three faces. Pieces are then shuffled
and turned, and their cameras drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from facelet.generators.jigsaw.geometry.pieces import (
    BORDER,
    CODE_OF,
    CODES,
    COMPOSED,
    EDGES,
    INVERSE,
    ORIENTATIONS,
    RING,
    border_to_piece,
    canonical_piece,
    list_allowed_orientations,
    orient_piece,
)
from facelet.renderers.scenes.jigsaw import AZIMUTHS, ELEVATIONS, View

Vector = tuple[int, int, int]

FACES = ("Top", "Bottom", "Left", "Right", "Front", "Back")
SIDE_NAMES = {1: "left", 2: "top", 3: "right", 4: "bottom"}

# Of each face: its outward normal, and what is right and up in its view; x runs to the right, y up,
# z to the front.
_VIEWS: dict[str, tuple[Vector, Vector, Vector]] = {
    "Top": ((0, 1, 0), (1, 0, 0), (0, 0, -1)),
    "Bottom": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "Left": ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
    "Right": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "Front": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "Back": ((0, 0, -1), (-1, 0, 0), (0, 1, 0)),
}


class Placement(NamedTuple):
    """The face of a piece, and which of its edges are on the left and on the top."""

    face: str
    left: int
    top: int


class CubeEdge(NamedTuple):
    """An edge of the cube: two faces, and the side of each (1 to 4) at this edge."""

    face: str
    side: int
    other: str
    other_side: int


def _border_positions(face: str) -> list[Vector]:
    """Return where the 16 border cells of a face are; coordinates from -2 to 2."""
    normal, right, up = _VIEWS[face]

    def cell_position(row: int, column: int) -> Vector:
        x, y, z = (
            2 * n + (column - 2) * r + (2 - row) * u
            for n, r, u in zip(normal, right, up, strict=True)
        )
        return x, y, z

    return [cell_position(row, column) for row, column in RING]


_POSITIONS = {face: _border_positions(face) for face in FACES}
CELLS: tuple[Vector, ...] = tuple(sorted({cell for face in FACES for cell in _POSITIONS[face]}))
"""The shared cells; a cell's index here is its bit."""
_INDEX = {cell: index for index, cell in enumerate(CELLS)}
ALL = (1 << len(CELLS)) - 1

RINGS: dict[str, tuple[int, ...]] = {
    face: tuple(_INDEX[cell] for cell in _POSITIONS[face]) for face in FACES
}
"""For each face, the shared cell under each of its border cells."""

CORNERS: dict[int, tuple[str, ...]] = {
    index: tuple(face for face in FACES if index in RINGS[face])
    for index, cell in enumerate(CELLS)
    if 0 not in cell and set(map(abs, cell)) == {2}
}
"""The three faces that share each corner cell, by the cell's index."""


def _list_edges() -> dict[CubeEdge, int]:
    found: dict[CubeEdge, int] = {}
    for place, face in enumerate(FACES):
        for other in FACES[place + 1 :]:
            for side, other_side in product(EDGES, EDGES):
                cells = {RINGS[face][k] for k in EDGES[side]}
                if cells == {RINGS[other][k] for k in EDGES[other_side]}:
                    found[CubeEdge(face, side, other, other_side)] = sum(
                        1 << cell for cell in cells
                    )
    return found


JOINTS: dict[CubeEdge, int] = _list_edges()
"""The twelve edges of the cube and their three inner cells."""


def _ring_table(ring: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = (
        tuple(sum(1 << cell for k, cell in enumerate(half) if byte >> k & 1) for byte in range(256))
        for half in (ring[:8], ring[8:])
    )
    return low, high


_TABLES = {face: _ring_table(RINGS[face]) for face in FACES}


def list_filled_cells(face: str, piece: int) -> int:
    """Return the shared cells that an oriented piece (16 bits) fills on a face."""
    low, high = _TABLES[face]
    return low[piece & 255] | high[piece >> 8]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A rotation or reflection of the cube.

    Attributes:
        mirror: whether it is a reflection, which turns every piece over.
        faces: where each face goes.
        codes: what it does to a piece on each face, as an orientation.
    """

    mirror: bool
    faces: dict[str, str]
    codes: dict[str, int]

    def move_placement(self, placement: Placement) -> Placement:
        """Return the placement of a piece afterwards."""
        face, left, top = placement
        code = COMPOSED[CODES[left, top]][self.codes[face]]
        return Placement(self.faces[face], *ORIENTATIONS[code])


def _build_symmetry(axes: tuple[int, ...], signs: tuple[int, ...]) -> Symmetry:
    def cell_image(cell: Vector) -> Vector:
        x, y, z = (sign * cell[axis] for axis, sign in zip(axes, signs, strict=True))
        return x, y, z

    faces, codes = {}, {}
    for face in FACES:
        ring = [_INDEX[cell_image(cell)] for cell in _POSITIONS[face]]
        target = next(other for other in FACES if set(RINGS[other]) == set(ring))
        faces[face] = target
        codes[face] = CODE_OF[tuple(ring.index(RINGS[target][k]) for k in range(BORDER))]
    odd = sum(axes[i] > axes[j] for i in range(3) for j in range(i + 1, 3)) % 2 == 1
    negative = signs.count(-1) % 2 == 1
    return Symmetry(odd != negative, faces, codes)


_ALL_SYMMETRIES = tuple(
    _build_symmetry(axes, signs)
    for axes in permutations(range(3))
    for signs in product((1, -1), repeat=3)
)
SYMMETRIES: tuple[Symmetry, ...] = tuple(sorted(_ALL_SYMMETRIES, key=lambda found: found.mirror))
"""The 24 rotations, then the 24 reflections; the first is the identity."""


def answer_symmetries(flips: bool) -> tuple[Symmetry, ...]:
    """Return the symmetries that keep a right answer right: all 48 with flips, else 24."""
    return SYMMETRIES if flips else SYMMETRIES[:24]


_SHARERS = tuple(
    tuple(face for face in FACES if index in RINGS[face]) for index in range(len(CELLS))
)


def draw_pieces(rng: np.random.Generator, loose_corners: bool = False) -> tuple[int, ...]:
    """Return the pieces of a random hull, each as it lies on its face, in the order of FACES.

    Args:
        rng: the item's generator.
        loose_corners: whether a corner cell may touch its piece by a diagonal only.
    """
    owner: dict[int, str] = {
        index: sharers[int(rng.integers(len(sharers)))]
        for index, sharers in enumerate(_SHARERS)
        if index not in CORNERS
    }
    beside = _corner_neighbours()
    for index, sharers in CORNERS.items():
        firm = [
            face
            for face in sharers
            if loose_corners or any(owner[cell] == face for cell in beside[index, face])
        ]
        owner[index] = firm[int(rng.integers(len(firm)))]
    return tuple(
        border_to_piece(int(owner[cell] == face) for cell in RINGS[face]) for face in FACES
    )


def _corner_neighbours() -> dict[tuple[int, str], tuple[int, int]]:
    """Return, for a corner and a face, the two cells beside the corner on that face."""
    found = {}
    for face in FACES:
        ring = RINGS[face]
        for k in range(0, BORDER, 4):
            found[ring[k], face] = (ring[k - 1], ring[k + 1])
    return found


def shuffle_pieces(
    rng: np.random.Generator, lying: Sequence[int], flips: bool
) -> tuple[tuple[int, ...], tuple[Placement, ...]]:
    """Return the six pieces in random order and orientation, and where each belongs.

    Args:
        rng: the item's generator.
        lying: the pieces as they lie on FACES.
        flips: whether pieces are turned over too.
    """
    pieces, solution = [], []
    for place in rng.permutation(len(FACES)):
        code = int(rng.integers(len(list_allowed_orientations(flips))))
        pieces.append(orient_piece(lying[place], INVERSE[code]))
        solution.append(Placement(FACES[place], *ORIENTATIONS[code]))
    return tuple(pieces), tuple(solution)


def are_distinct(pieces: Sequence[int], flips: bool) -> bool:
    """Whether no two pieces are equal under the allowed moves."""
    return len({canonical_piece(piece, flips) for piece in pieces}) == len(pieces)


def draw_view(rng: np.random.Generator) -> View:
    """Return a random camera, drawn uniformly from the paper's ranges (MARBLE, 2.2).

    It is (elevation, azimuth) in whole degrees: -135 and -120, moved by up to 20 and 30.
    """
    (low, high), (left, right) = ELEVATIONS, AZIMUTHS
    return int(rng.integers(low, high + 1)), int(rng.integers(left, right + 1))
