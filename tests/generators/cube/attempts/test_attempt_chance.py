"""The chance of random letters against closed forms and against all letter sequences."""

from itertools import product
from typing import get_args

import pytest

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import Redraw, explore_attempts
from facelet.generators.cube.engine.notation import Metric


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("redraw", get_args(Redraw))
def test_without_a_spare_attempt_every_letter_must_be_right(
    pools, metric: Metric, depth: int, redraw: Redraw
) -> None:
    for state in pools(metric, depth, 20).states[:5]:
        for attempts, chance in ((depth, 4.0**-depth), (depth - 1, 0.0)):
            tree = explore_attempts(state, "closed form", redraw, attempts, recovery=False)
            assert tree.chance == chance


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("recovery", [False, True])
@pytest.mark.parametrize("redraw", get_args(Redraw))
@pytest.mark.parametrize(("depth", "max_attempts"), [(1, 1), (1, 3), (2, 3)])
def test_it_is_the_share_of_letter_sequences_that_solve(
    pools, metric: Metric, recovery: bool, redraw: Redraw, depth: int, max_attempts: int
) -> None:
    state = pools(metric, depth, 20).states[-1]
    item = Instance(state, max_attempts, "text", "net", "sequences", redraw, 0.0)
    longest = max_attempts + depth * recovery
    right = 0
    for letters in product("ABCD", repeat=longest):
        replies = [f"<ANSWER>{letter}</ANSWER>" for letter in letters]
        outcome = replay(AttemptEpisode(item, recovery=recovery), replies)
        assert outcome.status in (Status.CORRECT, Status.WRONG)
        right += outcome.status is Status.CORRECT
    exact = explore_attempts(state, "sequences", redraw, max_attempts, recovery=recovery).chance
    assert exact == pytest.approx(right / 4**longest, rel=1e-12)


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize(("depth", "max_attempts"), [(1, 3), (2, 2)])
def test_it_counts_deviations_from_the_teacher_too(
    pools, metric: Metric, depth: int, max_attempts: int
) -> None:
    states = pools(metric, depth, 100).states
    also = []  # another move than the teacher's that helps is on offer
    for state in states:
        taught = rules.start_for_teacher(state, "taught", "teacher").plan[0]
        offered = rules.taught_options(metric, "taught", 1, state.facelets, taught)
        if len(set(offered) & set(rules.progress_moves(metric, state.facelets))) > 1:
            also.append(state)
    assert also or depth == 1
    for state in (states[0], *also[:2]):
        item = Instance(
            state, max_attempts, "text", "net", "taught", "attempt", 0.0, deviation="teacher"
        )
        longest, right = max_attempts + depth, 0
        for letters in product("ABCD", repeat=longest):
            replies = [f"<ANSWER>{letter}</ANSWER>" for letter in letters]
            outcome = replay(AttemptEpisode(item, recovery=True), replies)
            right += outcome.status is Status.CORRECT
        exact = explore_attempts(
            state, "taught", "attempt", max_attempts, recovery=True, deviation="teacher"
        ).chance
        assert exact == pytest.approx(right / 4**longest, rel=1e-12)
