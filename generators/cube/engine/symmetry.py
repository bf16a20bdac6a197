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
from facelet.generators.cube.engine.facelets import CENTRES, FACES, check_batch, check_letters
from facelet.generators.cube.engine.moves import ALL_MOVES, PERMUTATIONS
from facelet.generators.cube.engine.notation import Maneuver

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


_BLOCK = 4096
"""States compared at a time, so that the working arrays stay in the processor's cache."""

_WORD = 18
"""Stickers packed into one comparison word: two faces, three bits a sticker."""

_SHIFTS = np.arange(3 * (_WORD - 1), -1, -3, dtype=np.uint64)


def canonical_batch(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the least image of every state; see `canonical_image`.

    Args:
        states: uint8 (n, 54) with values 0 to 5.

    Returns:
        A new uint8 array (n, 54).

    Raises:
        ValueError: wrong shape, or a value over 5.
    """
    check_batch(states)
    result = np.empty_like(states)
    for start in range(0, len(states), _BLOCK):
        block = states[start : start + _BLOCK]
        best = np.empty(len(block), dtype=np.intp)
        symmetries, rows = _least_images(block)
        best[rows] = symmetries
        images = np.take_along_axis(block, FACELETS[best], axis=1)
        result[start : start + _BLOCK] = np.take_along_axis(COLOURS[best], images, axis=1)
    return result


def _least_images(
    states: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all pairs (symmetry, row of `states`) that give the row's least image."""
    words = _first_words(states)
    symmetries, rows = np.nonzero(words == words.min(axis=0))
    for start in range(_WORD, 54, _WORD):
        if len(rows) == len(states):
            break
        sources = FACELETS[symmetries, start : start + _WORD]
        stickers = COLOURS[symmetries[:, None], states[rows[:, None], sources]]
        ties = (stickers.astype(np.uint64) << _SHIFTS).sum(axis=1, dtype=np.uint64)
        least = np.full(len(states), np.iinfo(np.uint64).max)
        np.minimum.at(least, rows, ties)
        keep = ties == least[rows]
        symmetries, rows = symmetries[keep], rows[keep]
    return symmetries, rows


def _first_words(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return the first two faces of all 48 images, packed: shape (48, n).

    A row of three stickers comes from a row or a column of some face, read either way: 72 triples
    in all, so three stickers are looked up and renamed at once.
    """
    columns = states.T.astype(np.intp)
    triples: dict[bytes, npt.NDArray[np.intp]] = {}
    words = np.zeros((COUNT, len(states)), dtype=np.uint64)
    for s, word in enumerate(words):
        for start in range(0, _WORD, 3):
            a, b, c = FACELETS[s, start : start + 3]
            if (key := bytes((a, b, c))) not in triples:
                triples[key] = 36 * columns[a] + 6 * columns[b] + columns[c]
            word <<= np.uint64(9)
            word |= _RENAMED_TRIPLES[s][triples[key]]
    return words


def _list_renamed_triples() -> npt.NDArray[np.uint64]:
    """Return (48, 216): three stickers as one base-6 number -> their images, three bits each."""
    wide = COLOURS.astype(np.uint64)
    first, second, third = wide[:, :, None, None], wide[:, None, :, None], wide[:, None, None, :]
    table: npt.NDArray[np.uint64] = (first << np.uint64(6)) | (second << np.uint64(3)) | third
    return table.reshape(COUNT, 216)


_RENAMED_TRIPLES = _list_renamed_triples()
