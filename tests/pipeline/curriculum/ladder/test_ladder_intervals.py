"""Intervals of R: how often they hold what is true, in simulated ladders; bounds and width."""

import numpy as np
import pytest

from facelet.pipeline.ladder.climbing import FIVE, NEEDED, Visit, climb, reach
from facelet.pipeline.ladder.expecting import expected, expected_many
from facelet.pipeline.ladder.intervals import interval

LEVELS = tuple(range(1, 31))
NUMBERS = np.arange(1, 31)
DECAYS = {
    "flat": np.full(30, 0.5),
    "steep": 1 / (1 + np.exp(1.5 * (NUMBERS - 8))),
    "slow": 0.97**NUMBERS,
    "fast": 0.9**NUMBERS,
    "straight": 1 - NUMBERS / 40,
}


def ladder(
    chances: np.ndarray,
    rng: np.random.Generator,
    levels: tuple[int, ...] = LEVELS,
    runs: int = 10,
) -> tuple[list[tuple[int, int]], float]:
    """Return what the climbs of a player answered by level, and its mean R."""
    counts = [[0, 0] for _ in levels]

    def passed(visit: Visit) -> bool:
        right = int(rng.binomial(FIVE, chances[visit.place]))
        counts[visit.place][0] += right
        counts[visit.place][1] += FIVE
        return right >= NEEDED

    found = [reach(climb(len(levels), passed), levels) for _ in range(runs)]
    mean = float(np.mean([r.failed for r in found if r is not None]))
    return [(right, total) for right, total in counts], mean


def covered(name: str, ladders: int) -> float:
    chances = DECAYS[name]
    true = expected(chances.tolist()).failed
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(ladders):
        counts, mean = ladder(chances, rng)
        low, high = interval(LEVELS, counts, mean, "failed", rng)
        hits += low <= true <= high
    return hits / ladders


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DECAYS))
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    """Of 600 ladders; the bounds leave what sampling adds to 93 to 97%."""
    assert 0.915 <= covered(name, 600) <= 0.985


def test_a_narrower_interval_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert covered("slow", 25) >= 0.85
    monkeypatch.setattr("facelet.pipeline.ladder.intervals.QUANTILES", (0.3, 0.7))
    assert covered("slow", 25) < 0.85


def test_many_players_at_once_are_expected_what_each_is() -> None:
    rng = np.random.default_rng(1)
    players = np.sort(rng.random((20, 30)), axis=1)[:, ::-1]
    found = expected_many(np.ascontiguousarray(players), LEVELS)
    for place, player in enumerate(players):
        one = expected(player.tolist(), LEVELS)
        assert abs(found.failed[place] - one.failed) < 1e-3
        assert abs(found.below[place] - one.below) < 1e-3


@pytest.mark.parametrize(("share", "mean"), [(0.0, 0.0), (1.0, 30.0)])
def test_an_interval_is_inside_the_ladder_and_has_width(share: float, mean: float) -> None:
    counts = [(round(50 * share), 50) for _ in range(30 if share else 1)]
    counts += [(0, 0)] * (30 - len(counts))
    low, high = interval(LEVELS, counts, mean, "failed", np.random.default_rng(0))
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
        counts, mean = ladder(chances[name], rng, levels, runs)
        deepest = max(level for level, (_, total) in zip(levels, counts, strict=True) if total)
        low, high = interval(levels, counts, mean, "failed", rng)
        assert low <= mean <= high <= 10 * deepest
        if runs == 10:
            assert high < max(2 * deepest, 3), "ten climbs tell more than where they ended"
        if name == "wrong":
            assert 0 < high < 0.5
