"""Count patterns of reasoning in replies, where a transcript contains no counts.

The analyser is pluggable. The lexical analyser needs no model: it counts the sentences that contain
a cue. It sees words, not reasons; the paper had a language model read the replies, so the figures
of the two are not comparable. The patterns are those of
facelet.pipeline.scoring.ingest.recorded_patterns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from facelet.pipeline.scoring.ingest.recorded_patterns import NAMES, TURNS

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


def count_lexical_cues(reply: str) -> Mapping[str, float]:
    """Return the number of sentences that hold a cue of each pattern, in linear time."""
    sentences = _END.split(reply)
    return {name: sum(cue.search(s) is not None for s in sentences) for name, cue in _CUE.items()}


def find_analyser(name: str) -> Analyser | None:
    """Return the analyser of a name: none, lexical, or module:function of one's own.

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
        raise ValueError(f"patterns={name} cannot be had: {error}") from error
    if not callable(found):
        raise ValueError(f"patterns={name} is no function; name one that takes a reply")
    analyse: Analyser = found
    return analyse


def pattern_metrics(
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
