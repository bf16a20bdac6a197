"""The hull against the paper's viewing rules, written down a second time in jigsaw_block."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from jigsaw_block import SEEN

from facelet.generators.jigsaw.geometry import hull
from facelet.generators.jigsaw.geometry.pieces import CODES, ORIENTATIONS, oriented, rows


def cells(face: str, piece: int) -> set[tuple[int, int, int]]:
    """The cells of the block that an oriented piece fills."""
    return {
        SEEN[face][row][column]
        for row, line in enumerate(rows(piece))
        for column, letter in enumerate(line)
        if letter == "1"
    }


def shared(filled: int) -> set[tuple[int, ...]]:
    return {tuple(c + 2 for c in cell) for k, cell in enumerate(hull.CELLS) if filled >> k & 1}


def test_there_are_36_edge_cells_and_8_corners() -> None:
    assert len(hull.CELLS) == 44 and len(hull.CORNERS) == 8 and len(hull.JOINTS) == 12
    assert hull.ALL == sum(hull.JOINTS.values()) + sum(1 << corner for corner in hull.CORNERS)


@pytest.mark.parametrize("face", hull.FACES)
def test_pieces_fill_the_cells_of_their_view(face: str) -> None:
    rng = np.random.default_rng(0)
    border = {cell for cell in cells(face, 0xFFFF) if sum(c in (0, 4) for c in cell) > 1}
    for piece in (0, 0xFFFF, *rng.integers(0, 2**16, 200).tolist()):
        assert shared(hull.filled(face, piece)) == cells(face, piece) & border


def test_joints_name_the_sides_that_touch() -> None:
    for joint, mask in hull.JOINTS.items():
        for face, side in ((joint.face, joint.side), (joint.other, joint.other_side)):
            line = {
                1: [row[0] for row in SEEN[face]],
                2: SEEN[face][0],
                3: [row[4] for row in SEEN[face]],
                4: SEEN[face][4],
            }[side]
            assert set(line[1:4]) == shared(mask)
    assert hull.Joint("Top", 4, "Front", 2) in hull.JOINTS
    assert hull.Joint("Bottom", 2, "Front", 4) in hull.JOINTS
    assert hull.Joint("Top", 2, "Back", 2) in hull.JOINTS


def test_symmetries_are_the_48_of_the_cube() -> None:
    images = {tuple(s.faces[face] for face in hull.FACES) for s in hull.SYMMETRIES}
    assert len(images) == 48
    assert [s.mirror for s in hull.SYMMETRIES] == [False] * 24 + [True] * 24
    assert set(hull.SYMMETRIES[0].codes.values()) == {0}
    assert hull.symmetries(flips=False) == hull.SYMMETRIES[:24]
    assert hull.symmetries(flips=True) == hull.SYMMETRIES
    for symmetry in hull.SYMMETRIES:
        assert all((code >= 4) == symmetry.mirror for code in symmetry.codes.values())
        right_handed = np.linalg.det(
            np.column_stack([_normal(symmetry.faces[face]) for face in ("Right", "Top", "Front")])
        )
        assert round(right_handed) == (-1 if symmetry.mirror else 1)


def _normal(face: str) -> np.ndarray:
    return np.mean([cell for row in SEEN[face] for cell in row], axis=0) / 2 - 1


def test_symmetries_move_cells_rigidly() -> None:
    """Distances between any two cells of two pieces are the same before and after."""
    rng = np.random.default_rng(1)
    for symmetry in hull.SYMMETRIES:
        codes = rng.integers(0, 8, 6)
        piece = [int(p) for p in rng.integers(0, 2**16, 6)]
        before = [
            hull.Placement(face, *ORIENTATIONS[code])
            for face, code in zip(hull.FACES, codes, strict=True)
        ]
        after = [symmetry.move(place) for place in before]
        for one, other in combinations(range(6), 2):
            near, far = (
                [_placed(piece[k], places[k]) for k in (one, other)] for places in (before, after)
            )
            assert _distances(*near) == _distances(*far)


def _placed(piece: int, place: hull.Placement) -> np.ndarray:
    form = oriented(piece, CODES[place.left, place.top])
    return np.array(sorted(cells(place.face, form)))


def _distances(one: np.ndarray, other: np.ndarray) -> list[int]:
    return sorted(((one[:, None] - other[None]) ** 2).sum(-1).ravel().tolist())
