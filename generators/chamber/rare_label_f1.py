"""Compute the F1 score of the rarer of two labels (MARBLE, section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.core.measures import LabelF1


@dataclass(frozen=True, slots=True)
class MinorityF1(LabelF1):
    """Precision, recall and F1 of one label among the first labels of gold and answer.

    A reply without an answer is no answer of that label: it costs recall where that was right.
    A precision or an F1 without a single such answer counts as 0.

    Attributes:
        label: the rarer label.
    """

    counted_by: ClassVar[str] = "chamber/minority"
    label: str = "yes"
