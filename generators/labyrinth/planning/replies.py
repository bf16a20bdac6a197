r"""Replies: plans and single actions, read out of a reply.

The requested form of a plan ends the reply (MARBLE, D.3 and F.6):

    The final solution is:
    Turn 1: INSERT(side='left', slot=5, rotation=0); MOVE(x=2, y=4)
    Turn 2: INSERT(side='top', slot=1, rotation=3); MOVE()

and a single action is the last line of its reply. The rules of core.replies.boundary hold:
thoughts do not count, only the tail is read, nothing is guessed, time is linear. How a plan is
collected is told in facelet.generators.labyrinth.planning.collecting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from facelet.generators.core.replies import boundary
from facelet.generators.core.replies.boundary import Parsed, visible
from facelet.generators.core.replies.mentions import mentioned
from facelet.generators.labyrinth.board.actions import Action, Turn, write_turn
from facelet.generators.labyrinth.board.boards import SIDES
from facelet.generators.labyrinth.planning.collecting import EITHER, JOINING, collect, lead
from facelet.generators.labyrinth.planning.spelling import Call, calls, plain

OPENING = "The final solution is:"

TAIL = 4 * boundary.TAIL
"""Characters at the end of a reply that are read for a plan: the first turns of a long plan count,
so its beginning must not be cut off."""

_INSERT = rf"INSERT\(side='(?:{'|'.join(SIDES)})', slot=[0-9], rotation=[0-9]\)"
_MOVE = r"MOVE\((?:x=[0-9], y=[0-9])?\)"
_TURN = rf"Turn [0-9]+: (?:{_INSERT}; )?{_MOVE}"
_TURNS = rf"{_TURN}(?:\n{_TURN})*"
_STRICT_PLAN = re.compile(rf"(?:\A|\n){OPENING}[ \t]*\n(?:{_TURNS}|```\n{_TURNS}\n```)\Z")
_ACTION = rf"(?:{_INSERT}|{_MOVE})"
_STRICT_ACTION = re.compile(rf"(?:\A|(?P<above>\n{_ACTION})?\n){_ACTION}\Z")

_NUMBERED = re.compile("[0-9]")
_CHOSEN = re.compile(
    r"[^A-Za-z0-9]*(?:(?:my|the|final|next|chosen|so) )*(?:action|answer|choice|decision)"
    r"(?: is)?[^A-Za-z0-9]*",
    re.IGNORECASE,
)


def write_plan(turns: Sequence[Turn]) -> str:
    """Return a plan in the requested form."""
    lines = (f"Turn {number}: {write_turn(turn)}" for number, turn in enumerate(turns, 1))
    return "\n".join([OPENING, *lines])


def read_plan(text: str) -> Parsed[tuple[Action, ...]]:
    """Return the actions of the plan at the end of a reply, in order, legal or not.

    Lenient: also other spellings, markdown, LaTeX, words between turns, missing labels.
    """
    shown = visible(text, TAIL)
    bare = plain(shown)
    actions = collect(bare)
    strict = actions is not None and bool(_STRICT_PLAN.search(shown))
    return Parsed(actions, strict)


def read_action(text: str) -> Parsed[Action]:
    """Return the one action at the end of a reply; None if that is a list of several.

    A last line that is exactly one action counts, whatever plan or list stands above it, unless the
    line right above is another one: nothing then tells the answer from the rest.
    """
    shown = visible(text)
    bare = plain(shown)
    found = list(_given(bare))
    if not found:
        return Parsed(None, strict=False)
    last = found[-1]
    exact = _STRICT_ACTION.search(f"\n{shown}")
    if exact:
        return Parsed(None if exact["above"] else last.action, strict=not exact["above"])
    if len(found) > 1 and _listed(bare, found[-2], last):
        return Parsed(None, strict=False)
    return Parsed(last.action, strict=False)


def _given(bare: str) -> Iterator[Call]:
    """Yield the actions that are not only mentioned: "not X or Y" gives neither."""
    start = end = 0
    for call in calls(bare):
        if not (end and EITHER.fullmatch(bare, end, call.start)):
            start = call.start
        end = call.end
        if not mentioned(bare, start, end):
            yield call


def _listed(bare: str, before: Call, last: Call) -> bool:
    """Whether the last two actions are items of one list, or a choice between two."""
    between = bare[before.end : last.start]
    if "\n" in between:
        above, own = lead(bare, before), lead(bare, last)
        apart = _NUMBERED.search(above) and not _NUMBERED.search(own)
        if apart or _CHOSEN.fullmatch(own):
            return False
    return bool(JOINING.fullmatch(between) or EITHER.fullmatch(between))
