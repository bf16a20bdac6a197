"""Facelet strings: their conventions and checks.

Nothing here checks whether a state can be reached; `cubies.check_legality` does.
"""

from __future__ import annotations

FACES = "URFDLB"
"""The faces in the order of the facelet string."""

SOLVED = "".join(face * 9 for face in FACES)

CENTRES = (4, 13, 22, 31, 40, 49)
"""Indices of the centres of U, R, F, D, L, B."""


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
