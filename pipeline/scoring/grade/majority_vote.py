"""Find the answer that most samples of a row give (self-consistency).

Of answers with equally many votes the one given first counts, so a single sample is its own
majority. A row without votes is wrong.
"""

from __future__ import annotations

import numpy as np

from facelet.pipeline.scoring.array_types import Bools, Ints


def vote_majority(size: int, rows: Ints, answers: Ints, correct: Bools) -> Bools:
    """Return for each row whether the answer of most samples is correct.

    Args:
        size: number of rows.
        rows: (votes,) row of each sample that has a vote, in their order.
        answers: (votes,) number of what it answered.
        correct: (votes,) whether that is correct.
    """
    found = np.zeros(size, dtype=np.bool_)
    if not len(rows):
        return found
    width = int(answers.max()) + 1
    said, first, place, counts = np.unique(
        rows.astype(np.int64) * width + answers,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    right = np.zeros(len(said), dtype=bool)
    right[place[correct]] = True
    row = said // width
    order = np.lexsort((first, -counts, row))
    leading = order[np.r_[True, row[order][1:] != row[order][:-1]]]
    found[row[leading]] = right[leading]
    return found
