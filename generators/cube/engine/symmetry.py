"""The 48 symmetries of the cube, as they act on states and on maneuvers.

Symmetry s is a rigid motion of space: 0 is the identity, 0 to 23 are rotations, 24 to 47
reflections. Its image of a state is the conjugate: the stickers are carried to their new places and
each colour is renamed to the face that its home was carried to, so solved stays solved and distance
is preserved. Its image of a maneuver makes the image of the state; reflections exchange clockwise
and anticlockwise. Inversion preserves distance too: at most 96 states share a
`canonical_with_inverse`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelet.generators.cube.engine import cubies, sticker_geometry
from facelet.generators.cube.engine.moves import ALL_MOVES, PERMUTATIONS
from facelet.generators.cube.engine.notation import CENTRES, FACES, Maneuver, check_letters

COUNT = 48


def _read_only(table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    table.setflags(write=False)
    return table


FACELETS = _read_only(
    np.array(
        [sticker_geometry.facelet_permutation(matrix) for matrix in sticker_geometry.SYMMETRIES],
        dtype=np.uint8,
    )
)
"""uint8 (48, 54): the sticker at i comes from FACELETS[s, i]."""

COLOURS = _read_only(np.argsort(FACELETS[:, CENTRES] // 9, axis=1).astype(np.uint8))
"""uint8 (48, 6): face number f is carried to face number COLOURS[s, f]."""


def _symmetry_products() -> npt.NDArray[np.uint8]:
    index = {row.tobytes(): s for s, row in enumerate(FACELETS)}
    rows = [[index[first[then].tobytes()] for then in FACELETS] for first in FACELETS]
    return np.array(rows, dtype=np.uint8)


PRODUCT = _read_only(_symmetry_products())
"""uint8 (48, 48): PRODUCT[s, t] is first s, then t."""

INVERSE = _read_only(np.argmin(PRODUCT, axis=1).astype(np.uint8))
"""uint8 (48,): PRODUCT[s, INVERSE[s]] is the identity, 0."""


def _symmetry_name(colours: npt.NDArray[np.uint8]) -> str:
    return " ".join(f"{FACES[f]}>{FACES[image]}" for f, image in enumerate(colours))


NAMES = tuple(_symmetry_name(row) for row in COLOURS)
"""Where each face goes, as in "U>U R>F F>L D>D L>B B>R"."""


def _move_images() -> npt.NDArray[np.uint8]:
    index = {row.tobytes(): m for m, row in enumerate(PERMUTATIONS)}
    table = np.empty((COUNT, len(ALL_MOVES)), dtype=np.uint8)
    for s, forward in enumerate(FACELETS):
        back = FACELETS[INVERSE[s]]
        for m, move in enumerate(PERMUTATIONS):
            table[s, m] = index[back[move][forward].tobytes()]
    return table


MOVE_IMAGES = _read_only(_move_images())
"""uint8 (48, 54): the image of move m is move MOVE_IMAGES[s, m], both rows of PERMUTATIONS."""

# For strings: indices as bytes, and a 256-byte table that renames letters.
_SOURCES: tuple[bytes, ...] = tuple(row.tobytes() for row in FACELETS)
_RENAME = tuple(bytes.maketrans(FACES.encode(), NAMES[s][2::4].encode()) for s in range(COUNT))
_TO_NUMBERS = bytes.maketrans(FACES.encode(), bytes(range(6)))
_TO_LETTERS = bytes.maketrans(bytes(range(6)), FACES.encode())
_RENUMBER = tuple(row.tobytes().ljust(256, b"\0") for row in COLOURS)
_MOVE_NAMES = tuple(
    {move: ALL_MOVES[MOVE_IMAGES[s, m]] for m, move in enumerate(ALL_MOVES)} for s in range(COUNT)
)


def transform_state(facelets: str, s: int) -> str:
    """Return the image of a state under symmetry s.

    Raises:
        ValueError: s is not 0 to 47, or the text is not 54 letters out of URFDLB.
    """
    _check_symmetry(s)
    check_letters(facelets)
    # translate maps every source index through the table of letters; see moves.apply.
    letters = facelets.encode().translate(_RENAME[s])
    return _SOURCES[s].translate(letters.ljust(256)).decode()


def transform_maneuver(maneuver: Maneuver, s: int) -> Maneuver:
    """Return the image of a maneuver under symmetry s.

    transform(apply(f, m), s) == apply(transform(f, s), transform_maneuver(m, s)) for any state f.

    Raises:
        ValueError: s is not 0 to 47, or a name is not one of ALL_MOVES.
    """
    _check_symmetry(s)
    names = _MOVE_NAMES[s]
    for move in maneuver:
        if move not in names:
            raise ValueError(f"{move!r} is not a move name; use one of ALL_MOVES")
    return tuple(names[move] for move in maneuver)


def inverse_state(facelets: str) -> str:
    """Return the state that the inverse maneuver makes, of any maneuver that makes this one.

    Raises:
        IllegalCube: face turns cannot reach the state.
    """
    return cubies.to_facelets(cubies.invert_cubies(cubies.from_facelets(facelets)))


def _least_image(facelets: str) -> tuple[bytes, int]:
    numbers = facelets.encode().translate(_TO_NUMBERS)
    return min(
        (source.translate(numbers.translate(renumber).ljust(256)), s)
        for s, (source, renumber) in enumerate(zip(_SOURCES, _RENUMBER, strict=True))
    )


def canonical_image(facelets: str) -> tuple[str, int]:
    """Return the least image of a state, and the least symmetry that gives it.

    Images are compared letter by letter with U < R < F < D < L < B, the order of arrays, so that
    strings and batches agree. Two states have the same least image exactly if one is an image of
    the other.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    numbers, s = _least_image(facelets)
    return numbers.translate(_TO_LETTERS).decode(), s


def canonical_with_inverse(facelets: str) -> str:
    """Return the least image of a state or of its inverse, whichever is less.

    Distance is the same for all the up to 96 states that share it, in either metric.

    Raises:
        IllegalCube: face turns cannot reach the state.
    """
    least = min(_least_image(facelets), _least_image(inverse_state(facelets)))
    return least[0].translate(_TO_LETTERS).decode()


def find_stabilizer(facelets: str) -> tuple[int, ...]:
    """Return the symmetries that leave a state as it is, in rising order; 0 is always one.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    letters = facelets.encode()
    return tuple(
        s
        for s, (source, rename) in enumerate(zip(_SOURCES, _RENAME, strict=True))
        if source.translate(letters.translate(rename).ljust(256)) == letters
    )


def _check_symmetry(s: int) -> None:
    if not 0 <= s < COUNT:
        raise ValueError(f"symmetry {s} is not one of 0 to 47")
