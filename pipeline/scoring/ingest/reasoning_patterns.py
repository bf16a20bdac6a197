"""Count patterns of reasoning in replies, or read the counts that a transcript contains.

    associate  returns to the problem statement
    verify     checks a result
    plan       lays out the next steps
    feedback   uses the answer that it was given

A figure `pattern_<name>` is the number of occurrences divided by the number of turns, over all
episodes (the paper's PA). A transcript may contain counts (`patterns` of an assistant's message,
from a person or another model); where it does not, an analyser of the caller's choice counts. The
lexical analyser needs no model: it counts the sentences that contain a cue. It sees words, not
reasons; the paper had a language model read the replies, so the figures of the two are not
comparable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

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


def read_annotations(messages: object) -> tuple[float, ...] | None:
    """Return the counts that a transcript contains, over all turns; None if it has none.

    Args:
        messages: the messages, as in a record.

    Raises:
        UnreadableRecord: a count has no such name, or is no number from 0 to MOST.
    """
    recorded = [
        message["patterns"]
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, dict)
        and message.get("role") == "assistant"
        and message.get("patterns") is not None
    ]
    if not recorded:
        return None
    totals = dict.fromkeys(NAMES, 0.0)
    for counts in recorded:
        if not isinstance(counts, dict) or not counts.keys() <= totals.keys():
            raise UnreadableRecord(f"patterns of a message must be counts of {', '.join(NAMES)}")
        for name, count in counts.items():
            if not isinstance(count, int | float) or not 0 <= count <= MOST:
                raise UnreadableRecord(f"{name} of a message must be a number from 0 to {MOST}")
            totals[name] += count
    return tuple(totals.values())


def count_lexical_cues(reply: str) -> Mapping[str, float]:
    """Return the number of sentences with a cue of each pattern, in linear time."""
    sentences = _END.split(reply)
    return {name: sum(cue.search(s) is not None for s in sentences) for name, cue in _CUE.items()}


def find_analyser(name: str) -> Analyser | None:
    """Return the analyser of a name: none, lexical, or module:function of the caller.

    Raises:
        ValueError: there is none of that name.
    """
    if name == "none":
        return None
    if name == "lexical":
        return count_lexical_cues
    module, colon, function = name.partition(":")
    if not colon:
        raise ValueError(f"patterns={name} is not allowed; use none, lexical or module:function")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"patterns={name} cannot be imported: {error}") from error
    if not callable(found):
        raise ValueError(f"patterns={name} is no function; name a function of one reply")
    analyse: Analyser = found
    return analyse


def pattern_metrics(
    replies: Sequence[str], known: Sequence[float] | None, analyse: Analyser | None
) -> dict[str, float]:
    """Return the metrics of an episode: occurrences over all turns, and turns; {} without counts.

    Args:
        replies: the replies.
        known: counts of the transcript, in the order of NAMES.
        analyse: counts if the transcript has no counts; None for no counts.

    Raises:
        ValueError: the analyser returns a value that is no count.
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
                        f"the patterns analyser returns {name}={count}; it must return counts of "
                        f"{', '.join(NAMES)}, from 0 on"
                    )
                totals[name] += count
        known = tuple(totals.values())
    found = {f"pattern_{name}": count for name, count in zip(NAMES, known, strict=True)}
    return found | {TURNS: float(len(replies))}
