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

from generators.cube.engine import cubies, geometry
from generators.cube.engine.facelets import CENTRES, FACES, IllegalCube, check_letters
from generators.cube.engine.moves import ALL_MOVES, PERMUTATIONS, apply
from generators.cube.engine.notation import ROTATIONS, Maneuver

COUNT = 48


def _read_only(table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    table.setflags(write=False)
    return table


FACELETS = _read_only(
    np.array([geometry.permutation(matrix) for matrix in geometry.SYMMETRIES], dtype=np.uint8)
)
"""uint8 (48, 54): the sticker at i comes from FACELETS[s, i]."""

COLOURS = _read_only(np.argsort(FACELETS[:, CENTRES] // 9, axis=1).astype(np.uint8))
"""uint8 (48, 6): face number f is carried to face number COLOURS[s, f]."""


def _product() -> npt.NDArray[np.uint8]:
    index = {row.tobytes(): s for s, row in enumerate(FACELETS)}
    rows = [[index[first[then].tobytes()] for then in FACELETS] for first in FACELETS]
    return np.array(rows, dtype=np.uint8)


PRODUCT = _read_only(_product())
"""uint8 (48, 48): PRODUCT[s, t] is first s, then t."""

INVERSE = _read_only(np.argmin(PRODUCT, axis=1).astype(np.uint8))
"""uint8 (48,): PRODUCT[s, INVERSE[s]] is the identity, 0."""


def _name(colours: npt.NDArray[np.uint8]) -> str:
    return " ".join(f"{FACES[f]}>{FACES[image]}" for f, image in enumerate(colours))


NAMES = tuple(_name(row) for row in COLOURS)
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


def transform(facelets: str, s: int) -> str:
    """Return the image of a state under symmetry s.

    Raises:
        ValueError: s is not 0 to 47, or the text is not 54 letters out of URFDLB.
    """
    _check(s)
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
    _check(s)
    names = _MOVE_NAMES[s]
    for move in maneuver:
        if move not in names:
            raise ValueError(f"{move!r} is not a move name; use one of ALL_MOVES")
    return tuple(names[move] for move in maneuver)


def inverse_state(facelets: str) -> str:
    """Return the state that the inverse of any maneuver making this one makes.

    Raises:
        IllegalCube: face turns cannot reach the state.
    """
    return cubies.to_facelets(cubies.inverse(cubies.from_facelets(facelets)))


def _least(facelets: str) -> tuple[bytes, int]:
    numbers = facelets.encode().translate(_TO_NUMBERS)
    return min(
        (source.translate(numbers.translate(renumber).ljust(256)), s)
        for s, (source, renumber) in enumerate(zip(_SOURCES, _RENUMBER, strict=True))
    )


def canonical(facelets: str) -> tuple[str, int]:
    """Return the least image of a state, and the least symmetry that gives it.

    Images are compared letter by letter with U < R < F < D < L < B, the order of arrays, so that
    strings and batches agree. Two states have the same least image exactly if one is an image of
    the other.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    numbers, s = _least(facelets)
    return numbers.translate(_TO_LETTERS).decode(), s


def canonical_with_inverse(facelets: str) -> str:
    """Return the least image of a state or of its inverse, whichever is less.

    Distance is the same for all the up to 96 states that share it, in either metric.

    Raises:
        IllegalCube: face turns cannot reach the state.
    """
    least = min(_least(facelets), _least(inverse_state(facelets)))
    return least[0].translate(_TO_LETTERS).decode()


def stabilizer(facelets: str) -> tuple[int, ...]:
    """Return the symmetries that leave a state as it is, in rising order; 0 is always one.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    return tuple(s for s in range(COUNT) if transform(facelets, s) == facelets)


def upright(facelets: str) -> tuple[str, Maneuver]:
    """Turn the whole cube until the centres show U, R, F, D, L, B.

    Returns:
        The turned state, and the whole-cube turns (at most two) that make it.

    Raises:
        IllegalCube: no whole-cube turn does it (reason "centres"), or the text is not 54
            letters out of URFDLB.
    """
    check_letters(facelets)
    centres = "".join(facelets[index] for index in CENTRES)
    turns = _UPRIGHT.get(centres)
    if turns is None:
        raise IllegalCube("centres", f"no whole-cube turn brings the centres {centres} to {FACES}")
    return apply(facelets, turns), turns


def _upright() -> dict[str, Maneuver]:
    ways: list[Maneuver] = [(), *((a,) for a in ROTATIONS)]
    ways += [(a, b) for a in ROTATIONS for b in ROTATIONS]
    found: dict[str, Maneuver] = {}
    labels = "".join(chr(65 + index) for index in range(54))
    for turns in ways:
        after = apply(labels, turns)
        # After the turns, centre f shows what stood at `source`: it must have been colour f.
        sources = [CENTRES.index(ord(after[centre]) - 65) for centre in CENTRES]
        shown = "".join(FACES[sources.index(place)] for place in range(6))
        found.setdefault(shown, turns)
    return found


_UPRIGHT = _upright()


def _check(s: int) -> None:
    if not 0 <= s < COUNT:
        raise ValueError(f"symmetry {s} is not one of 0 to 47")


_DIGITS = 18
"""Stickers packed into one comparison word, three bits each."""


def canonical_batch(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the least image of every state; see `canonical`.

    Args:
        states: uint8 (n, 54) with values 0 to 5.

    Returns:
        A new uint8 array (n, 54).

    Raises:
        ValueError: wrong shape, or a value over 5.
    """
    if states.ndim != 2 or states.shape[1] != 54:
        raise ValueError(f"a batch of states has shape (n, 54), this array has {states.shape}")
    if states.size and states.max() > 5:
        raise ValueError(f"stickers are 0 to 5, this array holds {states.max()}")
    columns = np.ascontiguousarray(states.T)
    count = states.shape[0]
    rows = np.arange(count)
    owners = np.tile(rows, COUNT)
    symmetries = np.repeat(np.arange(COUNT), count)
    for start in range(0, 54, _DIGITS):
        words = np.zeros(owners.size, dtype=np.uint64)
        if start == 0:
            for s in range(COUNT):
                words[s * count : (s + 1) * count] = _word(columns, s, start)
        else:
            for s in range(COUNT):
                mine = np.flatnonzero(symmetries == s)
                words[mine] = _word(columns[:, owners[mine]], s, start)
        least = np.full(count, np.iinfo(np.uint64).max)
        np.minimum.at(least, owners, words)
        keep = words == least[owners]
        owners, symmetries = owners[keep], symmetries[keep]
    best = np.empty(count, dtype=np.intp)
    best[owners] = symmetries
    return np.take_along_axis(COLOURS[best], np.take_along_axis(states, FACELETS[best], 1), 1)


def _word(columns: npt.NDArray[np.uint8], s: int, start: int) -> npt.NDArray[np.uint64]:
    """Return stickers start to start + 17 of the images under s, the first one most significant."""
    word = np.zeros(columns.shape[1], dtype=np.uint64)
    for source in FACELETS[s, start : start + _DIGITS]:
        word <<= np.uint64(3)
        word |= COLOURS[s][columns[source]]
    return word
