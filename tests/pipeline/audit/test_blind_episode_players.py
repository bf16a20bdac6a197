"""Blind players of episodes: what they find, that they are blind, and that they repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import toy_games

from facelet.generators.core.prompts import Message, Prompt, Text
from facelet.generators.core.seeding import Draw
from facelet.pipeline.audit import blind, policies
from facelet.pipeline.audit.blind import Case, Hits
from facelet.pipeline.audit.policies import Stalling, offered
from facelet.pipeline.cube.blind import tour


def cases(game: Any, count: int = 40) -> list[Case]:
    found = []
    for index in range(count):
        (puzzle,) = game.generate(game.params(), Draw(("toys", "numbers"), index), None)
        found.append(Case(game.group(puzzle), puzzle, tuple(game.reference(puzzle))))
    return found


def test_a_fixed_reply_that_wins_is_found() -> None:
    found = blind.blind(toy_games.LEAKING, cases(toy_games.LEAKING))
    # 16 replies and 16 plays at most, as many series, and each of them after the best.
    assert found["fixed"] == Hits(40, 40, tried=96)
    assert found["random"].tried == 1


def test_a_fair_game_is_not_won_blindly() -> None:
    found = blind.blind(toy_games.FAIR, cases(toy_games.FAIR))
    assert set(found) == {"fixed", "random"}
    assert all(hits.hits / hits.plays < 0.15 for hits in found.values())


def test_the_order_of_puzzles_does_not_matter() -> None:
    some = cases(toy_games.FAIR)
    assert blind.blind(toy_games.FAIR, some) == blind.blind(toy_games.FAIR, some[::-1])


def test_effort_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blind, "TUNED", 30)
    monkeypatch.setattr(blind, "JUDGED", 30)
    said = 0
    reply = toy_games.FAIR.open(cases(toy_games.FAIR, 1)[0].instance).__class__.reply

    def counted(self: Any, text: str) -> Any:
        nonlocal said
        said += 1
        return reply(self, text)

    some = cases(toy_games.FAIR)
    monkeypatch.setattr("facelet.generators.core.play.GameEpisode.reply", counted)
    found = blind.blind(toy_games.FAIR, some)
    # Two halves, two kinds of players, tuned and judged; the last play may go over by its turns.
    assert said <= 2 * 2 * 2 * (30 + toy_games.TURNS) + 10
    assert all(hits.plays < 40 for hits in found.values())


def prompt(*options: str) -> Prompt:
    lines = "\n".join(f"{x}: {option}" for x, option in zip("ABCD", options, strict=False))
    return Prompt((Message("user", (Text(f"Moves:\n{lines}\nReply with one line."),)),))


def test_offers_are_read_off_a_prompt() -> None:
    assert offered(prompt("U", "R2")) == {"A": "U", "B": "R2"}
    assert offered(Prompt((Message("user", (Text("(A) one\n(B) two"),)),))) == {
        "A": "one",
        "B": "two",
    }
    assert offered(Prompt((Message("user", (Text("A: the only one"),)),))) == {}


def test_who_stalls_takes_what_is_offered_again() -> None:
    says = Stalling(1, True, lambda letter: f"<{letter}>").begin("")
    assert says(prompt("U", "R", "F")) == policies.UNREADABLE
    assert says(prompt("D", "L", "R")) == "<C>"
    assert says(prompt("D", "L", "R")) == policies.UNREADABLE
    assert says(prompt("L", "B", "U")) == "<A>"


def test_a_tour_passes_every_state_near_the_start() -> None:
    from facelet.generators.cube.engine import moves
    from facelet.generators.cube.engine.facelets import SOLVED
    from facelet.generators.cube.pools.shells import shells_to

    def passed(far: int) -> Iterator[str]:
        state = SOLVED
        for turn in tour(far):
            state = moves.apply(state, (turn,))
            yield state

    for far in (1, 2):
        assert {state for shell in shells_to("htm", far) for state in shell} <= set(passed(far))
