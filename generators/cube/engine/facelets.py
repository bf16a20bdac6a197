"""Facelet strings: their conventions, checks, and conversion to arrays.

Nothing here checks whether a state can be reached; `cubies.check_legality` does.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FACES = "URFDLB"
"""The faces in the order of the facelet string; a letter's place here is its number in arrays."""

SOLVED = "".join(face * 9 for face in FACES)

CENTRES = (4, 13, 22, 31, 40, 49)
"""Indices of the centres of U, R, F, D, L, B."""

_LETTERS = np.frombuffer(FACES.encode(), dtype=np.uint8)
_NUMBERS = np.full(256, 255, dtype=np.uint8)
_NUMBERS[_LETTERS] = np.arange(6, dtype=np.uint8)


class IllegalCube(ValueError):  # noqa: N818 - the name says what it is
    """A facelet string that no cube can show.

    Attributes:
        reason: "length", "letters", "counts", "centres", "corner", "edge", "twist", "flip" or
            "parity"; the message says what is wrong and where.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[IllegalCube], tuple[str, str]]:
        """Keep both arguments when pickled."""
        return (IllegalCube, (self.reason, str(self)))


def facelet_label(index: int) -> str:
    """Return the usual name of a facelet index: its face and place in the face, as in "F5"."""
    return f"{FACES[index // 9]}{index % 9 + 1}"


def check_letters(facelets: str) -> None:
    """Raise IllegalCube ("length" or "letters") unless the text is 54 letters out of URFDLB."""
    if len(facelets) != 54:
        raise IllegalCube(
            "length", f"a facelet string has 54 letters, this one has {len(facelets)}"
        )
    if not _ALLOWED.issuperset(facelets):
        index = next(i for i, letter in enumerate(facelets) if letter not in _ALLOWED)
        raise IllegalCube(
            "letters",
            f"{facelets[index]!r} at index {index} ({facelet_label(index)}) is "
            "not one of U, R, F, D, L, B",
        )


_ALLOWED = frozenset(FACES)


def is_solved(facelets: str) -> bool:
    """Return whether every face is uniform, however the whole cube is turned.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    return all(facelets[i : i + 9] == facelets[i + 4] * 9 for i in range(0, 54, 9))


def to_array(facelets: str) -> npt.NDArray[np.uint8]:
    """Return the state as a new uint8 array of shape (54,) with values 0 to 5.

    Raises:
        IllegalCube: the text is not 54 letters out of URFDLB.
    """
    check_letters(facelets)
    numbers: npt.NDArray[np.uint8] = _NUMBERS[np.frombuffer(facelets.encode(), dtype=np.uint8)]
    return numbers


def from_array(array: npt.NDArray[np.uint8]) -> str:
    """Return the facelet string of an array of shape (54,).

    Raises:
        ValueError: wrong shape, or a value over 5.
    """
    if array.shape != (54,):
        raise ValueError(f"a state has shape (54,), this array has {array.shape}")
    return from_arrays(array[np.newaxis])[0]


def check_batch(states: npt.NDArray[np.uint8]) -> None:
    """Raise ValueError unless the array is uint8 (n, 54) with values 0 to 5."""
    if states.ndim != 2 or states.shape[1] != 54 or states.dtype != np.uint8:
        raise ValueError(
            f"a batch of states is uint8 (n, 54), this array is {states.dtype} {states.shape}"
        )
    if states.size and states.max() > 5:
        raise ValueError(f"stickers are numbered 0 to 5, this array holds {states.max()}")


def from_arrays(arrays: npt.NDArray[np.uint8]) -> list[str]:
    """Return the facelet strings of a uint8 array of shape (n, 54) with values 0 to 5.

    Raises:
        ValueError: wrong shape or type, or a value over 5.
    """
    check_batch(arrays)
    text = _LETTERS[arrays].tobytes().decode()
    return [text[i : i + 54] for i in range(0, len(text), 54)]
