"""A forty-first game as a stranger would add it: find a number that is told to be higher or lower.

Halving wins within ceil(log2(n + 1)) turns, as each answer but the last leaves at most half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Draw,
    Luck,
    Player,
    Sample,
    blank_terms,
    column,
)


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """A number and its range."""

    most: int = column("the greatest number that it may be", role="puzzle")
    hidden: int = column("the number, from 1", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The last guess; 0 before the first."""

    guess: int = 0


class HigherOrLower(ArcadeGame[ArcadeParams, Puzzle, State]):
    """A player finds a hidden number by replies of Higher and Lower."""

    name = "arcade/higher_or_lower"
    version = 1
    category = "information_probing"
    forms = (CommandForm("guess", "My Guess: {int}", "My Guess: x"),)
    questions = frozenset({"guess"})
    answers = frozenset({"guess"})
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 5, 4),
        (Command("guess", (3,)), Command("guess", (4,))),
        "The number is 1 to 5.",
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        most = params.level_size(100, 300, 1000, 1000)
        return Puzzle(
            self.terms(params, draw, 1 / most), most, draw.unique_number("hidden", most) + 1
        )

    def capacity(self, params: ArcadeParams) -> int:
        return params.level_size(100, 300, 1000, 1000)

    def rules(self, puzzle: Puzzle) -> str:
        return f"Find a number from 1 to {puzzle.most}. I say Higher, Lower or Right."

    def opening(self, puzzle: Puzzle) -> str:
        return "Give your first guess."

    def start(self, puzzle: Puzzle) -> State:
        return State()

    def legal(self, puzzle: Puzzle, state: State, said: Command) -> str:
        return "" if 1 <= said.args[0] <= puzzle.most else f"guess a number 1 to {puzzle.most}"

    def step(self, puzzle: Puzzle, state: State, said: Command, luck: Luck) -> State:
        return State(said.args[0])

    def observe(self, puzzle: Puzzle, state: State) -> str:
        if state.guess == puzzle.hidden:
            return "Right"
        return "Higher" if puzzle.hidden > state.guess else "Lower"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.guess == puzzle.hidden else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("guess", (int(rng.integers(1, puzzle.most + 1)),))

    def bound(self, shown: Puzzle) -> int:
        return shown.most.bit_length()

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        return (replace(shown, hidden=number) for number in range(1, shown.most + 1))

    def player(self, shown: Puzzle) -> Player:
        low, high = 1, shown.most
        while True:
            middle = (low + high) // 2
            answer = yield Command("guess", (middle,))
            low, high = (middle + 1, high) if answer == "Higher" else (low, middle - 1)


TASK = HigherOrLower()
