"""Check whether six placements close the cube, and list their conflicts.

An edge of the cube is in conflict when its three inner cells are not each filled by exactly one of
the two pieces; a corner, when it is not filled by exactly one of three. So the cells at the ends of
an edge count for the corners only. Every edge of a face with no piece, or with more than one, is in
conflict (MARBLE, 2.2 and F.5.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from facelet.generators.jigsaw.geometry.cube_surface import (
    CORNERS,
    FACES,
    JOINTS,
    SIDE_NAMES,
    CubeEdge,
    Placement,
    list_filled_cells,
)
from facelet.generators.jigsaw.geometry.pieces import CODES, OPPOSITE, UNFLIPPED, orient_piece

LETTERS = "ABCDEF"
"""Names of the six pieces, in order."""


@dataclass(frozen=True, slots=True)
class CornerConflict:
    """A corner of the cube in conflict.

    Attributes:
        faces: the three faces that meet there.
        pieces: indices of the pieces that fill it: none, or more than one.
    """

    faces: tuple[str, ...]
    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with six placements that obey the rules of the answer.

    Attributes:
        edges: the edges of the cube in conflict; at most 12.
        corners: the corners in conflict; at most 8.
    """

    edges: tuple[CubeEdge, ...]
    corners: tuple[CornerConflict, ...]

    @property
    def is_closed(self) -> bool:
        """Whether the cube is closed without a conflict."""
        return not self.edges and not self.corners


def find_rule_breaches(placements: Sequence[Placement], flips: bool) -> list[str]:
    """Return which rules an answer breaks, in words; empty if it is an assembly, right or wrong.

    Args:
        placements: where pieces A to F lie; any face and any two edge numbers 1 to 4.
        flips: whether pieces may be turned over.
    """
    broken = []
    for letter, (_, left, top) in zip(LETTERS, placements, strict=True):
        if (code := CODES.get((left, top))) is None:
            broken.append(f"Piece {letter}: edges {left} and {top} are not next to each other.")
        elif code >= UNFLIPPED and not flips:
            broken.append(
                f"Piece {letter}: ({left}, {top}) turns the piece over, which is not allowed."
            )
    for face in FACES:
        sharing = [
            letter for letter, place in zip(LETTERS, placements, strict=True) if place.face == face
        ]
        if len(sharing) > 1:
            broken.append(f"Pieces {_join_names(sharing)} share the {face} face.")
        elif not sharing:
            broken.append(f"No piece is on the {face} face.")
    return broken


def find_conflicts(pieces: Sequence[int], placements: Sequence[Placement]) -> Findings:
    """Return the conflicts of six placements.

    A face with two pieces, or with a pair of edges that are not neighbours, counts as empty.

    Args:
        pieces: pieces A to F.
        placements: where they lie.
    """
    on_face: dict[str, list[int]] = {face: [] for face in FACES}
    for index, place in enumerate(placements):
        on_face[place.face].append(index)
    cells: dict[str, int] = {}
    for face, indices in on_face.items():
        codes = [CODES.get(placements[index][1:]) for index in indices]
        if len(indices) == 1 and codes[0] is not None:
            cells[face] = list_filled_cells(face, orient_piece(pieces[indices[0]], codes[0]))
    edges = [
        joint
        for joint, shared in JOINTS.items()
        if joint.face not in cells
        or joint.other not in cells
        or (cells[joint.face] ^ cells[joint.other]) & shared != shared
    ]
    corners = []
    for index, faces in CORNERS.items():
        fillers = [on_face[face][0] for face in faces if cells.get(face, 0) >> index & 1]
        if len(fillers) != 1:
            corners.append(CornerConflict(faces, tuple(sorted(fillers))))
    return Findings(tuple(edges), tuple(corners))


def is_closed_cube(pieces: Sequence[int], placements: Sequence[Placement]) -> bool:
    """Whether six placements close the cube without a conflict."""
    return find_conflicts(pieces, placements).is_closed


def describe_conflicts(placements: Sequence[Placement], findings: Findings) -> list[str]:
    """Return the conflicts of six placements in words, one sentence each.

    Args:
        placements: each on a face of its own.
        findings: what `find_conflicts` found about them.
    """
    piece_on = {place.face: index for index, place in enumerate(placements)}

    def describe_side(face: str, number: int) -> str:
        index = piece_on[face]
        edge = _edge_on(placements[index], number)
        return f"the {SIDE_NAMES[number]} side of {face} (piece {LETTERS[index]}, edge {edge})"

    said = [
        f"{describe_side(joint.face, joint.side)} and "
        f"{describe_side(joint.other, joint.other_side)} do not "
        "interlock."
        for joint in findings.edges
    ]
    for corner in findings.corners:
        where = f"the corner of {_join_names(corner.faces)}"
        if corner.pieces:
            letters = _join_names([LETTERS[index] for index in corner.pieces])
            said.append(f"{where} is filled more than once, by pieces {letters}.")
        else:
            said.append(f"{where} is empty.")
    return [sentence[0].upper() + sentence[1:] for sentence in said]


def _edge_on(placement: Placement, side: int) -> int:
    """Return the piece's own edge on a side (1 to 4) of its face."""
    _, left, top = placement
    return {1: left, 2: top, 3: OPPOSITE[left], 4: OPPOSITE[top]}[side]


def _join_names(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
