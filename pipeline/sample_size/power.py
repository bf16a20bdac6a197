"""Compute the power of paired comparisons: rows for a difference, and vice versa.

Two models answer the same items. Of all items a share q is answered rightly by exactly one of them;
their accuracies differ by d <= q. McNemar's test (1947) finds it with power 1 - b at level a in

    n = (z(1 - a/2) sqrt(q) + z(1 - b) sqrt(q - d^2))^2 / d^2

independent items (Connor, Biometrics 43, 1987). Items that share a puzzle are worth less than as
many independent ones: `effective` says how much. Of m tests Holm's correction is at its strictest
for the first, at a / m, and all of them are planned for that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What is planned for.

    Attributes:
        accuracy: of the weaker model, 0 to 1.
        discordant: share of items that exactly one of the two answers rightly; None as if their
            errors had nothing to do with each other, which is the most that is plausible.
        power: probability that a difference of that size is found.
        alpha: probability that a difference is found where there is none, over all tests.
        comparisons: paired tests of one family.
        effective: what an item is worth, in independent ones.
    """

    accuracy: float = 0.5
    discordant: float | None = None
    power: float = 0.8
    alpha: float = 0.05
    comparisons: int = 1
    effective: float = 1.0

    def discordant_share(self, difference: float) -> float:
        """Return the share of items that exactly one of the two answers rightly.

        Args:
            difference: of the accuracies.

        Raises:
            ValueError: there is no such pair of models.
        """
        if (better := self.accuracy + difference) > 1:
            raise ValueError(
                f"accuracy={self.accuracy:g} and {difference:g} more are over 1; lower one of them"
            )
        if self.discordant is None:
            return self.accuracy * (1 - better) + better * (1 - self.accuracy)
        if self.discordant < difference:
            raise ValueError(
                f"discordant={self.discordant:g} is less than the difference {difference:g}: where "
                "accuracies differ so much, at least as many items are answered by one alone"
            )
        return self.discordant


def compute_required_rows(plan: ComparisonPlan, difference: float) -> int:
    """Return how many rows show a difference.

    Args:
        plan: what is planned for.
        difference: of the accuracies, more than 0.

    Raises:
        ValueError: there is no such pair of models.
    """
    apart = plan.discordant_share(difference)
    level, power = _normal_quantiles(plan)
    root = level * math.sqrt(apart) + power * math.sqrt(max(0.0, apart - difference**2))
    return math.ceil((root / difference) ** 2 / plan.effective)


def detectable_difference(plan: ComparisonPlan, count: int) -> float | None:
    """Return the least difference that so many rows show, to a hundredth of a point; None if none.

    Args:
        plan: what is planned for.
        count: rows.
    """
    for step in range(1, 10_001):
        try:
            if compute_required_rows(plan, step / 10_000) <= count:
                return step / 10_000
        except ValueError:
            if plan.accuracy + step / 10_000 > 1 or plan.discordant is not None:
                return None
    return None


def _normal_quantiles(plan: ComparisonPlan) -> tuple[float, float]:
    """Return the points of the normal distribution for the level and the power."""
    normal = NormalDist()
    return normal.inv_cdf(1 - plan.alpha / plan.comparisons / 2), normal.inv_cdf(plan.power)
