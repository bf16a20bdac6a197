"""Pizza slicing: the monitor against a twin, the outlook against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.pizza_slicing import TASK, PizzaSlicing, State


def polygon_area(corners: list[tuple[int, int]]) -> Fraction:
    """Return the area of a polygon."""
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    return abs(Fraction(sum(a * d - b * c for (a, b), (c, d) in pairs), 2))


class Twin:
    """Case N.67: what is eaten is by how much the pizza becomes smaller."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.pizza = dict(enumerate(zip(row["xs"], row["ys"], strict=True), 1))
        self.mine = self.yours = Fraction(0)

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 1:
            return INVALID
        if choice[0] not in self.pizza:
            self.has_won = False
            return INVALID
        self.yours += self._eat_slice(choice[0])
        return {str(vertex) for vertex in self.pizza}

    def note_answer(self, text: str) -> None:
        self.mine += self._eat_slice(int(text))
        if len(self.pizza) == 2:
            self.has_won = self.yours < self.mine

    def _eat_slice(self, vertex: int) -> Fraction:
        before = polygon_area(list(self.pizza.values()))
        del self.pizza[vertex]
        return before - polygon_area(list(self.pizza.values()))


def test_a_fault_is_found() -> None:
    class Faulty(PizzaSlicing):
        """Who eats more wins."""

        def result(self, puzzle: Any, state: State) -> bool | None:
            won = super().result(puzzle, state)
            return won if won is None else not won

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(("level", "count"), [(1, 12), (2, 3)])
def test_the_outlook_is_that_of_minimax(level: int, count: int) -> None:
    """In the states of random plays, those after bad moves included."""

    def wins_surely(puzzle: Any, state: State) -> bool:
        if len(state.left) == 2:
            return state.lead > 0
        return any(
            all(wins_surely(puzzle, after) for after in TASK.list_outcomes(puzzle, state, said))
            for vertex in state.left
            for said in [TASK.random_command(puzzle, State((vertex,)), np.random.default_rng(0))]
        )

    seen = set()
    for number, puzzle in enumerate(make_puzzles(TASK, TASK.params(level=level), count)):
        rng = np.random.default_rng(number)
        state = TASK.start(puzzle)
        while len(state.left) > 2:
            if len(state.left) <= 6:
                found = TASK.turns_to_force_win(puzzle, state)
                assert (found is not None) == wins_surely(puzzle, state)
                assert found in (None, len(state.left) // 2 - 1)
                seen.add(found)
            after = list(TASK.list_outcomes(puzzle, state, TASK.random_command(puzzle, state, rng)))
            state = after[int(rng.integers(len(after)))]
    assert len(seen) >= (3 if level == 1 else 2)


def test_no_ear_is_smaller_than_the_smallest_eaten_before() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=6), 10):
        corners = list(zip(puzzle.xs, puzzle.ys, strict=True))
        eaten = Fraction(0)
        while len(corners) > 2:
            ears = [
                polygon_area([corners[k - 1], corner, corners[(k + 1) % len(corners)]])
                for k, corner in enumerate(corners)
            ]
            assert min(ears) >= eaten > -1 and min(ears) > 0
            eaten = min(ears)
            del corners[ears.index(eaten)]
