"""Ladders: the rules step by step, a chain against all climbs and against simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.pipeline.curriculum.ladder.climb import (
    VISITS,
    LevelVisit,
    climb_levels,
    find_reached_level,
)
from facelet.pipeline.curriculum.ladder.expected_level import (
    end_chances,
    estimate_reach,
    pass_chance,
)


@pytest.mark.parametrize(
    ("results", "end", "failed", "below"),
    [
        ([False], "bottom", 0, 0),
        ([True, False, False], "bottom", 0, 0),
        ([True, False, True, False], "failed", 2, 1),
        ([True, True, False, False, True, False], "failed", 2, 1),
        ([True, True, False, True, False], "failed", 3, 2),
        ([True, True, False, False, False], "bottom", 0, 0),
        ([True] * 50, "top", 50, 50),
    ],
)
def test_climbs_by_hand(results: list[bool], end: str, failed: int, below: int) -> None:
    levels = tuple(range(1, 51))
    left = iter(results)
    found = climb_levels(50, lambda visit: next(left))
    assert found.end == end
    r = find_reached_level(found, levels)
    assert r is not None and (r.failed, r.below) == (failed, below)


def test_levels_with_gaps() -> None:
    left = iter([True, True, False, True, False])
    found = climb_levels(3, lambda visit: next(left))
    r = find_reached_level(found, (2, 5, 9))
    assert r is not None and (r.failed, r.below) == (9, 5)


def test_an_open_climb_says_which_visit_is_due() -> None:
    known = {LevelVisit(0, 0): True, LevelVisit(1, 0): False}
    found = climb_levels(3, known.get)
    assert (
        found.end == "open"
        and found.open_visit == LevelVisit(0, 1)
        and find_reached_level(found, (1, 2, 3)) is None
    )


@given(st.lists(st.booleans(), max_size=200))
def test_no_level_is_visited_more_often_than_said(results: list[bool]) -> None:
    left = iter(results)
    numbers: list[int] = []

    def answer_visit(visit: LevelVisit) -> bool:
        numbers.append(visit.number)
        return next(left, False)

    climb_levels(6, answer_visit)
    assert max(numbers) < VISITS


def climb_chances(passing: tuple[float, ...]) -> dict[tuple[str, int], float]:
    """Follow every climb there is, by its results; the twin of the chain."""
    totals: dict[tuple[str, int], float] = {}

    def follow_results(results: tuple[bool, ...], likely: float) -> None:
        given_ = iter(results)
        found = climb_levels(len(passing), lambda visit: next(given_, None))
        if found.end != "open":
            key = (found.end, found.place)
            totals[key] = totals.get(key, 0.0) + likely
            return
        chance = passing[found.place]
        follow_results((*results, True), likely * chance)
        follow_results((*results, False), likely * (1 - chance))

    follow_results((), 1.0)
    return totals


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_the_chain_is_the_sum_over_all_climbs(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(6):
        passing = tuple(rng.random(size).tolist())
        twin, found = climb_chances(passing), end_chances(passing)
        assert found.bottom == pytest.approx(twin.get(("bottom", -1), 0.0), abs=1e-12)
        assert found.top == pytest.approx(twin.get(("top", size - 1), 0.0), abs=1e-12)
        for place in range(size):
            expected_ = twin.get(("failed", place), 0.0)
            assert found.failed[place] == pytest.approx(expected_, abs=1e-12)
        assert sum(found.failed) + found.bottom + found.top == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "accuracies", [[0.25] * 30, [0.9] * 30, [0.95 - 0.03 * k for k in range(30)]]
)
def test_the_chain_agrees_with_simulated_ladders(accuracies: list[float]) -> None:
    rng = np.random.default_rng(7)
    runs = 6_000
    found = []
    for _ in range(runs):
        done = climb_levels(
            len(accuracies),
            lambda visit: bool((rng.random(5) < accuracies[visit.place]).sum() >= 3),
        )
        r = find_reached_level(done, tuple(range(1, 31)))
        assert r is not None
        found.append((r.failed, r.below))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(runs)
    value = estimate_reach(accuracies)
    assert abs(means[0] - value.failed) < 4 * errors[0] + 1e-9
    assert abs(means[1] - value.below) < 4 * errors[1] + 1e-9


def test_who_is_always_right_reaches_the_top_and_who_never_is_falls() -> None:
    assert estimate_reach([1.0] * 1000).below == estimate_reach([1.0] * 1000).failed == 1000
    assert estimate_reach([0.0] * 10).failed == 0
    assert pass_chance(0.25) == pytest.approx(0.103515625)


def test_the_floor_of_four_options() -> None:
    """A guesser's R hardly depends on how many levels there are."""
    assert estimate_reach([0.25] * 20).below == pytest.approx(
        estimate_reach([0.25] * 40).below, abs=1e-12
    )
    assert 0 < estimate_reach([0.25] * 30).below < 0.1


def test_a_thousand_levels_cost_little() -> None:
    value = estimate_reach([0.97] * 1200)
    assert 100 < value.below < 1200
