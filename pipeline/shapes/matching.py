"""What can be seen of the operations of shapes in a result, without carrying them out."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from facelet.generators.options.deforming.questions import Direction, Question
from facelet.pipeline.audit.matching import Matching, Sights

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
    words = _words(question.given if forward else question.lists[option])
    pieces = re.findall("..", result.replace(":", ""))
    filled = [piece for piece in pieces if piece != "--"]
    known = {*re.findall("..", question.start.replace(":", ""))} - {"--"}
    top = {*result.split(":")[-1][1::2]} - {"-"}
    size = f"{len(filled)} {result.count(':') + 1}"
    seen: Counter[str] = Counter()
    for number, (kind, taken) in enumerate(words, 1):
        if not forward and number not in question.edits:
            continue
        far = min(question.level - number, FAR)
        seen[f"kind {kind} {size}"] += 1
        if kind == "color":
            seen[f"color {taken in result} {far}"] += 1
            seen[f"top {top == {taken}} {far}"] += 1
        elif taken:
            put = [piece for piece in re.findall("..", taken) if piece != "--"]
            share = round(3 * sum(piece in pieces for piece in put) / len(put))
            seen[f"{kind} {share} {far}"] += 1
    same = sum(a == b for a, b in zip(result, question.start, strict=False)) / len(question.start)
    old = sum(piece in known for piece in filled) / max(1, len(filled))
    return {**seen, "known": old, "same": same}


@lru_cache(maxsize=8)
def _words(text: str) -> list[tuple[str, str]]:
    """Return each operation of a text as its kind and what it takes."""
    parts = (word.rstrip(")").partition("(") for word in text.split(", "))
    return [(kind, taken) for kind, _, taken in parts]


MATCHING = Matching(__package__ or "", sights, lambda world: str(world.space))
"""The player."""
