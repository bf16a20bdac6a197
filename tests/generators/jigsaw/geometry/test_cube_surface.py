"""The hull against the paper's viewing rules, written down a second time in jigsaw_block."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from jigsaw_block import SEEN

from facelet.generators.jigsaw.geometry import cube_surface
from facelet.generators.jigsaw.geometry.pieces import CODES, ORIENTATIONS, orient_piece, piece_rows


def block_cells(face: str, piece: int) -> set[tuple[int, int, int]]:
    """The cells of the block that an oriented piece fills."""
    return {
        SEEN[face][row][column]
        for row, line in enumerate(piece_rows(piece))
        for column, letter in enumerate(line)
        if letter == "1"
    }


def shared_cells(filled: int) -> set[tuple[int, ...]]:
    return {
        tuple(c + 2 for c in cell) for k, cell in enumerate(cube_surface.CELLS) if filled >> k & 1
    }


def test_there_are_36_edge_cells_and_8_corners() -> None:
    assert (
        len(cube_surface.CELLS) == 44
        and len(cube_surface.CORNERS) == 8
        and len(cube_surface.JOINTS) == 12
    )
    assert cube_surface.ALL == sum(cube_surface.JOINTS.values()) + sum(
        1 << corner for corner in cube_surface.CORNERS
    )


@pytest.mark.parametrize("face", cube_surface.FACES)
def test_pieces_fill_the_cells_of_their_view(face: str) -> None:
    rng = np.random.default_rng(0)
    border = {cell for cell in block_cells(face, 0xFFFF) if sum(c in (0, 4) for c in cell) > 1}
    for piece in (0, 0xFFFF, *rng.integers(0, 2**16, 200).tolist()):
        assert (
            shared_cells(cube_surface.list_filled_cells(face, piece))
            == block_cells(face, piece) & border
        )


def test_joints_name_the_sides_that_touch() -> None:
    for joint, mask in cube_surface.JOINTS.items():
        for face, side in ((joint.face, joint.side), (joint.other, joint.other_side)):
            line = {
                1: [row[0] for row in SEEN[face]],
                2: SEEN[face][0],
                3: [row[4] for row in SEEN[face]],
                4: SEEN[face][4],
            }[side]
            assert set(line[1:4]) == shared_cells(mask)
    assert cube_surface.CubeEdge("Top", 4, "Front", 2) in cube_surface.JOINTS
    assert cube_surface.CubeEdge("Bottom", 2, "Front", 4) in cube_surface.JOINTS
    assert cube_surface.CubeEdge("Top", 2, "Back", 2) in cube_surface.JOINTS


def test_symmetries_are_the_48_of_the_cube() -> None:
    images = {tuple(s.faces[face] for face in cube_surface.FACES) for s in cube_surface.SYMMETRIES}
    assert len(images) == 48
    assert [s.mirror for s in cube_surface.SYMMETRIES] == [False] * 24 + [True] * 24
    assert set(cube_surface.SYMMETRIES[0].codes.values()) == {0}
    assert cube_surface.answer_symmetries(flips=False) == cube_surface.SYMMETRIES[:24]
    assert cube_surface.answer_symmetries(flips=True) == cube_surface.SYMMETRIES
    for symmetry in cube_surface.SYMMETRIES:
        assert all((code >= 4) == symmetry.mirror for code in symmetry.codes.values())
        right_handed = np.linalg.det(
            np.column_stack(
                [_face_normal(symmetry.faces[face]) for face in ("Right", "Top", "Front")]
            )
        )
        assert round(right_handed) == (-1 if symmetry.mirror else 1)


def _face_normal(face: str) -> np.ndarray:
    return np.mean([cell for row in SEEN[face] for cell in row], axis=0) / 2 - 1


def test_symmetries_move_cells_rigidly() -> None:
    """Distances between any two cells of two pieces are the same before and after."""
    rng = np.random.default_rng(1)
    for symmetry in cube_surface.SYMMETRIES:
        codes = rng.integers(0, 8, 6)
        piece = [int(p) for p in rng.integers(0, 2**16, 6)]
        before = [
            cube_surface.Placement(face, *ORIENTATIONS[code])
            for face, code in zip(cube_surface.FACES, codes, strict=True)
        ]
        after = [symmetry.move_placement(place) for place in before]
        for one, other in combinations(range(6), 2):
            near, far = (
                [_place_points(piece[k], places[k]) for k in (one, other)]
                for places in (before, after)
            )
            assert _point_distances(*near) == _point_distances(*far)


def _place_points(piece: int, place: cube_surface.Placement) -> np.ndarray:
    form = orient_piece(piece, CODES[place.left, place.top])
    return np.array(sorted(block_cells(place.face, form)))


def _point_distances(one: np.ndarray, other: np.ndarray) -> list[int]:
    return sorted(((one[:, None] - other[None]) ** 2).sum(-1).ravel().tolist())
