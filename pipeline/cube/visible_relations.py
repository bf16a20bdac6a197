"""Features of a deformed cube: what a result shows of the rotations without applying them."""

from __future__ import annotations

from collections import Counter

from facelet.generators.options.deformation.questions import Direction, Question
from facelet.pipeline.audit.option_matching_players import MatchingPlayer, Sights

_CENTRES = range(6, 84, 14)
"""Places of the six centres in a code."""


def sights(question: Question, option: int, direction: Direction) -> Sights:
    """Return what is seen of an option.

    Args:
        question: the question.
        option: the option's place.
        direction: what is asked.
    """
    forward = direction == "forward"
    result = question.results[option] if forward else question.given
    words = (question.given if forward else question.lists[option]).split(" ")
    start = question.start
    moved = sum(result[place] != start[place] for place in _CENTRES)
    seen: Counter[str] = Counter({f"moved {moved}": 1})
    seen.update(
        f"turn {word[0]} {moved}"
        for number, word in enumerate(words, 1)
        if forward or number in question.edits
    )
    same = sum(a == b for a, b in zip(result, start, strict=False)) / len(start)
    return {**seen, "same": same}


MATCHING = MatchingPlayer(__package__ or "", sights, lambda world: "3d")
"""The player."""
