"""Symmetric classes: all states that a subgroup of the 48 symmetries leaves as they are.

Many states of depth 19 and 20 are symmetric, and there are few enough symmetric states to
enumerate. A class is built piece by piece: where one piece of an orbit goes decides where the
others go, so only twist, flip and parity need to be checked.

Groups carry their Schoenflies names, in the orientation that the generators below fix: threefold
axes run through URF and DLB, the main axis of the others through U and D. A conjugate subgroup has
the images of the same states, of the same depths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import overload

import numpy as np

from facelet.generators.cube.engine import cubies, sticker_geometry, symmetry
from facelet.generators.cube.engine.sticker_geometry import Matrix

_THREEFOLD: Matrix = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
_QUARTER_TURN: Matrix = sticker_geometry.clockwise_turn((0, 1, 0))
_CENTRE: Matrix = ((-1, 0, 0), (0, -1, 0), (0, 0, -1))
"""Inversion in the cube's centre."""
_HALF_TURN_U: Matrix = ((-1, 0, 0), (0, 1, 0), (0, 0, -1))
_HALF_TURN_R: Matrix = ((1, 0, 0), (0, -1, 0), (0, 0, -1))
_HALF_TURN_FR: Matrix = ((0, 0, 1), (0, -1, 0), (1, 0, 0))
"""Half turns are named after the face or edge that their axis runs through."""
_HALF_TURN_UL: Matrix = ((0, -1, 0), (-1, 0, 0), (0, 0, -1))
_MIRROR_R: Matrix = ((-1, 0, 0), (0, 1, 0), (0, 0, 1))
"""The mirror that exchanges R and L."""
_QUARTER_TURN_MIRRORED: Matrix = ((0, 0, -1), (0, -1, 0), (1, 0, 0))
"""A quarter turn about U, and U and D exchanged."""

GENERATORS: dict[str, tuple[Matrix, ...]] = {
    "O_h": (_THREEFOLD, _QUARTER_TURN, _CENTRE),
    "T_h": (_THREEFOLD, _HALF_TURN_U, _CENTRE),
    "D_4h": (_QUARTER_TURN, _HALF_TURN_R, _CENTRE),
    "T": (_THREEFOLD, _HALF_TURN_U),
    "D_3d": (_THREEFOLD, _HALF_TURN_UL, _CENTRE),
    "C_4h": (_QUARTER_TURN, _CENTRE),
    "C_4v": (_QUARTER_TURN, _MIRROR_R),
    "D_4": (_QUARTER_TURN, _HALF_TURN_R),
    "D_2d_face": (_QUARTER_TURN_MIRRORED, _HALF_TURN_R),
    "D_2d_edge": (_QUARTER_TURN_MIRRORED, _HALF_TURN_FR),
    "D_2h_face": (_HALF_TURN_U, _HALF_TURN_R, _CENTRE),
    "D_2h_edge": (_HALF_TURN_U, _HALF_TURN_FR, _CENTRE),
    "S_6": (_THREEFOLD, _CENTRE),
    "D_3": (_THREEFOLD, _HALF_TURN_UL),
    "C_3": (_THREEFOLD,),
}
"""Motions that generate each group, the largest groups first.

D_2d and D_2h come in two kinds: the twofold axes other than U/D run through faces or through edges.
"""

Arrangement = tuple[tuple[int, ...], tuple[int, ...]]
"""The piece at each place and its twist or flip: (cp, co) or (ep, eo)."""


