"""The front face: its nine stickers, and true or false statements about it.

A face is a string of nine face letters, row by row from top to bottom, each row from left to right.
A proposition is what a statement is about; the statement affirms or negates it in one of FORMS
wordings. No wording leaves open which sticker, row or colour is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from facelet.generators.cube.engine.notation import FACES
from facelet.generators.cube.states.state_texts import COLOUR_OF, format_grid

Template = Literal["full_face", "single_cell", "row", "column", "colour_count"]
TEMPLATES: tuple[Template, ...] = ("full_face", "single_cell", "row", "column", "colour_count")

FORMS = 3
"""Number of wordings of each template, affirmed and negated."""

_START = 9 * FACES.index("F")

FRONT_STICKERS = tuple(range(_START, _START + 9))
"""Indices into a facelet string of the stickers of the front face."""

OTHER_STICKERS = tuple(index for index in range(54) if index not in FRONT_STICKERS)
"""Indices into a facelet string of the stickers of all other faces."""


def front_face(facelets: str) -> str:
    """Return the nine letters of the front face."""
    return facelets[_START : _START + 9]


@dataclass(frozen=True, slots=True)
class Proposition:
    """A proposition about a face.

    Attributes:
        template: what kind of proposition.
        place: the sticker (0 to 8, row by row), row or column (0 to 2) that it is about; -1 for the
            whole face.
        letters: the stickers that it says are there, as face letters; for a count, the colour.
        count: the number of stickers of that colour; -1 for other templates.
    """

    template: Template
    place: int
    letters: str
    count: int

    def is_true_of(self, face: str) -> bool:
        """Return whether the proposition is true of a face."""
        if self.template == "colour_count":
            return face.count(self.letters) == self.count
        return _find_stated_stickers(face, self.template, self.place) == self.letters


def _find_stated_stickers(face: str, template: Template, place: int) -> str:
    """Return the stickers of a face that a proposition at a place is about."""
    if template == "single_cell":
        return face[place]
    if template == "row":
        return face[3 * place : 3 * place + 3]
    return face[place::3] if template == "column" else face


_PLACES: dict[Template, range] = {
    "full_face": range(-1, 0),
    "single_cell": range(9),
    "row": range(3),
    "column": range(3),
}


def face_signature(face: str, template: str) -> str:
    """Return what two faces must differ in so that a proposition can be true of one only.

    The face itself; for counts, and where the template is not yet known, its letters sorted: faces
    with different counts differ in some sticker, row and column too.
    """
    return face if template in _PLACES else "".join(sorted(face))


def draw_separating(
    template: Template, true: str, false: str, rng: np.random.Generator
) -> Proposition:
    """Return a random proposition that is true of one face and false of another.

    Args:
        template: what kind of proposition.
        true: the face that it is true of.
        false: the face that it is false of; their signatures differ.
        rng: makes the choice, uniformly among all such propositions.
    """
    if template == "colour_count":
        ours, theirs = Counter(true), Counter(false)
        found = [Proposition(template, -1, c, ours[c]) for c in FACES if ours[c] != theirs[c]]
    else:
        found = [
            Proposition(template, place, _find_stated_stickers(true, template, place), -1)
            for place in _PLACES[template]
            if _find_stated_stickers(true, template, place)
            != _find_stated_stickers(false, template, place)
        ]
    return found[int(rng.integers(len(found)))]


_THIRDS = ("top", "middle", "bottom")
_SIDES = ("left", "middle", "right")
_CELLS = tuple(
    "center" if (row, column) == (1, 1) else f"{_THIRDS[row]} {_SIDES[column]}"
    for row in range(3)
    for column in range(3)
)


def statement_text(proposition: Proposition, *, negated: bool, form: int) -> str:
    """Return a statement: a proposition, or its negation, in words.

    Args:
        proposition: what the statement is about.
        negated: whether the statement says that it is false.
        form: which wording, 0 to FORMS - 1.
    """
    return _WORDINGS[proposition.template](proposition, negated)[form]


def _full_face(proposition: Proposition, negated: bool) -> tuple[str, ...]:
    shown = f"\n{format_grid(proposition.letters)}"
    if negated:
        return (
            f"The front face does not show exactly these colors:{shown}",
            f"At least one sticker of the front face differs from this grid:{shown}",
            f"Row by row, the front face reads otherwise than this:{shown}",
        )
    return (
        f"The front face shows exactly these colors:{shown}",
        f"All nine stickers of the front face agree with this grid:{shown}",
        f"Row by row, the front face reads like this:{shown}",
    )


def _single_cell(proposition: Proposition, negated: bool) -> tuple[str, ...]:
    place = proposition.place
    row, column = divmod(place, 3)
    says = f"{'is not' if negated else 'is'} {_colour_name(proposition.letters)}."
    return (
        f"On the front face, the sticker in row {row + 1}, column {column + 1} {says}",
        f"The {_CELLS[place]} sticker of the front face {says}",
        f"Counted row by row from the top left corner, sticker number {place + 1} of the front "
        f"face {says}",
    )


def _row_forms(proposition: Proposition, negated: bool) -> tuple[str, ...]:
    return _line_forms(proposition, negated, "row", _THIRDS, "the top", "left to right")


def _column_forms(proposition: Proposition, negated: bool) -> tuple[str, ...]:
    return _line_forms(proposition, negated, "column", _SIDES, "the left", "top to bottom")


def _line_forms(
    proposition: Proposition, negated: bool, what: str, names: tuple[str, ...], start: str, way: str
) -> tuple[str, ...]:
    listed = ", ".join(map(_colour_name, proposition.letters))
    name, number = names[proposition.place], proposition.place + 1
    return (
        f"From {way}, the {name} {what} of the front face {'is not' if negated else 'is'}: "
        f"{listed}.",
        f"{what.capitalize()} {number} of the front face, counted from {start}, "
        f"{'does not read' if negated else 'reads'} {listed} from {way}.",
        f"The stickers in the {name} {what} of the front face, from {way}, "
        f"{'are not' if negated else 'are'} {listed} in this order.",
    )


def _colour_count(proposition: Proposition, negated: bool) -> tuple[str, ...]:
    colour, count = _colour_name(proposition.letters), proposition.count
    noun = "sticker" if count == 1 else "stickers"
    return (
        f"The front face {'does not have' if negated else 'has'} exactly {count} {colour} {noun}.",
        f"The number of {colour} stickers on the front face {'is not' if negated else 'is'} "
        f"{count}.",
        f"Whoever counts the {colour} stickers of the front face "
        f"{'does not get' if negated else 'gets'} {count}.",
    )


def _colour_name(letter: str) -> str:
    return COLOUR_OF[letter].lower()


_WORDINGS: dict[Template, Callable[[Proposition, bool], tuple[str, ...]]] = {
    "full_face": _full_face,
    "single_cell": _single_cell,
    "row": _row_forms,
    "column": _column_forms,
    "colour_count": _colour_count,
}
