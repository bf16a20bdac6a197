"""Binary number guessing: the monitor against a twin, the player against every number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.binary_number_guessing import (
    TASK,
    BinaryNumberGuessing,
    Puzzle,
)


class Twin:
    """Case N.27: ones are counted in the written number."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.number, self.most = row["number"], row["most"]
        assert f"{self.number:b}".count("1") == row["ones"]

    def answer_line(self, line: str) -> str:
        taken = line_numbers(line, "My Operation:")
        if taken is not None:
            if len(taken) != 1 or taken[0] <= 0:
                return INVALID
            if taken[0] > self.number:
                return "Invalid"
            self.number -= taken[0]
            return str(f"{self.number:b}".count("1"))
        named = line_numbers(line, "My Answer:")
        if named is None or len(named) != 1 or not 0 <= named[0] <= self.most:
            return INVALID
        self.has_won = True if named[0] == self.number else None
        return "Correct" if self.has_won else "Incorrect"


def test_a_fault_is_found() -> None:
    class Faulty(BinaryNumberGuessing):
        """What is too much leaves nothing."""

        def list_replies(self, puzzle: Any, now: int, said: Any) -> list[tuple[int, int]]:
            ((left, heard),) = super().list_replies(puzzle, now, said)
            return [(0 if heard == -1 else left, heard)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("most", [50, 150, 500])
def test_the_bound_is_exact(most: int) -> None:
    """Of the numbers with equally many ones some take so many turns, and none takes more."""
    for ones in range(1, most.bit_length() + 1):
        shown = Puzzle(blank_terms("dynamic_adaptation"), most, ones, 0)
        plays = [TASK.play_reference(puzzle) for puzzle in TASK.list_candidates(shown)]
        assert all(won for _, won in plays)
        assert not plays or max(len(said) for said, _ in plays) == TASK.bound(shown) <= 5


@pytest.mark.parametrize("most", [10, 20, 50])
def test_the_optimum_is_that_of_a_plain_search(most: int) -> None:
    """Sets of the numbers as they are now, every subtraction, every name."""

    @cache
    def is_surely_found(now: frozenset[int], turns: int) -> bool:
        if len(now) <= 1 or turns <= 1:
            return len(now) <= 1 <= turns
        for taken in range(1, max(now) + 1):
            parts: dict[int, set[int]] = defaultdict(set)
            for number in now:
                left = number - taken
                parts[f"{left:b}".count("1") if left >= 0 else -1].add(left)
            after = {
                heard: frozenset(number for number in now if number < taken)
                if heard == -1
                else frozenset(part)
                for heard, part in parts.items()
            }
            if len(after) > 1 and all(is_surely_found(part, turns - 1) for part in after.values()):
                return True
        return any(is_surely_found(now - {number}, turns - 1) for number in now)

    for ones in range(1, most.bit_length() + 1):
        alike = frozenset(n for n in range(1, most + 1) if f"{n:b}".count("1") == ones)
        if alike:
            fewest = next(turns for turns in range(1, 9) if is_surely_found(alike, turns))
            assert (
                TASK.optimal_turns(Puzzle(blank_terms("dynamic_adaptation"), most, ones, 0))
                == fewest
            )
