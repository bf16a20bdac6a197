"""Majority: the answer that most samples of a row give (self-consistency).

Of answers with as many votes the one that was given first counts, so that one sample alone is its
own majority. A row without votes is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from facelet.pipeline.scoring.arrays import Bools

Vote = tuple[int, tuple[int, ...], bool]
"""A row, what a sample answered, and whether that is correct."""


def majority(size: int, votes: Iterable[Vote]) -> Bools:
    """Return for each row whether the answer of most samples is correct.

    Args:
        size: number of rows.
        votes: the samples that have a vote, in their order.
    """
    cast: dict[int, Counter[tuple[int, ...]]] = {}
    right: set[tuple[int, tuple[int, ...]]] = set()
    for row, said, correct in votes:
        cast.setdefault(row, Counter())[said] += 1
        if correct:
            right.add((row, said))
    found = np.zeros(size, dtype=np.bool_)
    for row, counts in cast.items():
        # Counter lists equal counts in the order of their first appearance.
        found[row] = (row, counts.most_common(1)[0][0]) in right
    return found
