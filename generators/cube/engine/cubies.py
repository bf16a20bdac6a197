"""The cube as 8 corners and 12 edges: conversion, group operations, and legality with its reason.

A state is four tuples: which corner is at each place and how it is twisted, which edge is
at each place and whether it is flipped. Places and pieces are numbered URF UFL ULB UBR DFR DLF DBL
DRB and UR UF UL UB DR DF DL DB FR FL BL BR. Twist 1 means that the piece's U or D sticker is one
sticker clockwise from the place's U or D sticker; flip 1 that its first-named sticker is on the
place's second.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from facelet.generators.cube.engine import sticker_geometry
from facelet.generators.cube.engine.notation import (
    CENTRES,
    FACES,
    SOLVED,
    IllegalCube,
    check_letters,
    facelet_label,
)

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
"""Names of the corners, stickers clockwise as seen from outside, from the U or D sticker on."""

EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
"""Names of the edges, from the U or D sticker on, else from the F or B sticker on."""


def _facelets_of(piece: str) -> tuple[int, ...]:
    x, y, z = (
        sum(axis) for axis in zip(*(sticker_geometry.NORMALS[face] for face in piece), strict=True)
    )
    return tuple(
        sticker_geometry.INDEX[sticker_geometry.Sticker((x, y, z), sticker_geometry.NORMALS[face])]
        for face in piece
    )


CORNER_FACELETS = tuple(_facelets_of(corner) for corner in CORNERS)
"""Facelet indices of the three stickers of each corner place, in the order of its name."""

EDGE_FACELETS = tuple(_facelets_of(edge) for edge in EDGES)
"""Facelet indices of the two stickers of each edge place, in the order of its name."""


class _PieceKind:
    """Corners or edges: their places, and the pieces by the letters that they show."""

    def __init__(self, name: str, names: tuple[str, ...], places: tuple[tuple[int, ...], ...]):
        self.name = name
        self.names = names
        self.places = places
        self.stickers = tuple(itemgetter(*place) for place in places)
        self.known = {
            tuple(piece[-turn:] + piece[:-turn]): (number, turn)
            for number, piece in enumerate(names)
            for turn in range(len(piece))
        }

    def describe_place(self, place: int) -> str:
        """Return a place's name with its facelets, as in "URF (U9, R1, F3)"."""
        return f"{self.names[place]} ({', '.join(map(facelet_label, self.places[place]))})"


_CORNERS = _PieceKind("corner", CORNERS, CORNER_FACELETS)
_EDGES = _PieceKind("edge", EDGES, EDGE_FACELETS)


@dataclass(frozen=True, slots=True)
class Cubies:
    """A state by pieces.

    Attributes:
        cp: the corner at each of the 8 corner places.
        co: the twist (0 to 2, clockwise) of the corner at each place.
        ep: the edge at each of the 12 edge places.
        eo: the flip (0 or 1) of the edge at each place.
    """

    cp: tuple[int, ...]
    co: tuple[int, ...]
    ep: tuple[int, ...]
    eo: tuple[int, ...]


def check_legality(facelets: str) -> None:
    """Raise IllegalCube, with the reason, unless face turns alone can reach the state from solved.

    The centres must show U, R, F, D, L, B on their own faces; see `from_facelets`.
    """
    from_facelets(facelets)


def from_facelets(facelets: str) -> Cubies:
    """Return the pieces of a state that face turns can reach from solved.

    Raises:
        IllegalCube: the first of these that fails, as its reason: "length" (54 letters),
            "letters" (out of URFDLB), "counts" (nine of each), "centres" (each its own face),
            "corner" and "edge" (every place holds a piece that exists, none twice), "twist" (corner
            twists sum to 0 mod 3), "flip" (edge flips sum to 0 mod 2), "parity" (corner and edge
            permutations are both even or both odd).
    """
    check_letters(facelets)
    _check_counts(facelets)
    _check_centres(facelets)
    cp, co = _find_pieces(_CORNERS, facelets)
    ep, eo = _find_pieces(_EDGES, facelets)
    if sum(co) % 3:
        raise IllegalCube(
            "twist",
            f"the corner twists sum to {sum(co) % 3} mod 3 instead of 0: "
            "some corner is turned in its place",
        )
    if sum(eo) % 2:
        raise IllegalCube(
            "flip", "the edge flips sum to 1 mod 2 instead of 0: some edge is flipped in its place"
        )
    if permutation_parity(cp) != permutation_parity(ep):
        raise IllegalCube(
            "parity",
            f"the corners are permuted {_PARITY[permutation_parity(cp)]} and the edges "
            f"{_PARITY[permutation_parity(ep)]}: two pieces of a kind are swapped",
        )
    return Cubies(cp, co, ep, eo)


