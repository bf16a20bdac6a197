"""Zero finding: the monitor against a twin, and the player against every short row."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.zero_finding import TASK, Puzzle, ZeroFinding


class Twin:
    """Case N.39: the row as a list that is changed in place."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.row = [int(bit) for bit in row["bits"]]
        zeros = [place for place, bit in enumerate(self.row, start=1) if bit == 0]
        self.target = zeros[row["rank"] - 1]

    def answer_line(self, line: str) -> str:
        for beginning, count in (("My Query:", 2), ("My Answer:", 1), ("My Final Answer:", 1)):
            named = line_numbers(line, beginning)
            if named is None:
                continue
            if len(named) != count or not all(0 < place <= len(self.row) for place in named):
                return INVALID
            if count == 2:
                first, last = named
                return str(sum(self.row[first - 1 : last])) if first <= last else INVALID
            if beginning == "My Final Answer:":
                self.has_won = True if named[0] == self.target else None
                return "Correct" if self.has_won else "Incorrect"
            if self.row[named[0] - 1] or named[0] == self.target:
                return "Incorrect"
            self.row[named[0] - 1] = 1
            return "Correct"
        return INVALID


def test_a_fault_is_found() -> None:
    class Faulty(ZeroFinding):
        """A zero that was found stays a zero."""

        def list_replies(self, puzzle: Any, now: str, said: Any) -> list[tuple[str, str]]:
            return [(puzzle.bits, heard) for _, heard in super().list_replies(puzzle, now, said)]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("length", [1, 5, 8])
def test_the_bound_is_exact(length: int) -> None:
    """Of all rows that have a k-th zero, some take so many turns, and none takes more."""
    for rank in range(1, length + 1):
        terms = blank_terms("dynamic_adaptation")
        turns = []
        for bits in map("".join, product("01", repeat=length)):
            if bits.count("0") >= rank:
                said, won = TASK.play_reference(Puzzle(terms, length, rank, bits))
                assert won
                turns.append(len(said))
        assert max(turns) == TASK.bound(Puzzle(terms, length, rank, ""))


def test_the_target_stays_while_zeros_before_it_go() -> None:
    puzzle = Puzzle(blank_terms("dynamic_adaptation"), 4, 2, "0010")
    twin = Twin(TASK.encode(puzzle))
    assert [twin.answer_line(f"My Answer: {place}") for place in (1, 1, 2)] == [
        "Correct",
        "Incorrect",
        "Incorrect",
    ]
    assert twin.answer_line("My Final Answer: 2") == "Correct"
