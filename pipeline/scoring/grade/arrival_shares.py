"""Compute the shares of replies that arrived and that were readable.

Absence of measurement is not failure: these shares are printed beside every accuracy, and below a
least share of replies there is no rank, verdict or comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.grade.graded_columns import RECEIVED, STATUSES

LEAST_ARRIVED = 0.95
"""Least share of replies that must have arrived for a rank, a verdict or a comparison."""


class Shares(NamedTuple):
    """The shares printed beside every accuracy.

    Attributes:
        arrived: share of the replies that were asked for that arrived.
        readable: share of those that arrived that could be understood.
    """

    arrived: float
    readable: float

    @staticmethod
    def of(counts: Mapping[str, int]) -> Shares:
        """Return the shares of entries by their number of each status."""
        arrived = sum(counts[STATUSES[code].value] for code in RECEIVED)
        asked = sum(counts.values()) - counts[Status.DUPLICATE.value]
        readable = arrived - counts[Status.UNPARSED.value]
        return Shares(arrived / max(1, asked), readable / max(1, arrived))

    @staticmethod
    def mean(every: Sequence[Shares]) -> Shares:
        """Return the means over configs, each counted the same."""
        return Shares(*(sum(each) / len(every) for each in zip(*every, strict=True)))

    @property
    def suffice(self) -> bool:
        """Whether enough arrived for a rank, a verdict or a comparison."""
        return self.arrived >= LEAST_ARRIVED
