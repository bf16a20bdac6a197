"""Cut a random hull into six pieces, shuffle and turn them, and draw their cameras.

Each inner cell of an edge goes to one of the two faces that share it, each corner to one of the
three (MARBLE, 2.2), all with equal chances. Where pieces must be connected, a corner goes only to a
face that owns a cell beside it; there always is one, for the three cells around a corner belong to
the same three faces.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from facelet.generators.jigsaw.geometry.cube_surface import CELLS, CORNERS, FACES, RINGS, Placement
from facelet.generators.jigsaw.geometry.pieces import (
    BORDER,
    INVERSE,
    ORIENTATIONS,
    border_to_piece,
    canonical_piece,
    list_allowed_orientations,
    orient_piece,
)
from facelet.renderers.scenes.jigsaw import AZIMUTHS, ELEVATIONS, View

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
