"""Guess the maximums: the monitor against a twin, and the bound over all that may hold the top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.guess_max import TASK, GuessMax, Puzzle


class Twin:
    """Case N.3: number i is the greatest among all positions except those in list i."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.array = row["array"]
        self.password = [
            max(a for a, owner in zip(row["array"], row["owners"], strict=True) if owner != i)
            for i in range(1, row["lists"] + 1)
        ]

    def answer_line(self, line: str) -> str:
        size = len(self.array)
        query = line_numbers(line, "My Query:")
        if query is not None:
            allowed = set(query) <= set(range(1, size + 1)) and len(query) == len(set(query)) < size
            return str(max(self.array[x - 1] for x in query)) if allowed else INVALID
        guess = line_numbers(line, "My Answer:")
        if guess is None or len(guess) != len(self.password) or not 1 <= min(guess):
            return INVALID
        if max(guess) > size:
            return INVALID
        if guess != self.password:
            return "Incorrect"
        self.has_won = True
        return "Correct"


def test_a_fault_is_found() -> None:
    class Faulty(GuessMax):
        """It leaves out the last position that is named."""

        def answer_question(self, puzzle: Any, said: Any) -> int:
            if len(said.args[0]) == 1:
                return super().answer_question(puzzle, said)
            return max(puzzle.array[place - 1] for place in said.args[0][:-1])

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("lists", [2, 3, 5, 6])
def test_the_player_wins_all_small_arrays(lists: int) -> None:
    """All arrays of numbers up to 3, with and without positions that are in no list."""
    for owners in (tuple(range(1, lists + 1)), (*range(1, lists), 0, lists)):
        most = 0
        for array in product(range(1, min(3, len(owners)) + 1), repeat=len(owners)):
            terms = blank_terms("information_probing")
            puzzle = Puzzle(terms, lists, owners, array)
            said, won = TASK.play_reference(puzzle)
            assert won
            most = max(most, len(said))
        assert most == TASK.bound(puzzle)


def test_the_top_is_held_by_every_list_about_as_often() -> None:
    """No list, and no number, is a good guess."""
    puzzles = make_puzzles(TASK, TASK.params(level=1), 200)
    passwords = [Twin(TASK.encode(puzzle)).password for puzzle in puzzles]
    held = Counter(
        next((i for i, p in enumerate(password) if p < max(password)), -1) for password in passwords
    )
    assert set(held) == set(range(-1, 7)) and max(held.values()) < 50
    assert max(Counter(map(tuple, passwords)).values()) <= 5
