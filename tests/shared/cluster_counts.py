"""Kish's effective number of rows, from the cluster of each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from facelet.pipeline.dataset.duplicates import effective_from_sizes


def count_effective(clusters: Iterable[Hashable]) -> float:
    """Return how many independent trials rows are at least worth."""
    return effective_from_sizes(list(Counter(clusters).values()))
