"""Grid game: the monitor against a twin, the outlook against a plain search of the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.grid_game import TASK, GridGame, State
from facelet.generators.core.replies.command import Command


class Twin:
    """Case N.71 and algorithm 14; the other side takes any valid cell."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.grid = {(k // 4 + 1, k % 4 + 1): number for k, number in enumerate(row["numbers"])}
        self.selected: set[tuple[int, int]] = set()
        self.player = self.system = 0

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 2:
            return INVALID
        cell = (choice[0], choice[1])
        if cell not in self._valid_cells():
            self.has_won = False
            return INVALID
        self.player += self.grid[cell]
        self.selected.add(cell)
        return {f"{x} {y}" for x, y in self._valid_cells()}

    def note_answer(self, text: str) -> None:
        x, y = map(int, text.split())
        self.system += self.grid[x, y]
        self.selected.add((x, y))
        if len(self.selected) == len(self.grid):
            self.has_won = self.player < self.system

    def _valid_cells(self) -> set[tuple[int, int]]:
        rest = set(self.grid) - self.selected
        if not self.selected:
            return rest
        return {c for c in rest for s in self.selected if abs(c[0] - s[0]) + abs(c[1] - s[1]) == 1}


def test_a_fault_is_found() -> None:
    class Faulty(GridGame):
        """The greater sum wins."""

        def result(self, puzzle: Any, state: Any) -> bool | None:
            won = super().result(puzzle, state)
            return won if won is None else state.lead < 0

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2])
def test_the_outlook_is_that_of_a_plain_search(level: int) -> None:
    """In states of random plays of which at most six cells are left."""

    def wins_surely(puzzle: Any, state: State) -> bool:
        won = TASK.result(puzzle, state)
        if won is not None:
            return won
        return any(
            all(wins_surely(puzzle, after) for after in TASK.list_outcomes(puzzle, state, said))
            for x in range(1, puzzle.rows + 1)
            for y in range(1, 5)
            for said in [Command("choice", (x, y))]
            if not TASK.legal(puzzle, state, said)
        )

    seen = set()
    for number, puzzle in enumerate(make_puzzles(TASK, TASK.params(level=level), 8)):
        rng, state = np.random.default_rng(number), TASK.start(puzzle)
        while TASK.result(puzzle, state) is None:
            left = 4 * puzzle.rows - state.taken.bit_count()
            if left <= 6:
                found = TASK.turns_to_force_win(puzzle, state)
                assert found == (left // 2 if wins_surely(puzzle, state) else None)
                seen.add(found)
            after = TASK.list_outcomes(puzzle, state, TASK.random_command(puzzle, state, rng))
            state = list(after)[int(rng.integers(len(list(after))))]
    assert len(seen) >= 3


def test_small_grids_are_won_against_the_best() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=1, opponent="optimal"), 3):
        assert puzzle.terms.bound == puzzle.terms.optimum == 6 == puzzle.terms.reference_turns
