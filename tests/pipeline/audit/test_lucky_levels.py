"""Levels of games that are won blindly more often than usual say so: each can be built alone."""

from typing import Any

from facelet.generators.arcade.tasks import knight_battle
from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.blind_episode_players import PlayCase
from facelet.pipeline.audit.player_results import PlayerShare
from facelet.pipeline.dataset.floor_record import UNSTATED

ATTEMPTS = 200


def cases(game: Any, level: int, count: int) -> list[PlayCase]:
    """Puzzles of one level, each once."""
    found: dict[str, PlayCase] = {}
    for index in range(count):
        for attempt in range(ATTEMPTS):
            try:
                draw = Draw(("lucky", game.name, level), index, attempt)
                (puzzle,) = game.generate(game.params(level=level), draw, None)
            except Reject:
                continue
            group = game.group_key(puzzle)
            found.setdefault(group, PlayCase(group, puzzle, tuple(game.reference(puzzle))))
            break
    return list(found.values())


def test_the_first_level_alone_is_under_its_limit_and_above_the_usual_one() -> None:
    game = knight_battle.TASK
    limit = game.blind_limit(game.params(level=1))
    assert limit is not None and game.blind_limit(game.params(level=3)) is None
    found = blind_episode_players.score_blind_players(game, cases(game, 1, 160))
    best = max(found, key=lambda name: found[name].hits / found[name].plays)
    hits = found[best]
    player = PlayerShare(best, hits.hits / hits.plays, hits.plays)
    assert player.value <= limit.value
    # Not by luck: as many of as few plays come once in a thousand times.
    assert player.value > player.luck_bound(1e-3, UNSTATED)


def test_what_is_said_of_a_level_has_a_reason_and_is_more_than_usual() -> None:
    games = [task for name, task in task_registry.tasks().items() if name.startswith("arcade/")]
    assert any(game.lucky for game in games)
    for game in games:
        for level, limit in game.lucky.items():
            assert level in (1, 2, 3) and UNSTATED < limit.value <= 1 and limit.reason, game.name
        # What is said of the third level is said of all beyond it, and no more than that.
        third = game.blind_limit(game.params(level=3))
        assert game.blind_limit(game.params(level=4)) == third
        assert (third is not None) == (3 in game.lucky)
