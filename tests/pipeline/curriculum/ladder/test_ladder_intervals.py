"""Intervals of R: how often they hold what is true, in simulated ladders; bounds and width."""

import numpy as np
import pytest

from facelet.pipeline.curriculum.ladder.climb import (
    PASS_COUNT,
    VISIT_QUESTIONS,
    LevelVisit,
    climb_levels,
    find_reached_level,
)
from facelet.pipeline.curriculum.ladder.expected_level import (
    estimate_reach,
    estimate_reaches,
    reach_interval,
)

LEVELS = tuple(range(1, 31))
NUMBERS = np.arange(1, 31)
DECAYS = {
    "flat": np.full(30, 0.5),
    "steep": 1 / (1 + np.exp(1.5 * (NUMBERS - 8))),
    "slow": 0.97**NUMBERS,
    "fast": 0.9**NUMBERS,
    "straight": 1 - NUMBERS / 40,
}


def simulate_ladder(
    chances: np.ndarray,
    rng: np.random.Generator,
    levels: tuple[int, ...] = LEVELS,
    runs: int = 10,
) -> tuple[list[tuple[int, int]], float]:
    """Return what the climbs of a player answered by level, and its mean R."""
    counts = [[0, 0] for _ in levels]

    def passes_visit(visit: LevelVisit) -> bool:
        right = int(rng.binomial(VISIT_QUESTIONS, chances[visit.place]))
        counts[visit.place][0] += right
        counts[visit.place][1] += VISIT_QUESTIONS
        return right >= PASS_COUNT

    found = [
        find_reached_level(climb_levels(len(levels), passes_visit), levels) for _ in range(runs)
    ]
    mean = float(np.mean([r.failed for r in found if r is not None]))
    return [(right, total) for right, total in counts], mean


def measure_coverage(name: str, ladders: int) -> float:
    chances = DECAYS[name]
    true = estimate_reach(chances.tolist()).failed
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(ladders):
        counts, mean = simulate_ladder(chances, rng)
        low, high = reach_interval(LEVELS, counts, mean, "failed", rng)
        hits += low <= true <= high
    return hits / ladders


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DECAYS))
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    """Of 600 ladders; the bounds leave what sampling adds to 93 to 97%."""
    assert 0.915 <= measure_coverage(name, 600) <= 0.985


def test_a_narrower_interval_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measure_coverage("slow", 25) >= 0.85
    monkeypatch.setattr("facelet.pipeline.curriculum.ladder.expected_level.QUANTILES", (0.3, 0.7))
    assert measure_coverage("slow", 25) < 0.85


def test_many_players_at_once_are_expected_what_each_is() -> None:
    rng = np.random.default_rng(1)
    players = np.sort(rng.random((20, 30)), axis=1)[:, ::-1]
    found = estimate_reaches(np.ascontiguousarray(players), LEVELS)
    for place, player in enumerate(players):
        one = estimate_reach(player.tolist(), LEVELS)
        assert abs(found["failed"][place] - one.failed) < 1e-3
        assert abs(found["below"][place] - one.below) < 1e-3


@pytest.mark.parametrize(("share", "mean"), [(0.0, 0.0), (1.0, 30.0)])
def test_an_interval_is_inside_the_ladder_and_has_width(share: float, mean: float) -> None:
    counts = [(round(50 * share), 50) for _ in range(30 if share else 1)]
    counts += [(0, 0)] * (30 - len(counts))
    low, high = reach_interval(LEVELS, counts, mean, "failed", np.random.default_rng(0))
    assert 0 <= low <= mean <= high <= 30 and high - low > 1e-7


@pytest.mark.parametrize("top", [30, 1000])
@pytest.mark.parametrize("runs", [1, 10])
@pytest.mark.parametrize("name", ["wrong", "flat", "fast"])
def test_no_interval_goes_far_beyond_the_deepest_level_asked(
    name: str, runs: int, top: int
) -> None:
    """Fifty wrong answers at level 1 of a thousand had told of an R of 0 to 280."""
    levels = tuple(range(1, top + 1))
    chances = {"wrong": np.zeros(top), "flat": np.full(top, 0.5), "fast": 0.9 ** np.array(levels)}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        counts, mean = simulate_ladder(chances[name], rng, levels, runs)
        deepest = max(level for level, (_, total) in zip(levels, counts, strict=True) if total)
        low, high = reach_interval(levels, counts, mean, "failed", rng)
        assert low <= mean <= high <= 10 * deepest
        if runs == 10:
            assert high < max(2 * deepest, 3), "ten climbs tell more than where they ended"
        if name == "wrong":
            assert 0 < high < 0.5
