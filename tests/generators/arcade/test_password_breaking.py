"""Password breaking: the monitor against a twin, and the plan against every password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.password_breaking import (
    TASK,
    PasswordBreaking,
    State,
    _password_changes,
    _plan_guesses,
)


class Twin:
    """Case N.21 and algorithm 6: lists of digits, the lowest first."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.base, self.low, self.high = row["base"], row["low"], row["low"] + row["span"]
        self.password = row["password"]

    def answer_line(self, line: str) -> str:
        guess = line_numbers(line, "My Guess:")
        if guess is None or len(guess) != 1 or not self.low <= guess[0] <= self.high:
            return INVALID
        if guess[0] == self.password:
            self.has_won = True
            return "Correct"
        x, y = self._number_digits(self.password), self._number_digits(guess[0])
        z = sum((a + b) % self.base * self.base**j for j, (a, b) in enumerate(zip(x, y)))  # noqa: B905
        self.password = z % (self.high - self.low + 1) + self.low
        return "Incorrect"

    def _number_digits(self, number: int) -> list[int]:
        found = []
        for _ in range(20):
            found.append(number % self.base)
            number //= self.base
        return found


def test_a_fault_is_found() -> None:
    class Faulty(PasswordBreaking):
        """The password changes by one less."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            after = super().step(puzzle, state, said, luck)
            return after if after.won else State(max(after.password - 1, puzzle.low))

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_plan_finds_every_password(level: int) -> None:
    """The bound is the turn in which the last password is found."""
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 5):
        plays = [TASK.play_reference(other) for other in TASK.list_candidates(puzzle)]
        assert all(won for _, won in plays)
        assert max(len(said) for said, _ in plays) == puzzle.terms.bound <= 3 * (level + 1)


def test_the_papers_example() -> None:
    """k = 2: 6 and 5 make 3 (case N.21)."""
    row = {"base": 2, "low": 0, "span": 10, "password": 6}
    twin = Twin(row)
    assert twin.answer_line("My Guess: 5") == "Incorrect" and twin.password == 3


@pytest.mark.parametrize("span", [10, 30, 63, 64, 70])
def test_a_plan_is_that_of_a_look_at_every_guess(span: int) -> None:
    """Also where the passwords take more than one word of bits."""
    for low, base in ((1, 2), (17, 3), (40, 10)):
        changes, possible, plan = _password_changes(low, span, base), np.arange(span + 1), []
        while len(possible):
            left = [np.unique(changes[one, possible[possible != one]]) for one in possible]
            best = min(range(len(left)), key=lambda place: len(left[place]))
            plan.append(int(possible[best]))
            possible = left[best]
        assert _plan_guesses(low, span, base) == tuple(plan)
        assert _plan_guesses(low, span, base, 3) == tuple(plan[:4])
