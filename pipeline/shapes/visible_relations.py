"""Features of a deformed shape: what a result shows of the operations without applying them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache
from operator import eq

from facelet.generators.options.deformation.questions import Direction, Question
from facelet.pipeline.audit.option_matching_players import MatchingPlayer, Sights

FAR = 8
"""Operations further from the end than that are alike."""


def sights(question: Question, option: int, direction: Direction) -> Sights:
    """Return what is seen of an option.

    Args:
        question: the question.
        option: the option's place.
        direction: what is asked.
    """
    forward = direction == "forward"
    result = question.results[option] if forward else question.given
    pieces, known = _quadrant_pairs(result), _quadrant_pairs(question.start)
    filled = [piece for piece in pieces if piece != "--"]
    top = {*result.split(":")[-1][1::2]} - {"-"}
    size = f"{len(filled)} {result.count(':') + 1}"
    seen: defaultdict[str, float] = defaultdict(int)
    words = _count_operations(question, option, forward)
    for (kind, taken, far), many in words.items():
        seen[f"kind {kind} {size}"] += many
        if kind == "color":
            seen[f"color {taken in result} {far}"] += many
            seen[f"top {top == {taken}} {far}"] += many
        elif taken:
            put = [piece for piece in _quadrant_pairs(taken) if piece != "--"]
            share = round(3 * sum(piece in pieces for piece in put) / len(put))
            seen[f"{kind} {share} {far}"] += many
    same = sum(map(eq, result, question.start)) / len(question.start)
    old = sum(map(known.__contains__, filled)) / max(1, len(filled))
    return {**seen, "known": old, "same": same}


# All options of a question are compared with one start, and few pieces are put into them.
@lru_cache(maxsize=64)
def _quadrant_pairs(code: str) -> tuple[str, ...]:
    """Return the two letters of each quadrant, layer by layer."""
    return tuple(re.findall("..", code.replace(":", "")))


def _count_operations(
    question: Question, option: int, forward: bool
) -> Mapping[tuple[str, str, int], int]:
    """Return how often each operation is there of which something is seen, as first met.

    Returns:
        By its kind, what it takes, and how far from the end it is.
    """
    if forward:
        return _count_in_text(question.given, question.level)
    words = question.lists[option].split(", ")
    return Counter(
        (*_split_operation(words[number - 1]), min(question.level - number, FAR))
        for number in question.edits
        if number <= len(words)
    )


# The options of a forward question are reached by one list.
@lru_cache(maxsize=8)
def _count_in_text(text: str, level: int) -> Mapping[tuple[str, str, int], int]:
    words = text.split(", ")
    near = max(0, level - FAR)
    found = {(*_split_operation(word), FAR): many for word, many in Counter(words[:near]).items()}
    last = Counter(
        (*_split_operation(word), min(level - number, FAR))
        for number, word in enumerate(words[near:], near + 1)
    )
    return found | last


def _split_operation(word: str) -> tuple[str, str]:
    """Return the kind of an operation and what it takes."""
    kind, _, taken = word.rstrip(")").partition("(")
    return kind, taken


MATCHING = MatchingPlayer(__package__ or "", sights, lambda world: str(world.space))
"""The player."""
