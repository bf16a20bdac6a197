"""Rewards: what the end of an episode is worth to a learner, as one number from 0 to 1.

    reward = correct, or else partial * share of right labels, or else 0
    and with format > 0: (1 - format) * reward + format * (was every reply in the requested form?)

A right answer is worth 1 whatever its form, as the scorer's accuracy has it, unless `format` says
otherwise. Labels exist where an answer has several (stickers of a face, classes of moves).
"""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.core.task import Outcome, Status


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts besides being right.

    Attributes:
        partial: what a wrong answer is worth per share of right labels; 0 to 1.
        format: the part of the reward that is given for the requested form; 0 to 1.
    """

    partial: float = 0.0
    format: float = 0.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("partial", "format"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is out of range; it is from 0 to 1")


def reward(outcome: Outcome, weights: Weights | None = None) -> float:
    """Return what an outcome is worth, 0 to 1.

    Args:
        outcome: how an episode ended.
        weights: what counts besides being right.
    """
    weights = weights or Weights()
    if outcome.status == Status.CORRECT:
        worth = 1.0
    elif len(outcome.gold) > 1 and len(outcome.answer) == len(outcome.gold):
        right = sum(a == b for a, b in zip(outcome.answer, outcome.gold, strict=True))
        worth = weights.partial * right / len(outcome.gold)
    else:
        worth = 0.0
    return (1 - weights.format) * worth + weights.format * outcome.strict
