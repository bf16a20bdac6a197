"""Read the counts of reasoning patterns that a transcript contains.

    associate  returns to the problem statement
    verify     checks a result
    plan       lays out the next steps
    feedback   uses the answer that it was given

A figure `pattern_<name>` is the number of occurrences divided by the number of turns, over all
episodes (the paper's PA). A transcript may contain counts (`patterns` of an assistant's message,
from a person or another model); where it does not,
facelet.pipeline.scoring.grade.reasoning_patterns counts.
"""

from __future__ import annotations

from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

NAMES = ("associate", "verify", "plan", "feedback")
TURNS = "pattern_turns"
MOST = 10_000
"""Most occurrences in a turn that a transcript may claim."""


def read_annotations(messages: object) -> tuple[float, ...] | None:
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
            raise UnreadableRecord(f"patterns of a message must be counts of {', '.join(NAMES)}")
        for name, count in counts.items():
            if not isinstance(count, int | float) or not 0 <= count <= MOST:
                raise UnreadableRecord(f"{name} of a message must be a number from 0 to {MOST}")
            totals[name] += count
    return tuple(totals.values())
