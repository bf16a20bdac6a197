"""Holm's correction: p-values of many tests, so that all together err no more often than one may.

Source: Holm 1979, "A simple sequentially rejective multiple test procedure". With m tests in
ascending order of p, the k-th is multiplied by m - k + 1, is at least the one before, at most 1. A
difference whose corrected p is below ALPHA is told from luck; the chance that any such claim of a
family is wrong is at most ALPHA, whatever the tests have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from facelet.pipeline.scoring.counting.comparing import Paired

ALPHA = 0.05
"""Below this corrected p a difference is told from luck."""


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return corrected p-values in the order of the tests; None where there was no test."""
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    least = 0.0
    for done, (p, place) in enumerate(order):
        least = max(least, min(1.0, (len(order) - done) * p))
        found[place] = least
    return found


def corrected(found: Sequence[Paired]) -> list[Paired]:
    """Return paired differences of one family of tests with their corrected p-values."""
    adjusted = holm([one.p_value for one in found])
    return [replace(one, p_holm=p) for one, p in zip(found, adjusted, strict=True)]
