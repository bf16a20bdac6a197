"""Geometric distance: the monitor against a twin, and the outlook against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.geometric_distance import (
    TASK,
    GeometricDistance,
    Puzzle,
    State,
)
from facelet.generators.core.replies.command import Command


class Twin:
    """Case N.75, with the sum kept as it grows; the other side takes any point."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.at = tuple(row["start"])
        self.points = dict(enumerate(zip(row["xs"], row["ys"], strict=True), 1))
        self.sum = 0

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 1:
            return INVALID
        if choice[0] not in self.points:
            self.has_won = False
            return INVALID
        self._take_point(choice[0])
        return {str(point) for point in self.points}

    def note_answer(self, text: str) -> None:
        self._take_point(int(text))
        if not self.points:
            self.has_won = self.sum % 2 == 0

    def _take_point(self, number: int) -> None:
        x, y = self.points.pop(number)
        self.sum += (x - self.at[0]) ** 2 + (y - self.at[1]) ** 2
        self.at = x, y


def test_a_fault_is_found() -> None:
    class Faulty(GeometricDistance):
        """Odd sums win."""

        def result(self, puzzle: Any, state: State) -> bool | None:
            won = super().result(puzzle, state)
            return won if won is None else not won

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("size", [2, 4, 6])
def test_the_outlook_is_that_of_minimax(size: int) -> None:
    """All kinds of points, and all orders in which they are taken."""

    def wins_from(puzzle: Puzzle, left: frozenset[int], total: int, at: tuple[int, int]) -> bool:
        def take_point(point: int, at: tuple[int, int]) -> tuple[int, tuple[int, int]]:
            x, y = puzzle.xs[point - 1], puzzle.ys[point - 1]
            return (x - at[0]) ** 2 + (y - at[1]) ** 2, (x, y)

        if not left:
            return total % 2 == 0
        for mine in left:
            more, there = take_point(mine, at)
            rest = left - {mine}
            if all(
                wins_from(puzzle, rest - {other}, total + more + step, then)
                for other in rest
                for step, then in [take_point(other, there)]
            ):
                return True
        return False

    for kinds in product((0, 1), repeat=size):
        ys = tuple(2 * place + kind for place, kind in enumerate(kinds))
        terms = blank_terms("strategic_gaming")
        puzzle = Puzzle(terms, (4, 2), (4,) * size, ys, "random")
        won = wins_from(puzzle, frozenset(range(1, size + 1)), 0, (4, 2))
        assert TASK.turns_to_force_win(puzzle, State()) == (size // 2 if won else None)


def test_a_first_choice_can_throw_the_win_away() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=1, opponent="optimal"), 5):
        alike = [
            point
            for point, x, y in zip(range(1, 7), puzzle.xs, puzzle.ys, strict=True)
            if (x + y + sum(puzzle.start)) % 2 == 0
        ]
        assert len(alike) == 3
        for after in TASK.list_outcomes(puzzle, State(), Command("choice", (alike[0],))):
            lost = after.taken[-1] in alike
            assert (TASK.turns_to_force_win(puzzle, after) is None) == lost
