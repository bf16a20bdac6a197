"""Climbing finds lists that win where legal moves and reference players do not."""

from __future__ import annotations

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.audit.baseline_players import FixedScript
from facelet.pipeline.audit.blind_episode_players import PlayBudget, PlayCase, score_blind_players
from facelet.pipeline.audit.studies.tuned_scripts import climb_scripts

ATTEMPTS = 200


def cases(name: str, level: int, count: int, **params: object) -> list[PlayCase]:
    game = task_registry.tasks()[name]
    made = game.params(level=level, **params)
    found: dict[str, PlayCase] = {}
    for index in range(count):
        for attempt in range(ATTEMPTS):
            try:
                draw = Draw(("climbing", name), index, attempt)
                (puzzle,) = game.generate(made, draw, None)
            except Reject:
                continue
            found.setdefault(
                game.group_key(puzzle),
                PlayCase(game.group_key(puzzle), puzzle, tuple(game.reference(puzzle))),
            )
            break
    return list(found.values())


def test_a_list_is_climbed_to_that_wins_what_no_single_reply_does() -> None:
    game = task_registry.tasks()["arcade/knight_battle"]
    puzzles = cases(game.name, 1, 60)
    found = climb_scripts(game, puzzles, 2_000)
    assert found is not None and len(found.says) > 2
    tally = PlayBudget(game, 1 << 30)
    singles = max(tally.count_wins(FixedScript((said,)), puzzles) for said in sorted({*found.says}))
    assert found.hits > 0.1 * found.plays and found.hits > 2 * singles
    assert found == climb_scripts(game, puzzles, 2_000), "the same effort finds the same"


def test_nothing_is_said_of_too_few() -> None:
    game = task_registry.tasks()["arcade/knight_battle"]
    assert climb_scripts(game, cases(game.name, 1, 1), 100) is None


def test_the_shortest_ways_of_others_win_more_than_their_plays() -> None:
    """Who crosses traps by reason goes about to learn; the way it could have gone fits many."""
    game = task_registry.tasks()["arcade/safepath_finding"]
    puzzles = cases(game.name, 3, 24, picked="any")
    found = score_blind_players(game, puzzles)
    assert found["direct"].hits > found["fixed"].hits


def test_answers_are_named_one_after_another() -> None:
    """Fifteen turns name many of the fifty sets that impostors may be; most lists do not."""
    game = task_registry.tasks()["arcade/find_the_impostors"]
    named = score_blind_players(game, cases(game.name, 1, 48, turns=15))["named"]
    assert named.hits > 0.15 * named.plays > 0 and named.player_count == 1
    assert "named" not in score_blind_players(game, [])
