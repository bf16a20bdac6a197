"""Hidden number finding: the monitor against a twin, the player against every liar."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.hidden_number_finding import (
    TASK,
    HiddenNumberFinding,
    Puzzle,
)
from facelet.generators.core.replies.command import Command


class Twin:
    """Case N.29: the truth of each answer is noted."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.most, self.number, self.guesses = row["most"], row["number"], row["guesses"]
        self.right = ""
        self.truths = [True]

    def answer_line(self, line: str) -> str | set[str]:
        named = line_numbers(line, "My Answer:")
        if named is not None:
            if len(named) != 1 or not 1 <= named[0] <= self.most:
                return INVALID
            if named[0] == self.number:
                self.has_won = True
                return "Correct"
            self.guesses -= 1
            self.has_won = None if self.guesses else False
            return "Incorrect"
        asked = line_numbers(line, "My Query:")
        if asked is None or asked[0] != len(asked[1:]) or len(asked) == 1:
            return INVALID
        if len(set(asked[1:])) < asked[0] or min(asked[1:]) < 1 or max(asked[1:]) > self.most:
            return INVALID
        self.right = "YES" if self.number in asked[1:] else "NO"
        return {"YES", "NO"} if self.truths[-1] else {self.right}

    def note_answer(self, text: str) -> None:
        self.truths.append(text == self.right)
        assert any(self.truths[-2:])


def test_a_fault_is_found() -> None:
    class Faulty(HiddenNumberFinding):
        """It forgets that it lied."""

        def list_replies(self, puzzle: Any, now: bool, said: Any) -> list[tuple[bool, str]]:
            return super().list_replies(puzzle, False, said)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(("level", "turns"), [(1, 13), (2, 17), (3, 21)])
def test_the_bounds_are_those_known(level: int, turns: int) -> None:
    assert {p.terms.bound for p in make_puzzles(TASK, TASK.params(level=level), 5)} == {turns}


@pytest.mark.parametrize(
    ("most", "guesses", "turns"), [(7, 0, 7), (12, 0, 10), (16, 0, 11), (12, 2, 12), (16, 3, 12)]
)
def test_the_player_wins_against_every_liar(most: int, guesses: int, turns: int) -> None:
    """All answers that are allowed are followed, for all numbers at once."""
    shown = Puzzle(blank_terms("dynamic_adaptation", turns=99), most, guesses, 0)
    assert TASK.bound(shown) == TASK.optimal_turns(shown) == turns
    longest = 0
    stack: list[tuple[str, ...]] = [()]
    while stack:
        heard = stack.pop()
        player = TASK.player(shown)
        said: Command = next(player)
        alive = {(number, False) for number in range(1, most + 1)}
        for answer in (*heard, None):
            if answer is None:
                break
            alive = _filter_alive(alive, said, answer)
            said = player.send(answer)
        longest = max(longest, len(heard) + 1)
        for answer in ("Incorrect",) if said.form == "answer" else ("YES", "NO"):
            if _filter_alive(alive, said, answer):
                stack.append((*heard, answer))
    assert longest == turns


def _filter_alive(
    alive: set[tuple[int, bool]], said: Command, answer: str
) -> set[tuple[int, bool]]:
    """Return the numbers that are possible after an answer, with whether it was a lie of them."""
    if said.form == "answer":
        return {(number, lied) for number, lied in alive if number != said.args[0]}
    lies = {
        (number, lied, (number in said.args[0][1:]) != (answer == "YES")) for number, lied in alive
    }
    return {(number, lie) for number, lied, lie in lies if not (lied and lie)}


@pytest.mark.parametrize("guesses", [0, 2, 3])
@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 6])
def test_no_player_needs_fewer_turns(most: int, guesses: int) -> None:
    """A plain search over sets, of every query and every guess."""

    @cache
    def is_surely_found(
        honest: frozenset[int], lied: frozenset[int], left: int, guesses: int
    ) -> bool:
        every = sorted(honest | lied)
        if len(every) <= 1 or left <= 1:
            return len(every) <= 1 <= left
        for mask in range(1, 1 << len(every)):
            named = frozenset(n for place, n in enumerate(every) if mask >> place & 1)
            rest = frozenset(every) - named
            follow = (named, honest - named), (rest, honest & named)
            if all(is_surely_found(*one, left - 1, guesses) for one in follow):
                return True
        if guesses == 1:  # the last guess must be right
            return False
        return any(is_surely_found(honest - {n}, lied - {n}, left - 1, guesses - 1) for n in every)

    every = frozenset(range(most))
    fewest = next(
        left for left in range(1, 20) if is_surely_found(every, frozenset(), left, guesses)
    )
    shown = Puzzle(blank_terms("dynamic_adaptation"), most, guesses, 0)
    assert TASK.optimal_turns(shown) == fewest
