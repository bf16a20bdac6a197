"""The base of games: the two stages of judging, what a bad reply costs, and exact replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from facelet.generators.core.game_rules import ErrorPrice
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Status
from facelet.generators.core.text_game import Game, Luck, Player


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    level: int = param(1, "numbers to choose from", low=1, high=99, axis="level")


@dataclass(frozen=True, slots=True)
class Puzzle:
    size: int = column("how many numbers there are", role="puzzle")
    seed: str = column("what the moves of the number are drawn from", role="unseen")
    number: int = column("the hidden number at the start", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    number: int
    guess: int = 0
    lost: bool = False


class MovingNumber(Game[Params, Puzzle, State]):
    """A hidden number that moves by one at random after each guess; guess 0 gives up."""

    name = "toy/moving"
    version = 1
    params = Params
    instance = Puzzle
    forms = (CommandForm("guess", "My Guess: {int}"),)

    def make(self, params: Params, draw: Draw) -> Puzzle:
        return Puzzle(9, str(draw.index), 1 + draw.unique_number("number", 9))

    def turn_budget(self, puzzle: Puzzle) -> int:
        return 6

    def rules(self, puzzle: Puzzle) -> str:
        return "Find the number."

    def opening(self, puzzle: Puzzle) -> str:
        return f"1 to {puzzle.size}; {puzzle.number} and {puzzle.seed} are hidden"

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.number)

    def legal(self, puzzle: Puzzle, state: State, said: Command) -> str:
        return "" if 0 <= said.args[0] <= puzzle.size else "out of range"

    def step(self, puzzle: Puzzle, state: State, said: Command, luck: Luck) -> State:
        (guess,) = said.args
        if guess == state.number:
            return State(guess, guess)
        moved = state.number + int(luck.rng.integers(-1, 2))
        return State(min(max(moved, 1), puzzle.size), guess, lost=guess == 0)

    def observe(self, puzzle: Puzzle, state: State) -> int:
        return state.number - state.guess

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return False if state.lost else True if state.guess == state.number else None

    def player(self, shown: Puzzle) -> Player:
        assert (shown.number, shown.seed) == (None, None)
        guess = 5
        while True:
            guess += yield Command("guess", (guess,))


GAME = MovingNumber()


def make_puzzle(number: int = 9) -> Puzzle:
    return Puzzle(9, "7", number)


def last_text(prompt: Prompt | Outcome) -> str:
    assert isinstance(prompt, Prompt)
    part = prompt.messages[-1].parts[-1]
    assert isinstance(part, TextPart)
    return part.text


def test_prompts_are_built_from_what_is_shown() -> None:
    assert last_text(GAME.open(make_puzzle()).prompt()) == "1 to 9; None and None are hidden"


def test_replays_are_exact_and_luck_depends_on_the_puzzle() -> None:
    replies = [f"My Guess: {guess}" for guess in (1, 1, 1, 1, 1)]

    def play_texts(seed: str) -> list[str]:
        episode = GAME.open(Puzzle(9, seed, 9))
        return [last_text(episode.reply(text)) for text in replies]

    assert play_texts("7") == play_texts("7")
    assert len({tuple(play_texts(str(seed))) for seed in range(20)}) > 5


def test_a_refused_reply_does_not_move_the_luck() -> None:
    """What a bad reply costs is a turn; the number moves as it would have moved."""
    straight, stumbling = GAME.open(make_puzzle()), GAME.open(make_puzzle())
    stumbling.reply("what?")
    stumbling.reply("My Guess: 99")
    for text in ("My Guess: 1", "My Guess: 2"):
        one, two = last_text(straight.reply(text)), last_text(stumbling.reply(text))
        assert one.splitlines()[0] == two.splitlines()[0]
        assert one != two  # fewer turns are left


def test_turns_count_down_and_run_out() -> None:
    episode = GAME.open(make_puzzle())
    lefts = [last_text(episode.reply("My Guess: 1")).splitlines()[-1] for _ in range(5)]
    assert lefts == [f"Turns left: {left}" for left in (5, 4, 3, 2, 1)]
    outcome = episode.reply("My Guess: 1")
    assert isinstance(outcome, Outcome) and outcome.status is Status.WRONG
    assert outcome.metrics["turns"] == 6 and outcome.metrics["terminated"] == 0


def test_the_two_stages_of_judging() -> None:
    outcome = replay(GAME.open(make_puzzle(5)), ["hm", "My Guess: 10", "My Guess: 5"])
    assert outcome.status is Status.CORRECT and not outcome.strict
    assert outcome.metrics["format_errors"] == 1 and outcome.metrics["illegal_moves"] == 1
    assert outcome.metrics["invalid_rate"] == pytest.approx(2 / 3)
    assert outcome.metrics["turns"] == outcome.metrics["turns_when_solved"] == 3


def test_endings() -> None:
    lost = replay(GAME.open(make_puzzle()), ["My Guess: 0", "My Guess: 9"])
    assert lost.status is Status.WRONG and lost.metrics["terminated"] == 1
    silent = replay(GAME.open(make_puzzle()), ["?"] * 6)
    assert silent.status is Status.UNPARSED and silent.metrics["format_errors"] == 6
    halted = replay(GAME.open(make_puzzle()), ["My Guess: 1"])
    assert halted.status is Status.UNPARSED and halted.metrics["turns"] == 1
    assert replay(GAME.open(make_puzzle()), []).metrics["replied"] == 0


@pytest.mark.parametrize(
    ("price", "bad", "status", "turns"),
    [
        (ErrorPrice("turn"), 5, Status.CORRECT, 6),
        (ErrorPrice("turn"), 6, Status.UNPARSED, 6),
        (ErrorPrice("free", 2), 2, Status.CORRECT, 1),
        (ErrorPrice("free", 2), 3, Status.UNPARSED, 0),
        (ErrorPrice("end"), 1, Status.UNPARSED, 0),
    ],
)
def test_prices(
    price: ErrorPrice, bad: int, status: Status, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MovingNumber, "unreadable", price)
    outcome = replay(GAME.open(make_puzzle(5)), ["?"] * bad + ["My Guess: 5"])
    assert (outcome.status, outcome.metrics["turns"]) == (status, turns)


def test_an_illegal_command_may_end_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MovingNumber, "illegal", ErrorPrice("end"))
    outcome = replay(GAME.open(make_puzzle(5)), ["My Guess: 10", "My Guess: 5"])
    assert outcome.status is Status.ILLEGAL
    assert "ends the game at once" in last_system_line(GAME.open(make_puzzle()).prompt())


def last_system_line(prompt: Prompt) -> str:
    part = prompt.messages[0].parts[-1]
    assert isinstance(part, TextPart)
    return part.text


def test_only_puzzles_that_the_reference_player_wins_are_made() -> None:
    made: list[Any] = []
    for index in range(9):
        draw = Draw((0, "toy"), index)
        found = GAME.make(Params(), draw)
        commands, won = GAME.play_reference(found)
        made.append(won)
        assert (GAME.find_faults(found) == []) == won
        assert len(commands) <= 6
    assert any(made)


def test_a_player_that_stops_does_not_win(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop_at_once(self: Any, shown: Puzzle) -> Player:
        yield Command("guess", (1,))

    monkeypatch.setattr(MovingNumber, "player", stop_at_once)
    assert GAME.find_faults(make_puzzle()) == ["the reference player does not win within 6 turns"]
