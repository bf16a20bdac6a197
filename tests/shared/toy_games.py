"""Two toy games for the audit: one that a fixed reply wins, and one that only players win."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.text_game import Game, Luck, Player

SIZE = 400
TURNS = 9


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Knobs."""

    level: int = param(1, "nothing", low=1, high=9, axis="level")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A number to find."""

    size: int = column("how many numbers there are")
    number: int = column("the hidden number", role="secret")


class FairGame(Game[Params, Puzzle, tuple[int, ...]]):
    """Find the number; every guess is answered with less, more or found."""

    name = "toy/fair"
    version = 1
    params = Params
    instance = Puzzle
    forms = (CommandForm("guess", "My Guess: {int}"),)

    def chance_level(self, params: Params) -> Chance:
        """Return the share of nine different guesses."""
        return ExactChance(TURNS / SIZE)

    def make(self, params: Params, draw: Draw) -> Puzzle:
        """Return a number of its own."""
        return Puzzle(SIZE, 1 + draw.unique_number("number", SIZE))

    def turn_budget(self, puzzle: Puzzle) -> int:
        """Return the guesses."""
        return TURNS

    def rules(self, puzzle: Puzzle) -> str:
        """Return the rules."""
        return "Find the number."

    def opening(self, puzzle: Puzzle) -> str:
        """Return the range."""
        return f"It lies from 1 to {puzzle.size}."

    def start(self, puzzle: Puzzle) -> tuple[int, ...]:
        """Return no guesses."""
        return ()

    def step(
        self, puzzle: Puzzle, state: tuple[int, ...], said: Command, luck: Luck
    ) -> tuple[int, ...]:
        """Return the guesses."""
        return (*state, said.args[0])

    def observe(self, puzzle: Puzzle, state: tuple[int, ...]) -> int:
        """Return -1, 0 or 1: the number is less, found, or more."""
        return (puzzle.number > state[-1]) - (puzzle.number < state[-1])

    def result(self, puzzle: Puzzle, state: tuple[int, ...]) -> bool | None:
        """Return whether it is found."""
        return True if state and state[-1] == puzzle.number else None

    def player(self, shown: Puzzle) -> Player:
        """Halve."""
        low, high = 1, shown.size
        while True:
            guess = (low + high) // 2
            way = yield Command("guess", (guess,))
            low, high = (guess + 1, high) if way > 0 else (low, guess - 1)


class LeakingGame(FairGame):
    """The same with a mistake: whoever says 200 three times has won as well."""

    name = "toy/leaking"

    def result(self, puzzle: Puzzle, state: tuple[int, ...]) -> bool | None:
        """Return whether it is found, or 200 was said three times."""
        return True if state[-3:] == (200,) * 3 else FairGame.result(self, puzzle, state)


class ExcusedGame(LeakingGame):
    """The same, declared."""

    name = "toy/excused"

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return that a fixed reply wins."""
        return BlindLimit(1.0, "who says 200 three times wins")


class RepeatingGame(FairGame):
    """The same with the same few numbers again and again."""

    name = "toy/again"
    few = 10

    def make(self, params: Params, draw: Draw) -> Puzzle:
        """Return one of few numbers."""
        return Puzzle(SIZE, 1 + (draw.index % self.few) * (SIZE // self.few))


class DeclaringGame(RepeatingGame):
    """The same, and it says why."""

    name = "toy/declaring"

    def repeat_reason(self, params: Params) -> str:
        """Return why."""
        return "there are ten numbers"

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return all: ten numbers can be guessed."""
        return BlindLimit(1.0, "there are ten numbers")


FAIR, LEAKING, EXCUSED = FairGame(), LeakingGame(), ExcusedGame()
AGAIN, DECLARING = RepeatingGame(), DeclaringGame()
