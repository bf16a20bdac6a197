"""Collect the turns of a plan from a text, by their labels or by their order.

The plan follows the last announcement ("The final solution is") that is followed by anything.
Labelled turns are read by their labels, from the last "Turn 1" on, other turns in order. Without an
announcement or labels, the plan is the only block of lines that begin with actions. Words between
the turns, comments, and sentences that repeat an action are ignored. A plan with an unread part,
such as a turn in words or a label out of order, is no plan: text that was not understood must not
count as an illegal action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from facelet.generators.core.replies.candidates import Candidate, choose_answer, choose_last
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.labyrinth.board.actions import Action, InsertAction, MoveAction
from facelet.generators.labyrinth.plan_task.action_grammar import ActionMention, iterate_actions

_ANNOUNCED = re.compile(r"\bfinal (?:solution|answer|plan)\b", re.IGNORECASE)
# What withdraws an announcement that no action follows; other ones are mere mentions.
_NONE = re.compile(
    r"\b(?:none|no|not|nothing|cannot|can t|impossible|unsolvable|unknown)\b", re.IGNORECASE
)
_LABEL = re.compile(
    r"\b(?:(?P<after>after|before|from|since|until|by|to|of|and|than) )?"
    r"(?:turn|step|round) ?[:#]? ?(?P<number>[0-9]{1,3})(?![0-9])"
    r"(?: ?\([^()\n]{0,60}\))?(?: ?[:.,)\]|=>;\u2013\u2014\u2192-]|\n| ?(?=INSERT|MOVE))",
    re.IGNORECASE,
)
# Signs, and words that only join two actions.
JOINING = re.compile(
    r"(?:[^A-Za-z0-9]|turn|step|round|then|and|next|finally|insert|move|actions?|[0-9])*",
    re.IGNORECASE,
)
# What may follow an action in its line: signs, another action, or a comment.
_BEHIND = re.compile(
    r"[^A-Za-z0-9\n]*(?:$|\n|(?:then |and )*(?:INSERT|MOVE)|"
    r"(?<=[#/:(\u2013\u2014\u2190-])|(?<=[#/-] ))",
    re.IGNORECASE,
)
EITHER = re.compile(r"[^A-Za-z0-9]*or[^A-Za-z0-9]*", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{2}")
# Words that mean an insertion, or an action of any kind.
_INSERTING = re.compile(r"\b(?:insert|push|slid|shift)", re.IGNORECASE)
_ACTING = re.compile(r"\b(?:insert|push|slid|shift|mov|rotat|row|column|slot)", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:an?|each|every|any) \Z", re.IGNORECASE)
"""What precedes an action that is only named: "with a MOVE() at its end"."""
_FIRST = re.compile(r"[^A-Za-z0-9]*1[.):]")


def collect_actions(bare: str) -> tuple[Action, ...] | None:
    """Return the actions of the plan in a plain text, or None."""
    found = list(iterate_actions(bare))
    bare = bare[: _plan_end(bare, found)]
    found = [call for call in found if call.end <= len(bare)]
    if not found:
        return None
    start = 0
    announced = list(_ANNOUNCED.finditer(bare))
    while announced and announced[-1].end() > found[-1].start:
        if _NONE.search(bare, announced.pop().end()):
            return None
    if announced:
        start = announced[-1].end()
        found = [call for call in found if call.start >= start]
    segments = _split_segments(bare, start)
    begins = segments[0].label if segments else found[0].start
    for place in (begins, *(last.start() for last in announced[-1:])):
        if is_mentioned(bare, place, found[-1].end):
            return None
    if segments:
        return _by_labels(bare, segments, found)
    reader = _TurnReader(bare)
    if not announced and not (found := _action_block(bare, found)):
        return None
    return reader.list_collected_actions() if reader.read(found, start, len(bare)) else None


_NUMBERED = (
    r"^[^A-Za-z0-9\n]*(?:(?:turn|step|round) ?)?[:#]? ?(?P<number>[0-9]{1,3})[^A-Za-z0-9\n]+"
)
_ARGUMENTS = r" ?\((?:[^()\n]|\([^()\n]*\))*\)[^A-Za-z0-9\n]*"
_TURN = re.compile(
    rf"{_NUMBERED}(?P<whole>(?:INSERT{_ARGUMENTS}(?:(?:then|and) )*)?MOVE{_ARGUMENTS}$)?",
    re.IGNORECASE | re.M,
)
"""The beginning of a numbered turn, and the rest of its line if that is all of the turn."""
# What may take a plan back, or change it.
_CHANGED = re.compile(
    r"\b(?:wait|instead|corrected|correction|actually|mistakes?|wrong|incorrect|illegal|invalid|oops"
    r"|sorry|hmm|hold on|should be|should have|must be|replace|change|swap|fix|update|no,|not"
    r" (?:right|correct|work|what)|final)\b",
    re.IGNORECASE,
)


def _plan_end(bare: str, found: list[ActionMention]) -> int:
    """Return where the plan ends behind which only words follow; 0 if no plan is given.

    The words may name its turns, or another plan: if all lines of the plan are whole turns,
    numbered from 1, and nothing behind them may take back or change a turn.
    """
    end = number = 0
    for turn in _TURN.finditer(bare):
        at = int(turn["number"])
        follows = at in (1, number + 1)
        number = at if follows and turn["whole"] else 0 if follows else number
        end = turn.end() if follows else end
    rest = bare[end:]
    later = [call for call in found if call.start >= end]
    clear = (
        number and not _CHANGED.search(rest) and not any(_leads_line(bare, call) for call in later)
    )
    if clear and (later or _LABEL.search(rest)):
        return end
    labels = [label for label in _LABEL.finditer(bare) if not label["after"]]
    starts = [label.start() for label in labels if int(label["number"]) == 1]
    plans: list[Candidate[bool]] = []
    whole: list[Candidate[tuple[Action | None, ...]]] = []
    for start, stop in zip(starts, [*starts[1:], len(bare)], strict=False):
        if inside := [call for call in found if start <= call.start < stop]:
            actions = tuple(call.action for call in inside)
            # An explanation repeats some of the actions: it ends the plan, and is no other one.
            first_plan = (whole[-1].value or ()) if whole else ()
            explained = len(actions) < len(first_plan) and set(actions) <= set(first_plan)
            either = plans and EITHER.fullmatch(bare, plans[-1].end, start)
            plans.append(Candidate(start, inside[-1].end, not either or explained))
            if not explained and any(
                int(one["number"]) == 2 for one in labels if start <= one.start() < stop
            ):
                whole.append(Candidate(start, inside[-1].end, actions))
    chosen: Candidate[Any] | None = (
        choose_last(bare, whole) if len(whole) > 1 else choose_answer(bare, plans)
    )
    if plans and not (chosen and chosen.value):
        return 0
    return next((one.start for one in plans if chosen and one.start > chosen.start), len(bare))


@dataclass(frozen=True, slots=True)
class _Segment:
    """What follows the label of a turn, up to the next label."""

    number: int
    label: int
    start: int
    end: int


def _split_segments(bare: str, start: int) -> list[_Segment]:
    labels = [found for found in _LABEL.finditer(bare, start) if not found["after"]]
    ends = [*(label.start() for label in labels[1:]), len(bare)]
    return [
        _Segment(int(label["number"]), label.start(), label.end(), end)
        for label, end in zip(labels, ends, strict=False)
    ]


def _by_labels(
    bare: str, segments: list[_Segment], found: list[ActionMention]
) -> tuple[Action, ...] | None:
    """Return the actions of the last plan whose turns are labelled from 1 on."""
    inside: list[list[ActionMention]] = [[] for _ in segments]
    place = -1
    for call in found:
        while place + 1 < len(segments) and segments[place + 1].start <= call.start:
            place += 1
        if place >= 0:
            inside[place].append(call)
    plan: _TurnReader | None = None
    now, number = _TurnReader(bare), 0
    for segment, held in zip(segments, inside, strict=True):
        goes_on = segment.number == number and now.ends_with_insertion and _is_move(held)
        if segment.number == 1 and not goes_on:
            plan = now if now.action_count else plan
            now, number = _TurnReader(bare), 0
        if not held and now.action_count and not _ACTING.search(bare, segment.start, segment.end):
            continue  # a remark on a turn
        if not goes_on and segment.number != number + 1:
            now.failed = now.failed or bool(held) or segment.number > number
            continue
        number = segment.number
        if not held or not now.read(held, segment.start, segment.end, again=goes_on):
            now.failed = True
    plan = now if now.action_count else plan
    return plan.list_collected_actions() if plan is not None else None


def _is_move(held: list[ActionMention]) -> bool:
    return bool(held) and isinstance(held[0].action, MoveAction)


class _TurnReader:
    """Collects the actions of a plan, turn by turn; `failed` once anything was left unread."""

    def __init__(self, bare: str) -> None:
        self._bare = bare
        self._actions: list[Action] = []
        self.failed = False
        self._open = False

    @property
    def action_count(self) -> int:
        """Number of actions so far."""
        return len(self._actions)

    @property
    def ends_with_insertion(self) -> bool:
        """Whether the last action is an insertion."""
        return bool(self._actions) and isinstance(self._actions[-1], InsertAction)

    def list_collected_actions(self) -> tuple[Action, ...] | None:
        """Return what was collected; None if anything was left unread."""
        return None if self.failed or self._open or not self._actions else tuple(self._actions)

    def read(self, held: list[ActionMention], start: int, end: int, *, again: bool = False) -> bool:
        """Take the actions of a piece of text; return whether it was read as a whole.

        Args:
            held: its actions.
            start: where the text begins.
            end: where it ends.
            again: whether it goes on with a turn whose insertion was read.
        """
        if self._open and not again:
            self.failed = True
        self._open = False
        place, first = start, not again
        for call in held:
            between = self._bare[place : call.start]
            joined = bool(JOINING.fullmatch(between))
            place = call.end
            if call.action is None or not self._take_action(
                call, between, joined=joined, first=first
            ):
                self.failed = True
                return False
            first = False
        # An insertion with words and no move behind it: the move may be in the words.
        self._open = self.ends_with_insertion and bool(_WORD.search(self._bare, place, end))
        return not self.failed

    def _take_action(self, call: ActionMention, between: str, *, joined: bool, first: bool) -> bool:
        """Add an action or skip a mention; return False if it is ambiguous."""
        action = call.action
        assert action is not None
        inserting = isinstance(action, InsertAction)
        if (
            not joined
            and not inserting
            and not self.ends_with_insertion
            and _INSERTING.search(between)
        ):
            return False  # a turn whose insertion is told in words
        if EITHER.fullmatch(between):
            return False
        if not first and (not joined or "\n" in between):
            completes = not inserting and self.ends_with_insertion
            begins = inserting and not self.ends_with_insertion and bool(self._actions)
            if action in self._actions and not _leads_line(self._bare, call) and not completes:
                return True
            if not joined and not completes and not begins and not _leads_line(self._bare, call):
                return False
        self._actions.append(action)
        return True


def _leads_line(bare: str, call: ActionMention) -> bool:
    """Whether a line consists of an action and what follows: no sentence that names one."""
    return bool(JOINING.fullmatch(line_lead(bare, call)) and _BEHIND.match(bare, call.end))


def line_lead(bare: str, call: ActionMention) -> str:
    """Return the text before an action in its line."""
    return bare[bare.rfind("\n", 0, call.start) + 1 : call.start]


def _action_block(bare: str, found: list[ActionMention]) -> list[ActionMention]:
    """Return the actions of the only block of lines that begin with actions.

    Where no line does, they are the only run of actions with nothing but signs between them.
    """
    led: list[bool] = []
    for place, call in enumerate(found):
        same = place > 0 and "\n" not in bare[found[place - 1].end : call.start]
        led.append(led[-1] if same else _leads_line(bare, call))
    blocks: list[list[ActionMention]] = []
    for place, (call, leads) in enumerate(zip(found, led, strict=True)):
        if (any(led) and not leads) or _NAMED.search(line_lead(bare, call)):
            continue
        joined = (
            place > 0 and led[place - 1] == leads and _is_adjacent(bare, found[place - 1], call)
        )
        if joined and blocks:
            blocks[-1].append(call)
        else:
            blocks.append([call])
    if any(led) and len(blocks) > 1 and _restarts_numbering(bare, blocks[-1][0]):
        blocks = blocks[-1:]
    return blocks[0] if len(blocks) == 1 else []


def _is_adjacent(bare: str, before: ActionMention, call: ActionMention) -> bool:
    """Whether one action follows another with nothing between but signs, or a short comment."""
    between = bare[before.end : call.start]
    return bool(JOINING.fullmatch(between)) or between.count("\n") == 1


def _restarts_numbering(bare: str, call: ActionMention) -> bool:
    """Whether the line of an action has the number 1."""
    return bool(_FIRST.match(line_lead(bare, call)))
