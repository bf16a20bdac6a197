"""The rules by which next levels are proposed, on accuracies made up for it."""

import dataclasses

import numpy as np
import pytest

from facelet.pipeline.curriculum.proposals import (
    ConfigResult,
    count_all_wins,
    propose_capability,
    propose_curriculum,
    propose_failures,
    propose_siblings,
)
from facelet.pipeline.curriculum.psychometric_fit import LevelResult


def make_result(
    rights: dict[int, int], high: int | None = None, name: str = "s.game"
) -> ConfigResult:
    asked = tuple(LevelResult(level, right, 30) for level, right in rights.items())
    return ConfigResult(name, asked, 1, high)


@pytest.mark.parametrize(
    ("rights", "high", "level"),
    [
        ({1: 30, 2: 29, 3: 28}, None, 4),  # 93% of the highest
        ({1: 30, 2: 29, 3: 27}, None, 3),  # 90% is not more than 90%
        ({1: 30, 2: 29, 3: 2}, None, 3),  # 7% of level 3: as far as level 2, won by 97%
        ({1: 30, 2: 15, 3: 2}, None, 2),
        ({4: 2, 5: 0}, None, 3),  # none at all: down
        ({1: 2, 2: 0}, None, 1),  # there is no level 0
        ({8: 30, 9: 30}, 9, 9),  # nor one above the task's last
    ],
)
def test_a_curriculum_moves_by_the_win_rate(
    rights: dict[int, int], high: int | None, level: int
) -> None:
    assert propose_curriculum(make_result(rights, high), 30).counts == {level: 30}


def test_the_capability_is_looked_for_where_it_lies() -> None:
    found = propose_capability(make_result({1: 28, 2: 20, 3: 6}), 10)
    assert found.fit is not None and found.fit.low is not None and found.fit.high is not None
    assert found.counts == {2: 10, 3: 10} and 2 < found.fit.low < found.fit.high < 3


def test_the_capability_beyond_all_levels_is_looked_for_upwards() -> None:
    assert list(propose_capability(make_result({1: 30, 2: 30, 3: 30}), 10).counts) == [4, 5, 6]
    assert list(propose_capability(make_result({1: 30, 2: 30, 3: 30}, 5), 10).counts) == [4, 5]


def test_the_capability_below_all_levels_is_looked_for_downwards() -> None:
    assert list(propose_capability(make_result({4: 0, 5: 0}), 10).counts) == [1, 2, 3]
    assert list(propose_capability(make_result({1: 0, 2: 0}), 10).counts) == [1]


def test_a_wide_interval_is_spread_over_a_few_levels() -> None:
    found = propose_capability(make_result({1: 20, 100: 10}), 10)
    levels = list(found.counts)
    assert len(levels) <= 5 and levels == sorted(levels)


def test_failures_are_built_again_in_proportion() -> None:
    """29.5, 9.5 and 0.5 of 31 for each: of 60 rows 45, 14 and 1."""
    found = propose_failures(
        [make_result({1: 30, 2: 1}), make_result({1: 21}, None, "s.other")], 20
    )
    counts = {(one.config, level): n for one in found for level, n in one.counts.items()}
    assert counts == {("s.game", 1): 1, ("s.game", 2): 45, ("s.other", 1): 14}


def test_a_player_at_random_is_never_promoted() -> None:
    """It wins 9 of 10 plays of a level that any moves win; nobody else moves up for that."""
    rng = np.random.default_rng(3)
    promoted = 0
    for _ in range(1000):
        right = int(rng.binomial(60, 0.9))
        guessing = ConfigResult("s.game", (LevelResult(1, right, 60, 0.9),), 1, None)
        (level,) = propose_curriculum(guessing, 10).counts
        promoted += level > 1
    assert promoted < 10
    (level,) = propose_curriculum(
        ConfigResult("s.game", (LevelResult(1, 60, 60, 0.9),), 1, None), 10
    ).counts
    assert level == 2


def test_all_wins_count_where_the_papers_rule_is_wanted() -> None:
    """92% is 84% of what guessing leaves of half: the paper goes up, and guessing stays."""
    result = ConfigResult("s.game", (LevelResult(1, 55, 60, 0.5),), 1, None)
    assert list(propose_curriculum(result, 10).counts) == [1]
    (counted,) = count_all_wins([result])
    assert list(propose_curriculum(counted, 10).counts) == [2]
    assert list(propose_curriculum(*count_all_wins([make_result({2: 0})]), 10).counts) == [1]


def test_what_is_solved_gets_harder_siblings() -> None:
    """One for each param with a step, and one with all of them; none of what is not solved."""
    solved = dataclasses.replace(
        make_result({1: 30, 2: 29, 3: 20}), steps={"tight": True, "side": "best"}
    )
    found = propose_siblings(solved, 7)
    assert [one.params for one in found] == [
        {"tight": True},
        {"side": "best"},
        {"tight": True, "side": "best"},
    ]
    assert all(one.counts == {2: 7} for one in found)
    assert propose_siblings(dataclasses.replace(solved, steps={}), 7) == []
    assert (
        propose_siblings(dataclasses.replace(make_result({1: 20}), steps={"tight": True}), 7) == []
    )