@cache
def group_symmetries(name: str) -> tuple[int, ...]:
    """Return the symmetries of a named group, rising; 0, the identity, is always one.

    Raises:
        ValueError: no group has the name; the message lists the names.
    """
    if name not in GENERATORS:
        raise ValueError(f"unknown symmetry class {name!r}; known: {', '.join(GENERATORS)}")
    generators = [sticker_geometry.SYMMETRIES.index(matrix) for matrix in GENERATORS[name]]
    found = {0}
    frontier = [0]
    while frontier:
        reached = {int(symmetry.PRODUCT[s, t]) for s in frontier for t in generators}
        frontier = sorted(reached - found)
        found |= reached
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class SymmetricClass(Sequence[str]):
    """The facelets of all states that a group leaves as they are, in a fixed order.

    Attributes:
        name: the group's name.
        corners: arrangements of the corners, even permutations first, then odd ones.
        edges: arrangements of the edges, likewise.
    """

    name: str
    corners: tuple[tuple[Arrangement, ...], tuple[Arrangement, ...]]
    edges: tuple[tuple[Arrangement, ...], tuple[Arrangement, ...]]

    def __len__(self) -> int:
        """Return the number of states: corners and edges combine freely if their parities agree."""
        return sum(len(c) * len(e) for c, e in zip(self.corners, self.edges, strict=True))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return the facelets of state number `index`, or of several."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index if index >= 0 else index + len(self)
        if place >= 0:
            for corners, edges in zip(self.corners, self.edges, strict=True):
                if place < len(corners) * len(edges):
                    (cp, co), (ep, eo) = corners[place // len(edges)], edges[place % len(edges)]
                    return cubies.to_facelets(cubies.Cubies(cp, co, ep, eo))
                place -= len(corners) * len(edges)
        raise IndexError(f"state {index} of class {self.name}, which has {len(self)}")


@cache
def symmetric_class(name: str) -> SymmetricClass:
    """Return the class of a named group.

    O_h has 4 states, T_h 24, T 72, D_3d 16, C_4h 1,536, S_6 7,776 and C_3 3,779,136; solved is
    always one, and states of larger symmetry are among them.

    Raises:
        ValueError: no group has the name.
    """
    corners = _iterate_arrangements(group_symmetries(name), cubies.CORNER_FACELETS)
    edges = _iterate_arrangements(group_symmetries(name), cubies.EDGE_FACELETS)
    return SymmetricClass(name, _by_parity(corners), _by_parity(edges))


def class_representatives(name: str) -> dict[str, int]:
    """Return one state for each orbit of the class under symmetries and inversion.

    Takes 0.3 ms a member.

    Returns:
        From `canonical_with_inverse` of the members, sorted, to the number of members that share
        it. These all have the same depth, so one proof serves them.
    """
    counts: dict[str, int] = {}
    for state in symmetric_class(name):
        key = symmetry.canonical_with_inverse(state)
        counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))


def _iterate_arrangements(
    symmetries: tuple[int, ...], places: Sequence[tuple[int, ...]]
) -> Iterator[Arrangement]:
    """Yield the arrangements of one kind of piece that commute with the symmetries.

    Args:
        symmetries: the group.
        places: facelet indices of every place of that kind, clockwise from the reference sticker.
    """
    carries = [[int(i) for i in np.argsort(symmetry.FACELETS[s])] for s in symmetries]
    owner = {sticker: place for place, stickers in enumerate(places) for sticker in stickers}
    sides = len(places[0])

    def place_piece(piece: int, place: int, twist: int) -> dict[int, int] | None:
        """Return where home stickers go once one piece is laid, or None if that is no bijection."""
        goes: dict[int, int] = {}
        for carry in carries:
            for side in range(sides):
                home = carry[places[piece][side]]
                target = carry[places[place][(side + twist) % sides]]
                if goes.setdefault(home, target) != target:
                    return None
        return goes if len(set(goes.values())) == len(goes) else None

    def extend_arrangement(laid: dict[int, int]) -> Iterator[dict[int, int]]:
        piece = next((p for p, stickers in enumerate(places) if stickers[0] not in laid), None)
        if piece is None:
            yield laid
            return
        taken = {owner[target] for target in laid.values()}
        for place, twist in product(range(len(places)), range(sides)):
            if place in taken:
                continue
            goes = place_piece(piece, place, twist)
            if goes is not None and taken.isdisjoint(owner[t] for t in goes.values()):
                yield from extend_arrangement(laid | goes)

    for laid in extend_arrangement({}):
        pieces, twists = [0] * len(places), [0] * len(places)
        for piece, stickers in enumerate(places):
            target = laid[stickers[0]]
            pieces[owner[target]] = piece
            twists[owner[target]] = places[owner[target]].index(target)
        if sum(twists) % sides == 0:
            yield tuple(pieces), tuple(twists)


def _by_parity(
    arrangements: Iterator[Arrangement],
) -> tuple[tuple[Arrangement, ...], tuple[Arrangement, ...]]:
    listed = sorted(arrangements)
    return (
        tuple(a for a in listed if cubies.permutation_parity(a[0]) == 0),
        tuple(a for a in listed if cubies.permutation_parity(a[0]) == 1),
    )
