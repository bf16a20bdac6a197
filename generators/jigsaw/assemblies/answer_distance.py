"""Measure how far an answer is from a right one (MARBLE, F.5.1).

Each metric compares an answer with one right answer, piece by piece: the face, the left edge and
the top edge. The cube can be held in 24 ways, and mirrored where pieces may be turned over, so most
right answers differ from the reference nearly everywhere. So there are metrics against the nearest
right answer besides those of the paper, which compare with the reference only.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.jigsaw.assemblies.solver import Assembly, find_assemblies
from facelet.generators.jigsaw.geometry.cube_surface import Placement, answer_symmetries

MAX_DISTANCE = 18
"""Three entries for each of six pieces."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """An answer compared with one right answer.

    Attributes:
        distance: entries (face, left edge, top edge) that differ; 0 to 18.
        faces: pieces on the right face; 0 to 6.
        rotations: those of them whose left and top edge are both right.
    """

    distance: int
    faces: int
    rotations: int


def measure_closeness(answer: Sequence[Placement], right: Sequence[Placement]) -> Closeness:
    """Return how close an answer is to one right answer.

    Args:
        answer: placements of the six pieces.
        right: those of the right answer.
    """
    distance = faces = rotations = 0
    for given, wanted in zip(answer, right, strict=True):
        wrong = sum(map(operator.ne, given, wanted))
        distance += wrong
        if given.face == wanted.face:
            faces += 1
            rotations += not wrong
    return Closeness(distance, faces, rotations)


def nearest_answer(answer: Sequence[Placement], right: Iterable[Assembly]) -> Closeness:
    """Return how close an answer is to the nearest of several; among equals, most right faces.

    Args:
        answer: placements of the six pieces.
        right: right answers; at least one.
    """
    return min(
        (measure_closeness(answer, one) for one in right),
        key=lambda close: (close.distance, -close.faces, -close.rotations),
    )


def right_answers(assemblies: Sequence[Assembly], flips: bool) -> Iterator[Assembly]:
    """Yield all right answers: every assembly, held in every allowed way.

    Args:
        assemblies: what `solver.find_assemblies` found with no piece given.
        flips: whether mirror images of an assembly are right answers too.
    """
    for symmetry in answer_symmetries(flips):
        yield from (tuple(map(symmetry.move_placement, assembly)) for assembly in assemblies)


@lru_cache(maxsize=64)
def list_accepted_answers(pieces: tuple[int, ...], flips: bool) -> tuple[Assembly, ...]:
    """Return all answers that close the cube: every assembly, held in every allowed way."""
    return tuple(right_answers(find_assemblies(pieces, flips), flips))
