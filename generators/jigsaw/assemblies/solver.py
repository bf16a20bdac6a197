"""Find all assemblies of six pieces by backtracking over sets of shared cells.

Assemblies are counted as answers, with labelled pieces and labelled edges, up to moving the
finished cube as a whole: up to its 24 rotations and, where pieces may be turned over, its 24 mirror
images. Two ways to lay a symmetric piece on the same cells are two assemblies, since they are two
answers. Moving the cube brings the first piece to every face and allowed orientation exactly once,
so the assemblies with that piece at HOME represent all others: there are 24 (48) times as many
right answers as assemblies. If pieces are given in place, the cube cannot move, and each
completion is an assembly of its own.

The search is exhaustive. Faces are filled in a fixed order; a piece fits when it overlaps no filled
cell and leaves no cell empty that no later face can fill.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cache
from math import factorial, prod

from facelet.generators.jigsaw.geometry.cube_surface import (
    ALL,
    CELLS,
    RINGS,
    Placement,
    list_filled_cells,
)
from facelet.generators.jigsaw.geometry.pieces import (
    CODES,
    ORIENTATIONS,
    UNFLIPPED,
    count_symmetries,
    list_allowed_orientations,
    orient_piece,
)

Assembly = tuple[Placement, ...]
"""The placement of each piece, in the order of the pieces."""

ORDER = ("Front", "Top", "Right", "Left", "Bottom", "Back")
"""Faces in the order of filling: each shares edges with as many earlier ones as possible."""

HOME = Placement("Front", *ORIENTATIONS[0])
"""The placement of the first piece in the assemblies that represent all others."""


def find_assemblies(
    pieces: Sequence[int],
    flips: bool,
    given: Mapping[int, Placement] | None = None,
    cells: int = ALL,
) -> tuple[Assembly, ...]:
    """Return all assemblies, in a fixed order.

    Args:
        pieces: six pieces, as in facelet.generators.jigsaw.geometry.pieces.
        flips: whether pieces may be turned over.
        given: placements by index of the pieces that stay where they are; these may be turned
            over in any case. Without any, one assembly represents all its rotations (and mirror
            images, with flips): the one with the first piece at HOME.
        cells: the shared cells that must be filled once; others may be filled twice, or not.

    Raises:
        ValueError: there are not six pieces, or two given ones lie on one face.
    """
    if len(pieces) != len(ORDER):
        raise ValueError(f"{len(pieces)} pieces make no cube; give {len(ORDER)}")
    fixed = dict(given or {0: HOME})
    open_faces = tuple(
        face for face in ORDER if face not in {place.face for place in fixed.values()}
    )
    if len(open_faces) + len(fixed) != len(pieces):
        raise ValueError(f"two of the given pieces lie on one face: {fixed}")
    occupied = 0
    for index, (face, left, top) in fixed.items():
        covered = list_filled_cells(face, orient_piece(pieces[index], CODES[left, top])) & cells
        if occupied & covered:
            return ()
        occupied |= covered
    needed = [after & cells for after in list_settled_cells(open_faces)]
    if needed[0] & ~occupied:
        return ()
    forms = {
        index: [(code, orient_piece(piece, code)) for code in list_allowed_orientations(flips)]
        for index, piece in enumerate(pieces)
        if index not in fixed
    }
    found: list[Assembly] = []
    chosen = dict(fixed)

    def fill_faces(depth: int, occupied: int) -> None:
        if depth == len(open_faces):
            found.append(tuple(chosen[index] for index in range(len(pieces))))
            return
        face, required = open_faces[depth], needed[depth + 1]
        for index in forms:
            if index in chosen:
                continue
            for code, form in forms[index]:
                covered = list_filled_cells(face, form) & cells
                if covered & occupied or required & ~(occupied | covered):
                    continue
                chosen[index] = Placement(face, *ORIENTATIONS[code])
                fill_faces(depth + 1, occupied | covered)
                del chosen[index]

    fill_faces(0, occupied)
    return tuple(found)


@cache
def list_settled_cells(open_faces: tuple[str, ...]) -> tuple[int, ...]:
    """Return the cells that must be filled once 0, 1, ... of the open faces are."""
    sets = []
    for done in range(len(open_faces) + 1):
        reachable = {cell for face in open_faces[done:] for cell in RINGS[face]}
        sets.append(sum(1 << cell for cell in range(len(CELLS)) if cell not in reachable))
    assert sets[-1] == ALL
    return tuple(sets)


def count_distinct(
    assemblies: int, pieces: Sequence[int], flips: bool, given: Container[int] = ()
) -> int:
    """Return how many assemblies differ in more than how symmetric pieces lie on their own cells.

    Args:
        assemblies: number of assemblies, as counted by `find_assemblies`.
        pieces: six pieces.
        flips: whether pieces may be turned over.
        given: indices of the pieces that stay where they are.
    """
    ways = prod(count_symmetries(piece, flips) for k, piece in enumerate(pieces) if k not in given)
    return assemblies // ways


def search_space(missing: int, flips: bool) -> int:
    """Return the number of answers: missing! times the orientations of each missing piece.

    6! x 8^6 = 188,743,680 for the full task, 2! x 4^2 = 32 for the easy one (MARBLE, 3.2).
    """
    return int(factorial(missing) * len(list_allowed_orientations(flips)) ** missing)


def count_right(assemblies: int, missing: int, flips: bool) -> int:
    """Return how many of the answers of the search space are right.

    Args:
        assemblies: number of assemblies, as counted by `find_assemblies`.
        missing: number of pieces that are not given, 1 to 6.
        flips: whether pieces may be turned over.
    """
    if missing < len(ORDER):
        return assemblies
    return assemblies * len(ORDER) * (len(ORIENTATIONS) if flips else UNFLIPPED)
