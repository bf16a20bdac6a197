"""Majority: the answer that most samples of a row give (self-consistency).

Samples whose reply cannot be read have no vote. Of answers with as many votes the one that was
given first counts, so that one sample alone is its own majority. A row without votes is wrong.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.arrays import Bools
from facelet.pipeline.scoring.judging.ledger import CODE
from facelet.pipeline.scoring.judging.population import Population

_VOTES = frozenset({CODE[Status.CORRECT], CODE[Status.WRONG], CODE[Status.ILLEGAL]})


def majority(population: Population) -> Bools:
    """Return for each row of the split whether the answer of most samples is correct."""
    answers = population.settled.answers
    places = population.settled.source[population.kept]
    votes: dict[int, Counter[tuple[int, ...]]] = {}
    right: set[tuple[int, tuple[int, ...]]] = set()
    for row, status, place, correct in zip(
        population.row.tolist(),
        population.status.tolist(),
        places.tolist(),
        population.correct.tolist(),
        strict=True,
    ):
        if status not in _VOTES:
            continue
        start, length = int(answers.starts[place]), int(answers.lengths[place])
        said = tuple(answers.codes[start : start + length].tolist())
        votes.setdefault(row, Counter())[said] += 1
        if correct:
            right.add((row, said))
    found = np.zeros(population.size, dtype=np.bool_)
    for row, counts in votes.items():
        # Counter lists equal counts in the order of their first appearance.
        found[row] = (row, counts.most_common(1)[0][0]) in right
    return found
