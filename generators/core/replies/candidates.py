r"""Choose among several answers of one reply the one that it gives.

A player gives one command a turn and mentions others: for the next turn, from the last one, or in
case this one fails. So an answer alone on a line outweighs those in sentences, and these outweigh
what is planned for another turn. A correction replaces what it corrects. If two different answers
are left, the reply gives neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from facelet.generators.core.replies.mentions import (
    AFTER,
    BEFORE,
    ENSUING,
    FILLER,
    IF,
    NOUN,
    is_mentioned,
    sentence_before,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[T]):
    """A place of a reply that may be its answer; the value is None if it cannot be read."""

    start: int
    end: int
    value: T | None


_PLANNED, _SAID, _LISTED, _ALONE = 0, 1, 2, 3
"""Ranks of candidates: for another turn, in a sentence, an item of a list, alone on a line."""

_HEAD = re.compile(
    r"(?P<listed>[^\w\n]{0,20}(?:-|[0-9]+ ?[.):]))?[^\w\n]*(?:"
    r"(?:so|therefore|thus|hence|okay|ok|now|finally|final|for now|this turn|output"
    rf"|(?:(?:my|the|our) )?(?:final |chosen |current )?{NOUN}(?: is| now| for this turn)?)"
    r"[^\w\n]*)?",
    re.IGNORECASE,
)
"""What may stand in its line before an answer that stands alone."""
_TAIL = re.compile(
    r"[^\w\n]*(?:\n|\Z)| ?[.;!](?: |$)|,? ?(?:because|since|as|to|for)\b| ?(?:[(#\u2013\u2014-]|//)"
    r"(?!>)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?:\A|\n)[^\w\n]*([^.!?;:()\n]{1,40})\s*\Z")
"""A short line above an answer that ends no sentence."""
_NUMBER = re.compile("[0-9]+")
_SAME_LIST = re.compile(r"[^\w]*(?:(?:and|or)\b[^\w]*)?")
_OTHER_TURN = re.compile(
    r"\b(?:next|then|later|after(?:wards?)?|follow(?:s|ed|-?ups?)?|once|when|alternatively|alternative"
    r"|second choice|plan b|if|so far|already|previous(?:ly)?|earlier|before|depending|future"
    rf"|history|others?|last (?:turn|time|{NOUN}))\b{ENSUING}"
)
_OTHER_TURN_BEHIND = re.compile(
    r"[ )\"'*`\u201d\u2019]*(?:can wait|next|then|later|afterwards?|before|if|would be"
    r"|will be|could be|comes|gave|returned|earlier|already|last (?:turn|time|round)"
    r"|(?:is|was) (?:my|the|a) (?:backup|fallback|alternative|next|last|previous|second|plan b))\b"
)
_PAST_VERB = (
    r"(?:played|tried|asked|said|gave|sent|used|chose|picked|took|made|guessed|moved|queried|went)"
)
_SUPPOSED_TURN = re.compile(
    rf"{IF}[^;:]*\b(?:i|we)(?: will|'ll|'d| would| shall| can| could| may| might)\b{ENSUING}"
    rf"|\b(?:last|previous) (?:turn|time|round|{NOUN}),? (?:was|(?:i|we) {_PAST_VERB})\Z"
    rf"|\b(?:already|previously|earlier|before that),? (?:i |we )?{_PAST_VERB}"
    rf"(?: {FILLER}){{0,3}}\Z"
)
_DONE = re.compile(rf"\b(?:i|we) (?:have |had |'ve )?{_PAST_VERB}\Z")
_CORRECTED = re.compile(
    r"\b(?:no|wait|oops|sorry|hmm|hold on)\b[,.!;:\u2014-]|\b(?:actually|instead|correction"
    r"|corrected|rather(?! than)|i meant|misread|second thoughts?|changed my mind|scratch that"
    r"|mistake|final(?:ly)?(?: \w{1,12})?:)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"\b(?:final|answer|result|solution|here is|(?:plan|state|board|array|list|assembly) is)\b",
    re.IGNORECASE,
)
_DRAFT = re.compile(
    r"\b(?:draft|attempt|check(?:ing|ed)?|closer|again|should|revised)\b", re.IGNORECASE
)
_SIDE = re.compile(
    rf"\b(?:another|alternative|slower|longer|worse|riskier|different|less \w{{1,12}})"
    rf"(?: \w{{1,12}})? {NOUN}\b"
)
_OFFERED = re.compile(
    r"^[^\w\n]*(?:plan|option|solution|answer|assembly|variant) ([A-C1-3])\b[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A title of one of several answers."""
