"""The rows that are planned find the difference as often as promised, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.cli import main
from facelet.pipeline.sample_size.power import (
    ComparisonPlan,
    compute_required_rows,
    detectable_difference,
)


def detection_rate(plan: ComparisonPlan, gap: float, count: int, trials: int = 4000) -> float:
    """Return how often McNemar's test finds a difference in so many rows."""
    apart = plan.discordant_share(gap)
    shares = [(apart + gap) / 2, (apart - gap) / 2, 1 - apart]
    rng = make_generator("tests", "power", count)
    better, worse, _ = rng.multinomial(count, shares, size=trials).T
    z = np.abs(better - worse) / np.sqrt(np.maximum(1, better + worse))
    level = {1: 1.959964, 10: 2.807034}[plan.comparisons]
    return float(np.mean(z > level))


@pytest.mark.parametrize(
    ("plan", "gap"),
    [
        (ComparisonPlan(), 0.03),
        (ComparisonPlan(accuracy=0.8), 0.05),
        (ComparisonPlan(discordant=0.1, power=0.9), 0.03),
        (ComparisonPlan(accuracy=0.3, comparisons=10), 0.04),
    ],
)
def test_the_planned_rows_find_the_difference(plan: ComparisonPlan, gap: float) -> None:
    count = compute_required_rows(plan, gap)
    assert detection_rate(plan, gap, count) == pytest.approx(plan.power, abs=0.025)
    assert detection_rate(plan, gap, count // 2) < plan.power - 0.15
    least = detectable_difference(plan, count)
    assert least == pytest.approx(gap, abs=0.00011)


def test_rows_that_are_alike_are_worth_less() -> None:
    half = compute_required_rows(ComparisonPlan(effective=0.5), 0.03)
    assert half == pytest.approx(2 * compute_required_rows(ComparisonPlan(), 0.03), abs=1)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="over 1"):
        compute_required_rows(ComparisonPlan(accuracy=0.99), 0.03)
    with pytest.raises(ValueError, match="less than the difference"):
        compute_required_rows(ComparisonPlan(discordant=0.01), 0.03)
    assert detectable_difference(ComparisonPlan(accuracy=0.5), 3) is None


def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan-eval", "rows=500"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("4,359 rows show a difference of 3 points from 50% with 80% power")
    assert second == "500 rows show a difference of 8.8 points"
