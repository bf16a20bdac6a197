"""Convert the codes of a coset to facelets and to marks of symmetry classes.

A code names an element of a coset; see coset_search. Marks split states by classes of symmetry.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import digest_names
from facelet.generators.cube.distance.compiled_cores import coset as core
from facelet.generators.cube.distance.coset_search import (
    Codes,
    CosetTables,
    coset_representative,
    pack_state,
)
from facelet.generators.cube.engine import cubies, symmetry


def codes_to_facelets(tables: CosetTables, number: int, codes: Codes) -> npt.NDArray[np.uint8]:
    """Return states of a coset as ASCII letters: uint8 (n, 54).

    Args:
        tables: the search's.
        number: the coset's.
        codes: uint64 (n,), fastest if they rise.

    Raises:
        ValueError: there is no such coset or no such code.
    """
    facelets = np.empty((len(codes), 54), dtype=np.uint8)
    _fill_states(tables, number, codes, facelets, np.empty(0, dtype=np.uint64))
    return facelets


def codes_to_marks(tables: CosetTables, number: int, codes: Codes) -> npt.NDArray[np.uint64]:
    """Return the marks of states of a coset: uint64 (n,).

    Marks are spread evenly over 64 bits. States that are symmetric to each other, or to each
    other's inverse, have the same mark: what is split by marks is split by classes of symmetry.

    Args:
        tables: the search's.
        number: the coset's.
        codes: uint64 (n,), fastest if they rise.

    Raises:
        ValueError: there is no such coset or no such code.
    """
    marks = np.empty(len(codes), dtype=np.uint64)
    _fill_states(tables, number, codes, np.empty(0, dtype=np.uint8), marks)
    return marks


def _fill_states(
    tables: CosetTables,
    number: int,
    codes: Codes,
    facelets: npt.NDArray[np.uint8],
    marks: npt.NDArray[np.uint64],
) -> None:
    core.states(
        tables.memory,
        pack_state(cubies.invert_cubies(coset_representative(number))),
        np.ascontiguousarray(codes),
        np.array(cubies.CORNER_FACELETS, dtype=np.uint8),
        np.array(cubies.EDGE_FACELETS, dtype=np.uint8),
        mark_keys(),
        facelets,
        marks,
    )


@cache
def mark_keys() -> npt.NDArray[np.uint64]:
    """Return what each corner together with each edge adds to a state's mark: uint64 (192, 288).

    A corner is (place * 8 + piece) * 3 + twist, an edge (place * 12 + piece) * 2 + flip. What the
    48 symmetries and the exchange of place and piece, which is inversion, carry to one another has
    one key; so the sum over all pairs is the same for a state's whole class.
    """
    corners = _piece_images(cubies.CORNER_FACELETS)
    edges = _piece_images(cubies.EDGE_FACELETS)
    least = np.full((corners.shape[1], edges.shape[1]), corners.shape[1] * edges.shape[1])
    for corner, edge in zip(corners, edges, strict=True):
        np.minimum(least, corner[:, None] * edges.shape[1] + edge, out=least)
    kinds, which = np.unique(least, return_inverse=True)
    keys = [int.from_bytes(digest_names("cube", "mark", int(kind))[:8], "little") for kind in kinds]
    return np.array(keys, dtype=np.uint64)[which.reshape(least.shape)]


def _piece_images(places: tuple[tuple[int, ...], ...]) -> npt.NDArray[np.int64]:
    """Return the images of every (place, piece, turn) of a kind: int64 (96, kinds)."""
    size, turns = len(places), len(places[0])
    at = {facelet: (i, j) for i, place in enumerate(places) for j, facelet in enumerate(place)}

    def image_number(home: int, here: int) -> int:
        (piece, sticker), (place, there) = at[home], at[here]
        return (place * size + piece) * turns + (there - sticker) % turns

    goes_to = np.argsort(symmetry.FACELETS, axis=1)
    images = np.empty((2 * symmetry.COUNT, size * size * turns), dtype=np.int64)
    for place in range(size):
        for piece in range(size):
            for turn in range(turns):
                home, here = places[piece][0], places[place][turn]
                kind = image_number(home, here)
                for s, carried in enumerate(goes_to):
                    images[2 * s, kind] = image_number(carried[home], carried[here])
                    images[2 * s + 1, kind] = image_number(carried[here], carried[home])
    return images
