"""Hidden number: find a whole number from 1 to n; each guess is told whether it is too low."""

from __future__ import annotations

from dataclasses import dataclass

from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.text_game import Game, Luck, Player


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """The difficulty."""

    level: int = param(1, "the numbers are 1 to 100 * level", low=1, high=99, axis="level")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A range, and the number that is hidden in it."""

    size: int = column("the numbers are 1 to this one", role="puzzle")
    number: int = column("the hidden number", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The last guess; 0 before the first."""

    guess: int = 0


class HiddenNumber(Game[Params, Puzzle, State]):
    """The game; see the module."""

    name = "guessing/hidden_number"
    version = 1
    params = Params
    instance = Puzzle
    forms = (CommandForm("guess", "My Guess: {int}"),)

    def make(self, params: Params, draw: Draw) -> Puzzle:
        size = 100 * params.level
        return Puzzle(size, 1 + draw.unique_number("number", size))

    def turn_budget(self, puzzle: Puzzle) -> int:
        return puzzle.size.bit_length()

    def rules(self, puzzle: Puzzle) -> str:
        return "I have hidden a whole number. I answer LOW if your guess is below it, else HIGH."

    def opening(self, puzzle: Puzzle) -> str:
        return f"The number is one of 1 to {puzzle.size}."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, said: Command) -> str:
        inside = 1 <= said.args[0] <= puzzle.size
        return "" if inside else f"the number is one of 1 to {puzzle.size}"

    def step(self, puzzle: Puzzle, state: State, said: Command, luck: Luck) -> State:
        return State(said.args[0])

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return "LOW" if state.guess < puzzle.number else "HIGH"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.guess == puzzle.number else None

    def player(self, shown: Puzzle) -> Player:
        low, high = 1, shown.size
        while True:
            guess = (low + high) // 2
            heard = yield Command("guess", (guess,))
            low, high = (guess + 1, high) if heard == "LOW" else (low, guess - 1)


TASK = HiddenNumber()