_PARITY = ("evenly", "oddly")


def permutation_parity(permutation: tuple[int, ...]) -> int:
    """Return 0 for an even permutation of 0..n-1 and 1 for an odd one (n minus its cycles)."""
    seen = [False] * len(permutation)
    swaps = len(permutation)
    for start in range(len(permutation)):
        swaps -= not seen[start]
        place = start
        while not seen[place]:
            seen[place] = True
            place = permutation[place]
    return swaps % 2


def _check_counts(facelets: str) -> None:
    if any([facelets.count(face) != 9 for face in FACES]):
        counts = {face: facelets.count(face) for face in FACES}
        listed = ", ".join(f"{count} {face}" for face, count in counts.items() if count != 9)
        raise IllegalCube("counts", f"each of U, R, F, D, L, B must occur 9 times; found {listed}")


def _check_centres(facelets: str) -> None:
    if (centres := "".join(facelets[index] for index in CENTRES)) != FACES:
        raise IllegalCube(
            "centres",
            f"the centres of U, R, F, D, L, B must be {FACES}, not {centres}; if the whole cube "
            "is turned, turn it back first (`moves.turn_upright`)",
        )


def _find_pieces(kind: _PieceKind, facelets: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    try:
        found = [kind.known[stickers(facelets)] for stickers in kind.stickers]
    except KeyError:
        raise _no_such_piece(kind, facelets) from None
    pieces, turns = zip(*found, strict=True)
    if len(set(pieces)) < len(pieces):
        raise _build_repeat_error(kind, pieces)
    return pieces, turns


def _no_such_piece(kind: _PieceKind, facelets: str) -> IllegalCube:
    place, shown = next(
        (place, stickers(facelets))
        for place, stickers in enumerate(kind.stickers)
        if stickers(facelets) not in kind.known
    )
    return IllegalCube(
        kind.name,
        f"the {kind.name} at {kind.describe_place(place)} shows {''.join(shown)}: "
        f"no such {kind.name} exists",
    )


def _build_repeat_error(kind: _PieceKind, pieces: tuple[int, ...]) -> IllegalCube:
    place = next(place for place, piece in enumerate(pieces) if piece in pieces[:place])
    first = pieces.index(pieces[place])
    return IllegalCube(
        kind.name,
        f"the {kind.name} {kind.names[pieces[place]]} is there twice, "
        f"at {kind.describe_place(first)} and at {kind.describe_place(place)}",
    )


def to_facelets(cubies: Cubies) -> str:
    """Return the facelet string of a state by pieces; any assembly will do, reachable or not."""
    letters = list(SOLVED)
    for indices, piece, twist in zip(CORNER_FACELETS, cubies.cp, cubies.co, strict=True):
        for number, letter in enumerate(CORNERS[piece]):
            letters[indices[(number + twist) % 3]] = letter
    for indices, piece, flip in zip(EDGE_FACELETS, cubies.ep, cubies.eo, strict=True):
        for number, letter in enumerate(EDGES[piece]):
            letters[indices[(number + flip) % 2]] = letter
    return "".join(letters)


def invert_cubies(a: Cubies) -> Cubies:
    """Return the state of the inverse of any maneuver that makes `a`."""
    cp, co, ep, eo = [0] * 8, [0] * 8, [0] * 12, [0] * 12
    for place, (piece, twist) in enumerate(zip(a.cp, a.co, strict=True)):
        cp[piece], co[piece] = place, -twist % 3
    for place, (piece, flip) in enumerate(zip(a.ep, a.eo, strict=True)):
        ep[piece], eo[piece] = place, flip
    return Cubies(tuple(cp), tuple(co), tuple(ep), tuple(eo))


def compose_cubies(a: Cubies, b: Cubies) -> Cubies:
    """Return the state of a maneuver that makes `a`, followed by one that makes `b`."""
    return Cubies(
        tuple(a.cp[from_] for from_ in b.cp),
        tuple((a.co[from_] + twist) % 3 for from_, twist in zip(b.cp, b.co, strict=True)),
        tuple(a.ep[from_] for from_ in b.ep),
        tuple(a.eo[from_] ^ flip for from_, flip in zip(b.ep, b.eo, strict=True)),
    )
