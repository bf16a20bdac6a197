"""Parse the lines of `facelet certify`: each is a facelet string or a maneuver, never both.

A line of the letters U, R, F, D, L, B only that is longer than SHORT, or that has about as many
letters as a facelet string and almost only these, is a facelet string or an error with the reason.
A longer maneuver of clockwise quarter turns alone needs blanks between its moves. About as many
letters, some of them in no move, are colours: six kinds of letters, each named by its centre.
"""

from __future__ import annotations

import re

from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import CENTRES, FACES, SOLVED, Maneuver

SHORT = 8
"""Letters of moves that may be written without blanks."""

_NEAR = range(len(SOLVED) - 9, len(SOLVED) + 10)
_SLIPS = 3
"""Signs of a facelet string that may be wrong for it to be known as one."""

_LETTERS = re.compile(rf"[{FACES}{FACES.lower()}]+")
_MOVE_LETTERS = frozenset("".join(notation.ALL_MOVES))


def meant_as_facelets(line: str) -> bool:
    """Whether a line is a facelet string, or would be one without its mistakes."""
    words = line.split()
    if any(len(word) > SHORT and _LETTERS.fullmatch(word) for word in words):
        return True
    signs = "".join(words)
    if len(signs) in _NEAR and signs.isalpha() and not _MOVE_LETTERS.issuperset(signs):
        return True
    others = sum(sign.upper() not in FACES for sign in signs)
    return len(signs) in _NEAR and others <= _SLIPS


def read_line(line: str) -> tuple[str, Maneuver, Maneuver | None]:
    """Return the state of a line, the turns that brought it upright, and a known solution, if any.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string of a cube.
    """
    if meant_as_facelets(line):
        _check_facelets(line)
        return (*moves.turn_upright(_name_by_centres(line)), None)
    maneuver = notation.simplify_maneuver(notation.parse_maneuver(line))
    state, turns = moves.turn_upright(moves.apply_maneuver(SOLVED, maneuver))
    # The inverse of a maneuver with slices or wide moves is no witness of face moves.
    known = not turns and set(maneuver) <= set(notation.FACE_MOVES)
    return state, turns, notation.invert_maneuver(maneuver) if known else None


def _check_facelets(text: str) -> None:
    """Raise ValueError if a facelet string is not written as one."""
    if (together := "".join(text.split())) != text:
        raise ValueError(
            f"a facelet string has no blanks; without them, this one has {len(together)} letters "
            f"of {len(SOLVED)}"
        )
    if text.upper() != text and _LETTERS.fullmatch(text):
        raise ValueError(f"{text[:60]!r}: write a facelet string in upper case: {', '.join(FACES)}")


def _name_by_centres(text: str) -> str:
    """Return a string of colours as a facelet string, and any other text as it is.

    Raises:
        ValueError: the colours are not six, each at one centre.
    """
    if len(text) != len(SOLVED) or sum(sign not in FACES for sign in text) <= _SLIPS:
        return text
    kinds = sorted(set(text))
    centres = "".join(text[index] for index in CENTRES)
    if sorted(centres) != kinds:
        raise ValueError(
            f"these {len(text)} letters are of {len(kinds)} kinds, {' '.join(kinds)}, with "
            f"{centres} at the centres; use six letters, each at one centre"
        )
    return text.translate(str.maketrans(centres, FACES))
