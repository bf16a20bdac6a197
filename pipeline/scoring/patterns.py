"""Patterns: how often a turn's reasoning does one of four things (EvolArena, section 2).

    associate  goes back to the problem as it was stated
    verify     checks what it has worked out
    plan       lays out what to do next
    feedback   uses what it was answered

A figure `pattern_<name>` is the number of occurrences over the number of turns, over all plays
(the paper's PA). Who counts is pluggable: a transcript may bring counts with it (`patterns` of an
assistant's message, from a person or another model), and an analyser counts in those that do not.
The lexical one needs no model: it counts the sentences that hold a cue. It sees words, not reasons;
the paper had a language model read the replies, so figures of the two are not to be compared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from facelet.pipeline.scoring.predictions import Unreadable

NAMES = ("associate", "verify", "plan", "feedback")
TURNS = "pattern_turns"
MOST = 10_000
"""Most occurrences in a turn that a transcript may claim."""

Analyser = Callable[[str], Mapping[str, float]]
"""From a reply to the occurrences of each pattern; patterns that are left out do not occur."""

_CUES = {
    "associate": "the rules?|the problem|the goal|the task|the statement|recall|remember|"
    "according to|we are asked|i am asked|as stated|given that",
    "verify": "check|checks|checking|double-check|verify|verifying|wait|confirm|mistake|"
    "make sure|consistent|contradicts?|contradiction",
    "plan": "plan|strategy|next|first|i will|i'll|let's|let me try|in order to|my approach|step",
    "feedback": "feedback|the response|the result|was answered|the answer was|you said|told me|"
    "so far|previous query|last query|previous guess|last guess|incorrect|from the answers?",
}
_CUE = {name: re.compile(rf"\b(?:{cues})\b", re.IGNORECASE) for name, cues in _CUES.items()}
_END = re.compile(r"[.!?\n]")


def lexical(reply: str) -> Mapping[str, float]:
    """Return the number of sentences that hold a cue of each pattern, in linear time."""
    sentences = _END.split(reply)
    return {name: sum(cue.search(s) is not None for s in sentences) for name, cue in _CUE.items()}


def analyser(name: str) -> Analyser | None:
    """Return the analyser of a name: none, lexical, or module:function of one's own.

    Raises:
        ValueError: there is none of that name.
    """
    if name == "none":
        return None
    if name == "lexical":
        return lexical
    module, colon, function = name.partition(":")
    if not colon:
        raise ValueError(f"patterns={name} is not allowed; use none, lexical or module:function")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"patterns={name} cannot be had: {error}") from error
    if not callable(found):
        raise ValueError(f"patterns={name} is no function; name one that takes a reply")
    analyse: Analyser = found
    return analyse


def annotated(messages: Any) -> tuple[float, ...] | None:
    """Return the counts that a transcript brings with it, over all turns; None if it has none.

    Args:
        messages: the messages, as they stand in a record.

    Raises:
        Unreadable: a count has no such name, or is no number from 0 to MOST.
    """
    told = [
        message["patterns"]
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, dict)
        and message.get("role") == "assistant"
        and message.get("patterns") is not None
    ]
    if not told:
        return None
    totals = dict.fromkeys(NAMES, 0.0)
    for counts in told:
        if not isinstance(counts, dict) or not counts.keys() <= totals.keys():
            raise Unreadable(f"patterns of a message must be counts of {', '.join(NAMES)}")
        for name, count in counts.items():
            if not isinstance(count, int | float) or not 0 <= count <= MOST:
                raise Unreadable(f"{name} of a message must be a number from 0 to {MOST}")
            totals[name] += count
    return tuple(totals.values())


def metrics(
    replies: Sequence[str], known: Sequence[float] | None, analyse: Analyser | None
) -> dict[str, float]:
    """Return the metrics of a play: occurrences over all turns, and turns; {} if nobody counts.

    Args:
        replies: the replies.
        known: counts that the transcript brought, in the order of NAMES.
        analyse: counts where there are none; None for nobody.

    Raises:
        ValueError: the analyser gives what is no count.
    """
    if not replies or (known is None and analyse is None):
        return {}
    if known is None:
        assert analyse is not None
        totals = dict.fromkeys(NAMES, 0.0)
        for reply in replies:
            for name, count in analyse(reply).items():
                if name not in totals or not math.isfinite(count) or count < 0:
                    raise ValueError(
                        f"the analyser of patterns gives {name}={count}; it must give counts of "
                        f"{', '.join(NAMES)}, from 0 on"
                    )
                totals[name] += count
        known = tuple(totals.values())
    found = {f"pattern_{name}": count for name, count in zip(NAMES, known, strict=True)}
    return found | {TURNS: float(len(replies))}
