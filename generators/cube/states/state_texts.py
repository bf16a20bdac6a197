"""Write cube states, faces and palettes as text for prompts.

Colours are those of the western scheme: U white, R red, F green, D yellow, L orange, B blue. Rows
of a face run from top to bottom, columns from left to right, as seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from facelet.generators.core.replies.array import write_rows
from facelet.generators.cube.engine.facelet_codecs import WESTERN
from facelet.generators.cube.engine.notation import FACES
from facelet.renderers.scenes.records import RGB

Serialisation = Literal["net", "facelets"]

Modality = Literal["image_text", "image", "text"]
MODALITIES: tuple[Modality, ...] = ("image_text", "image", "text")
"""What shows a state: text and picture, the picture alone, or text alone."""

COLOUR_OF: dict[str, str] = {face: WESTERN.colours[face] for face in FACES}
"""Face letter -> colour name, capitalised."""

MOVES = """\
- U, R, F, D, L, B turn the Up, Right, Front, Down, Left or Back face by 90 degrees, clockwise for \
someone who looks straight at that face.
- An apostrophe turns it by 90 degrees the other way: R'. A 2 turns it once by 180 degrees: R2."""
"""What Singmaster notation means, as items of a list."""

STATE_TEXT = "how text shows the state: net (colour letters) or facelets (URFDLB)"
"""What the param `state_text` means."""

_TOKENS = str.maketrans({face: name[0].lower() for face, name in COLOUR_OF.items()})

_GAP = " " * len("w w w  ")

_NAMES = {name.lower(): name for name in COLOUR_OF.values()}
COLOUR_WORDS: dict[str, str] = _NAMES | {name[0].lower(): name for name in COLOUR_OF.values()}
"""Lower-case colour names and letters -> names: the first vocabulary of stickers."""
FACE_WORDS: dict[str, str] = _NAMES | {face.lower(): name for face, name in COLOUR_OF.items()}
"""Lower-case colour names and face letters -> names: the second vocabulary.

The letters b and r are in both, with the same meaning: blue and red.
"""


def colour_names(letters: str) -> tuple[str, ...]:
    """Return the colour names of some stickers, given as face letters."""
    return tuple(COLOUR_OF[letter] for letter in letters)


def format_net(facelets: str) -> str:
    """Return the state as a net of the letters w r g y o b.

    Nine lines: three of U, three of L, F, R and B side by side, three of D below F.
    """
    tokens = facelets.translate(_TOKENS)
    up, right, front, down, left, back = (_face_rows(tokens, place) for place in range(6))
    lines = [f"{_GAP}{row}" for row in up]
    lines += ["  ".join(rows) for rows in zip(left, front, right, back, strict=True)]
    lines += [f"{_GAP}{row}" for row in down]
    return "\n".join(lines)


def _face_rows(tokens: str, face: int) -> list[str]:
    start = 9 * face
    return [" ".join(tokens[i : i + 3]) for i in range(start, start + 9, 3)]


def state_text(facelets: str, serialisation: Serialisation) -> str:
    """Return the state as the text of a prompt: a net of colours, or the facelet string."""
    return format_net(facelets) if serialisation == "net" else facelets


def reading_text(serialisation: Serialisation) -> str:
    """Return how the text of a state is to be read."""
    if serialisation == "facelets":
        return (
            "The state is a string of 54 letters: the faces U, R, F, D, L, B in this order, nine "
            "stickers each, row by row as seen from outside (U with B at its top, D with F at its "
            "top, the side faces with U at their top). A letter names the face whose center has "
            "the sticker's color."
        )
    names = ", ".join(f"{name[0].lower()} = {name.lower()}" for name in COLOUR_OF.values())
    return (
        f"The state is an unfolded cube of color letters ({names}). The three lines at the top "
        "are the Up face; the three in the middle show Left, Front, Right and Back side by side; "
        "the three at the bottom are the Down face."
    )


def format_palette(shades: Sequence[RGB]) -> str:
    """Return a table of the colour names and their shades, one a line.

    Args:
        shades: colours of U, R, F, D, L, B.
    """
    lines = (
        f"- {name}: ({red}, {green}, {blue})"
        for name, (red, green, blue) in zip(COLOUR_OF.values(), shades, strict=True)
    )
    return "\n".join(lines)


def format_grid(letters: str) -> str:
    """Return the nine stickers of a face, given as face letters, as three lines of colour names."""
    return write_rows(colour_names(letters))
