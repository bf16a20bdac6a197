r"""Parse plans and single actions from a reply.

The requested form of a plan is at the end of the reply (MARBLE, D.3 and F.6):

    The final solution is:
    Turn 1: INSERT(side='left', slot=5, rotation=0); MOVE(x=2, y=4)
    Turn 2: INSERT(side='top', slot=1, rotation=3); MOVE()

and a single action is the last line of its reply. The rules of core.replies.boundary apply:
thoughts do not count, only the tail is read, nothing is guessed, time is linear.
facelet.generators.labyrinth.plan_task.turn_splitter collects the turns of a plan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from facelet.generators.core.replies import boundary
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_answer
from facelet.generators.labyrinth.board.actions import Action, Turn, write_turn
from facelet.generators.labyrinth.board.board_engine import SIDES
from facelet.generators.labyrinth.plan_task.action_grammar import iterate_actions, plain_reply
from facelet.generators.labyrinth.plan_task.turn_splitter import EITHER, JOINING, collect_actions

OPENING = "The final solution is:"

TAIL = 4 * boundary.TAIL
"""Characters at the end of a reply that are read for a plan: the first turns of a long plan count,
so its beginning must not be cut off."""

_INSERT = rf"INSERT\(side='(?:{'|'.join(SIDES)})', slot=[0-9], rotation=[0-9]\)"
_MOVE = r"MOVE\((?:x=[0-9], y=[0-9])?\)"
_TURN = rf"Turn [0-9]+: (?:{_INSERT}; )?{_MOVE}"
_TURNS = rf"{_TURN}(?:\n{_TURN})*"
_STRICT_PLAN = re.compile(rf"(?:\A|\n){OPENING}[ \t]*\n(?:{_TURNS}|```\n{_TURNS}\n```)\Z")
_STRICT_ACTION = re.compile(rf"(?:\A|\n)(?:{_INSERT}|{_MOVE})\Z")


def write_plan(turns: Sequence[Turn]) -> str:
    """Return a plan in the requested form."""
    lines = (f"Turn {number}: {write_turn(turn)}" for number, turn in enumerate(turns, 1))
    return "\n".join([OPENING, *lines])


def read_plan(text: str) -> Parsed[tuple[Action, ...]]:
    """Return the actions of the plan at the end of a reply, in order, legal or not.

    Lenient: also other spellings, markdown, LaTeX, words between turns, missing labels.
    """
    shown = visible_text(text, TAIL)
    bare = plain_reply(shown)
    actions = collect_actions(bare)
    strict = actions is not None and bool(_STRICT_PLAN.search(shown))
    return Parsed(actions, strict)


def read_action(text: str) -> Parsed[Action]:
    """Return the one action that a reply gives; None if it gives several.

    A line that is exactly one action counts, whatever plan is above or below it.
    """
    shown = visible_text(text)
    bare = plain_reply(shown)
    chosen = choose_answer(bare, _candidates(bare))
    action = chosen.value if chosen else None
    return Parsed(action, strict=action is not None and bool(_STRICT_ACTION.search(shown)))


def _candidates(bare: str) -> list[Candidate[Action]]:
    """Return the places of actions; "X or Y" and "X; X" are one that gives no action."""
    found: list[Candidate[Action]] = []
    for call in iterate_actions(bare):
        between = bare[found[-1].end : call.start] if found else "\n"
        twice = found and found[-1].value == call.action and "\n" not in between
        if EITHER.fullmatch(between) or (twice and JOINING.fullmatch(between)):
            found[-1] = Candidate(found[-1].start, call.end, None)
        else:
            found.append(Candidate(call.start, call.end, call.action))
    return found
