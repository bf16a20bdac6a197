"""Blind players of episodes: what they find, that they are blind, and that they repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import toy_games

from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.seeding import Draw
from facelet.pipeline.audit import baseline_players, blind_episode_players
from facelet.pipeline.audit.baseline_players import StallingPlayer, list_options
from facelet.pipeline.audit.blind_episode_players import PlayCase, PlayCounts
from facelet.pipeline.cube.baseline_players import covering_tour


def cases(game: Any, count: int = 40) -> list[PlayCase]:
    found = []
    for index in range(count):
        (puzzle,) = game.generate(game.params(), Draw(("toys", "numbers"), index), None)
        found.append(PlayCase(game.group_key(puzzle), puzzle, tuple(game.reference(puzzle))))
    return found


def test_a_fixed_reply_that_wins_is_found() -> None:
    found = blind_episode_players.score_blind_players(toy_games.LEAKING, cases(toy_games.LEAKING))
    # 16 replies and 16 plays at most, as many series, and each of them after the best.
    assert found["fixed"] == PlayCounts(40, 40, player_count=96)
    assert found["random"].player_count == 1


def test_a_fair_game_is_not_won_blindly() -> None:
    found = blind_episode_players.score_blind_players(toy_games.FAIR, cases(toy_games.FAIR))
    assert set(found) == {"fixed", "random"}
    assert all(hits.hits / hits.plays < 0.15 for hits in found.values())


def test_the_order_of_puzzles_does_not_matter() -> None:
    some = cases(toy_games.FAIR)
    assert blind_episode_players.score_blind_players(
        toy_games.FAIR, some
    ) == blind_episode_players.score_blind_players(toy_games.FAIR, some[::-1])


def test_effort_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blind_episode_players, "TUNING_SHARE", 30)
    monkeypatch.setattr(blind_episode_players, "JUDGING_SHARE", 30)
    said = 0
    reply = toy_games.FAIR.open(cases(toy_games.FAIR, 1)[0].instance).__class__.reply

    def count_steps(self: Any, text: str) -> Any:
        nonlocal said
        said += 1
        return reply(self, text)

    some = cases(toy_games.FAIR)
    monkeypatch.setattr("facelet.generators.core.text_game.GameEpisode.reply", count_steps)
    found = blind_episode_players.score_blind_players(toy_games.FAIR, some)
    # Two halves, two kinds of players, tuned and judged; the last play may go over by its turns.
    assert said <= 2 * 2 * 2 * (30 + toy_games.TURNS) + 10
    assert all(hits.plays < 40 for hits in found.values())


def prompt(*options: str) -> Prompt:
    lines = "\n".join(f"{x}: {option}" for x, option in zip("ABCD", options, strict=False))
    return Prompt((Message("user", (TextPart(f"Moves:\n{lines}\nReply with one line."),)),))


def test_offers_are_read_off_a_prompt() -> None:
    assert list_options(prompt("U", "R2")) == {"A": "U", "B": "R2"}
    assert list_options(Prompt((Message("user", (TextPart("(A) one\n(B) two"),)),))) == {
        "A": "one",
        "B": "two",
    }
    assert list_options(Prompt((Message("user", (TextPart("A: the only one"),)),))) == {}


def test_who_stalls_takes_what_is_offered_again() -> None:
    says = StallingPlayer(1, True, lambda letter: f"<{letter}>").begin("")
    assert says(prompt("U", "R", "F")) == baseline_players.UNREADABLE
    assert says(prompt("D", "L", "R")) == "<C>"
    assert says(prompt("D", "L", "R")) == baseline_players.UNREADABLE
    assert says(prompt("L", "B", "U")) == "<A>"


def test_a_tour_passes_every_state_near_the_start() -> None:
    from facelet.generators.cube.engine import moves
    from facelet.generators.cube.engine.notation import SOLVED
    from facelet.generators.cube.pools.pool_spec import shells_to

    def iterate_passed(far: int) -> Iterator[str]:
        state = SOLVED
        for turn in covering_tour(far):
            state = moves.apply_maneuver(state, (turn,))
            yield state

    for far in (1, 2):
        assert {state for shell in shells_to("htm", far) for state in shell} <= set(
            iterate_passed(far)
        )