_TURNED = re.compile(r"\b(?:so|but|therefore|thus|hence|now)\b", re.IGNORECASE)


def choose_answer(text: str, found: Sequence[Candidate[T]]) -> Candidate[T] | None:
    """Return the last place of the answer that a reply gives; None if it gives none, or several.

    Args:
        text: the reply, line ends kept.
        found: in order.
    """
    chosen: list[Candidate[T]] = []
    most = _PLANNED
    ends, ranked, marks = 0, _PLANNED, ""
    for one in found:
        head = text[text.rfind("\n", 0, one.start) + 1 : one.start]
        if (around := _words_around(text, one, head)) is None:
            continue
        if len(found) == 1:
            return one
        rank = _rank(one, head, *around)
        listed = chosen and _SAME_LIST.fullmatch(text, ends, one.start)
        if listed and "\n" not in text[ends : one.start]:
            rank = max(rank, ranked) if rank else rank
        elif listed and not ranked and _NUMBER.sub("", head) == marks:
            rank = _PLANNED
        between = text[chosen[-1].end : one.start] if chosen else ""
        corrected = _CORRECTED.search(between) or (most < _ALONE and _TURNED.search(between))
        if rank > most or (corrected and rank >= min(most, _SAID)):
            chosen, most = [one], rank
        elif rank in (most, _LISTED):
            chosen.append(one)
        ends, ranked, marks = one.end, rank, _NUMBER.sub("", head)
    alike = all(one.value == chosen[-1].value for one in chosen)
    return chosen[-1] if chosen and alike else None


def choose_last(text: str, found: Sequence[Candidate[T]]) -> Candidate[T] | None:
    """Return the last of several whole answers that are given, but none of two that differ.

    A correction, or an announcement that the answer before it has not, replaces what is above it.

    Args:
        text: the reply, line ends kept.
        found: in order.
    """
    said = [one for one in found if not is_mentioned(text, one.start, one.end)]
    given = [one for one in said if not _SIDE.search(_above(text, one.start))] or said
    titles = {title[1].lower() for title in _OFFERED.finditer(text)}
    if not given or len(titles) > 1:
        return None
    last = given[-1]
    for one, after in reversed(list(pairwise(given))):
        if one.value != last.value:
            between = text[one.end : after.start]
            announced = _ANNOUNCED.search(between) and not _ANNOUNCED.search(
                text, max(0, one.start - BEFORE), one.start
            )
            drafted = _DRAFT.search(text, max(0, one.start - AFTER), after.start)
            turned = _CORRECTED.search(between) or _TURNED.search(between)
            return last if announced or drafted or turned else None
    return last


def _above(text: str, start: int) -> str:
    return sentence_before(text[max(0, start - BEFORE) : start])


def _words_around(text: str, one: Candidate[T], head: str) -> tuple[str, str] | None:
    """Return the text before and behind a candidate; None if it is only mentioned.

    Args:
        text: the reply.
        one: the candidate.
        head: the text before it in its line.
    """
    if is_mentioned(text, one.start, one.end):
        return None
    before = _above(text, one.start)
    if not before and (
        heading := _HEADING.search(text, max(0, one.start - BEFORE), one.start - len(head))
    ):
        before = heading[1].lower()
    after = text[one.end : one.end + AFTER].lower()
    if before and (
        _SUPPOSED_TURN.search(before) or (_DONE.search(before) and _OTHER_TURN_BEHIND.match(after))
    ):
        return None
    return before, after


def _rank(one: Candidate[T], head: str, before: str, after: str) -> int:
    """Return the rank of a candidate that is given.

    Args:
        one: the candidate.
        head: the text before it in its line.
        before: the words before it.
        after: what follows it, in lower case.
    """
    if (before and _OTHER_TURN.search(before)) or _OTHER_TURN_BEHIND.match(after):
        return _PLANNED
    if not (alone := _HEAD.fullmatch(head)) or not (one.value is None or _TAIL.match(after)):
        return _SAID
    return _LISTED if alone["listed"] else _ALONE
