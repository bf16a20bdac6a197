r"""Replies: plans and single actions, read out of a reply.

The requested form of a plan ends the reply (MARBLE, D.3 and F.6):

    The final solution is:
    Turn 1: INSERT(side='left', slot=5, rotation=0); MOVE(x=2, y=4)
    Turn 2: INSERT(side='top', slot=1, rotation=3); MOVE()

and a single action is the last line of its reply. The rules of generators.core.answers hold:
thoughts do not count, only the tail is read, nothing is guessed, time is linear. A plan is the last
run of actions with only signs and the names of turns between them, from the last "Turn 1" of that
run on; if a plan is announced as final, only what follows is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from facelet.generators.core.answers import Parsed, visible
from facelet.generators.labyrinth.board.actions import Action, Insert, Move, Turn, write_turn
from facelet.generators.labyrinth.board.boards import SIDES

OPENING = "The final solution is:"

_STRICT_INSERT = rf"INSERT\(side='(?:{'|'.join(SIDES)})', slot=[0-9], rotation=[0-9]\)"
_STRICT_MOVE = r"MOVE\((?:x=[0-9], y=[0-9])?\)"
_STRICT_TURN = rf"Turn [0-9]+: (?:{_STRICT_INSERT}; )?{_STRICT_MOVE}"
_STRICT_PLAN = re.compile(
    rf"(?:\A|\n){OPENING}[ \t]*\n(?:```\n)?{_STRICT_TURN}(?:\n{_STRICT_TURN})*(?:\n```)?\Z"
)
_STRICT_ACTION = re.compile(rf"(?:\A|\n)(?:{_STRICT_INSERT}|{_STRICT_MOVE})\Z")

_DECORATION = re.compile(r"[\s*`_$\"'\u2018\u2019\u201c\u201d]+")
_NUMBER = r"(-?[0-9]{1,3})"
_ACTION = re.compile(
    rf"\b(?:INSERT ?\( ?(?:side ?[:=] ?)?([a-z]{{1,12}}) ?, ?(?:slot ?[:=] ?)?{_NUMBER} ?, ?"
    rf"(?:rotation ?[:=] ?)?{_NUMBER} ?\)"
    rf"|MOVE ?\( ?(?:\(? ?(?:x ?[:=] ?)?{_NUMBER} ?, ?(?:y ?[:=] ?)?{_NUMBER} ?\)? ?)?\))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:[ ;,.:()\[\]{}|&+>-]|turn|step|then|and|[0-9])*", re.IGNORECASE)
_FIRST_TURN = re.compile(r"\b(?:turn|step) ?1 ?[:.)-]", re.IGNORECASE)
_ANNOUNCED = re.compile(r"\bfinal (?:solution|answer|plan)\b", re.IGNORECASE)


def write_plan(turns: Sequence[Turn]) -> str:
    """Return a plan in the requested form."""
    lines = (f"Turn {number}: {write_turn(turn)}" for number, turn in enumerate(turns, 1))
    return "\n".join([OPENING, *lines])


def read_plan(text: str) -> Parsed[tuple[Action, ...]]:
    """Return the actions of the plan at the end of a reply, in order, legal or not.

    Lenient: also arguments without names, other signs between actions, markdown, missing turns.
    """
    shown = visible(text)
    strict = bool(_STRICT_PLAN.search(shown))
    run, plain = _last_run(shown)
    if not run:
        return Parsed(None, strict=False)
    starts = [found.end() for found in _FIRST_TURN.finditer(plain, max(0, run[0].start() - 16))]
    begin = max((start for start in starts if start <= run[-1].start()), default=0)
    return Parsed(tuple(_action(found) for found in run if found.start() >= begin), strict)


def read_action(text: str) -> Parsed[Action]:
    """Return the one action at the end of a reply; None if there are several in a run."""
    shown = visible(text)
    run, _ = _last_run(shown)
    if len(run) != 1:
        return Parsed(None, strict=False)
    return Parsed(_action(run[0]), bool(_STRICT_ACTION.search(shown)))


def parse(text: str) -> Action:
    """Return the action that `str` wrote.

    Raises:
        ValueError: it is not of that form.
    """
    found = _ACTION.fullmatch(_DECORATION.sub(" ", text))
    if found is None:
        raise ValueError(f"{text!r} is no action; write INSERT(side='top', slot=1, rotation=0)")
    return _action(found)


def _last_run(shown: str) -> tuple[list[re.Match[str]], str]:
    """Return the last run of actions, and the plain text that it was found in."""
    plain = _DECORATION.sub(" ", shown)
    announced = [found.end() for found in _ANNOUNCED.finditer(plain)]
    run: list[re.Match[str]] = []
    for found in _ACTION.finditer(plain, announced[-1] if announced else 0):
        if run and not _BETWEEN.fullmatch(plain, run[-1].end(), found.start()):
            run = []
        run.append(found)
    return run, plain


def _action(found: re.Match[str]) -> Action:
    side, lane, rotation, x, y = found.groups()
    if side is not None:
        return Insert(side.lower(), int(lane), int(rotation))
    return Move(None if x is None else (int(x), int(y)))
