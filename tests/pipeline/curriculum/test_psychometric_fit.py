"""The fitted curve, against scikit-learn and scipy, and how often its interval is right."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.curriculum.psychometric_fit import (
    MAX_SLOPE,
    MIN_SLOPE,
    LevelResult,
    fit_curve,
)

TABLES = [
    [(1, 28, 30), (2, 20, 30), (3, 6, 30)],
    [(1, 19, 20), (2, 17, 20), (4, 9, 20), (8, 3, 20)],
    [(3, 5, 9), (4, 6, 9), (5, 2, 9), (6, 3, 9)],
    [(10, 40, 50), (11, 38, 50), (12, 20, 50), (13, 22, 50), (20, 1, 50)],
]


def make_asked(rows: list[tuple[int, int, int]]) -> list[LevelResult]:
    return [LevelResult(*row) for row in rows]


@pytest.mark.parametrize("rows", TABLES)
def test_it_is_logistic_regression_where_nothing_is_guessed(
    rows: list[tuple[int, int, int]],
) -> None:
    x = [[level] for level, right, total in rows for _ in range(total)]
    y = [int(place < right) for _, right, total in rows for place in range(total)]
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, y)
    slope = -float(peer.coef_[0, 0])
    found = fit_curve(make_asked(rows))
    assert found.slope == pytest.approx(slope, rel=1e-3)
    assert found.threshold == pytest.approx(float(peer.intercept_[0]) / slope, abs=1e-3)


def minus_log_likelihood(
    rows: list[tuple[int, int, int]], guess: float, threshold: float, log: float
) -> float:
    """Return minus the logarithm of the likelihood, level by level."""
    total = 0.0
    for level, right, count in rows:
        p = guess + (1 - guess) / (1 + math.exp(min(600, math.exp(log) * (level - threshold))))
        p = min(p, 1 - 1e-15)
        total -= right * math.log(p) + (count - right) * math.log(1 - p)
    return total


@pytest.mark.parametrize("rows", TABLES[:2])
@pytest.mark.parametrize("guess", [0.1, 0.25])
def test_it_is_the_optimum_with_guessing(rows: list[tuple[int, int, int]], guess: float) -> None:
    best = min(
        (
            minimize(
                lambda x: minus_log_likelihood(rows, guess, *x),
                start,
                method="Nelder-Mead",
                options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
            )
            for start in ((2.0, 0.0), (4.0, -1.0), (1.0, 1.0))
        ),
        key=lambda found: found.fun,
    )
    found = fit_curve([LevelResult(*row, guess) for row in rows])
    assert found.likelihood == pytest.approx(-best.fun, abs=1e-4)
    assert found.threshold == pytest.approx(best.x[0], abs=2e-2)


@pytest.mark.parametrize("rows", [TABLES[0], TABLES[1], TABLES[3]])
def test_ends_of_the_interval_are_those_of_the_profile(rows: list[tuple[int, int, int]]) -> None:
    """At each end the best slope is just not refused: 3.84 off in twice the logarithm."""
    found = fit_curve(make_asked(rows))
    assert found.low is not None and found.high is not None
    for end, beyond in ((found.low, found.low - 0.2), (found.high, found.high + 0.2)):
        inside, outside = (
            min(
                minus_log_likelihood(rows, 0, at, log)
                for log in np.linspace(math.log(MIN_SLOPE), math.log(MAX_SLOPE), 500)
            )
            for at in (end, beyond)
        )
        assert 2 * (inside + found.likelihood) <= 3.85
        assert 2 * (outside + found.likelihood) > 3.8


def test_answers_that_bound_nothing_leave_the_interval_open() -> None:
    perfect, hopeless = (
        fit_curve(make_asked([(1, 30, 30), (2, 30, 30)])),
        fit_curve(make_asked([(4, 0, 30), (5, 0, 30)])),
    )
    assert perfect.high is None and perfect.low is not None and perfect.low > 2
    assert hopeless.low is None and hopeless.high is not None and hopeless.high < 4


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Of 300 players of known threshold; 95% are promised, and 90% would be noticed."""
    rng, hits = make_generator("evolve", "coverage"), 0
    for _ in range(300):
        truth, slope = rng.uniform(2, 5), rng.uniform(0.7, 2)
        rows = [
            LevelResult(
                level, int(rng.binomial(30, 1 / (1 + math.exp(slope * (level - truth))))), 30
            )
            for level in range(1, 7)
        ]
        found = fit_curve(rows)
        low = -math.inf if found.low is None else found.low
        hits += low <= truth <= (math.inf if found.high is None else found.high)
    assert 0.92 <= hits / 300 <= 0.98


def test_nothing_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="at one level at least"):
        fit_curve([LevelResult(1, 0, 0)])
    with pytest.raises(ValueError, match="guess=1"):
        fit_curve([LevelResult(1, 1, 2, 1)])
