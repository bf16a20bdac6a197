r"""Parse single actions in the spellings that replies use.

The requested form is `INSERT(side='left', slot=5, rotation=0)`, `MOVE(x=2, y=4)` or `MOVE()`
(MARBLE, D.3). The parser also accepts other unambiguous forms: arguments without names or in
another order, `MOVE((2, 4))`, `MOVE(None)`, `MOVE to (2, 4)`. It also reports calls that it cannot
read, without an action, so that an unreadable call is never skipped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from facelet.generators.core.replies.plain_text import without_latex
from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction

# Decoration becomes blanks, as many as before, and line ends stay.
_SIGNS = dict.fromkeys(map(ord, "*`_$\"'\u2018\u2019\u201c\u201d\t\r"), " ") | {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **dict(zip((0x3001, 0x3002), ",.", strict=True)),
}
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")

_CALL = re.compile(
    r"\b(?:(?P<insert>INSERT ?|[Ii]nsert)|(?P<move>MOVE ?|[Mm]ove|MOVE (?:(?:the )?pawn )?to ?))"
    r"\((?:(?P<arguments>[^()]{0,100}(?:\([^()]{0,40}\)[^()]{0,20})?)\))?"
)
_BRACKETS = str.maketrans("()[]{}<>", " " * 8)
_ARGUMENT = re.compile(r"(?:(?P<name>[a-z]{1,12}) ?[:=]? ?)??(?P<value>[a-z]{1,12}|-?[0-9]{1,3})")
_NUMBER = re.compile(r"-?[0-9]{1,3}")
_PLACE = re.compile(r"^ ?(?:to|position|pos|target|cell|coords?) ?[:=]")

_INSERT = {
    "side": "side",
    **dict.fromkeys(("slot", "row", "column", "col", "lane", "line"), "slot"),
    **dict.fromkeys(("rotation", "rot", "orientation"), "rotation"),
}
_MOVE = {"x": "x", "y": "y", "column": "x", "col": "x", "row": "y"}
_STAY = frozenset({"", "none", "null", "stay", "none, none", "x=none, y=none"})


@dataclass(frozen=True, slots=True)
class ActionMention:
    """An action in a plain text and its place; the action is None if it is unreadable."""

    start: int
    end: int
    action: Action | None


def plain_reply(shown: str) -> str:
    """Return a visible reply without decoration; blanks and line ends single."""
    bare = without_latex(shown).translate(_SIGNS)
    return _LINES.sub("\n", _BLANKS.sub(" ", bare)).strip()


def iterate_actions(text: str) -> Iterator[ActionMention]:
    """Yield the actions of a plain text, readable or not, in order."""
    for found in _CALL.finditer(text):
        action: Action | None = None
        if found["arguments"] is not None:
            inside = " ".join(found["arguments"].translate(_BRACKETS).split()).lower()
            action = _parse_insertion(inside) if found["insert"] else _parse_move(inside)
        yield ActionMention(found.start(), found.end(), action)


def parse_action(text: str) -> Action:
    """Return the action that `str` wrote.

    Raises:
        ValueError: it is not of that form.
    """
    found = list(iterate_actions(plain_reply(text)))
    if len(found) != 1 or found[0].action is None:
        raise ValueError(f"{text!r} is no action; write INSERT(side='top', slot=1, rotation=0)")
    return found[0].action


def _parse_insertion(inside: str) -> InsertAction | None:
    values = _parse_arguments(inside, _INSERT, ("side", "slot", "rotation"))
    if values is None or _NUMBER.fullmatch(values["side"]):
        return None
    if not (_NUMBER.fullmatch(values["slot"]) and _NUMBER.fullmatch(values["rotation"])):
        return None
    return InsertAction(values["side"], int(values["slot"]), int(values["rotation"]))


def _parse_move(inside: str) -> MoveAction | None:
    if inside.replace(" =", "=").replace("= ", "=") in _STAY:
        return MoveAction(None)
    values = _parse_arguments(_PLACE.sub("", inside), _MOVE, ("x", "y"))
    if values is None or not all(map(_NUMBER.fullmatch, values.values())):
        return None
    return MoveAction((int(values["x"]), int(values["y"])))


def _parse_arguments(
    inside: str, known: dict[str, str], order: tuple[str, ...]
) -> dict[str, str] | None:
    """Return the arguments of a call by name; None unless each is there once.

    Args:
        inside: the text between the brackets, in lower case.
        known: the names that an argument may be given, and what it is then.
        order: the names of the arguments in the order of a call without names.
    """
    values: dict[str, str] = {}
    for place, part in enumerate(re.split("[,;]", inside)):
        if (found := _ARGUMENT.fullmatch(part.strip())) is None or place >= len(order):
            return None
        name = known.get(found["name"], "") if found["name"] else order[place]
        if not name or name in values:
            return None
        values[name] = found["value"]
    return values if len(values) == len(order) else None
