"""Dark maze: the monitor against a twin, the mazes, the bound over all small ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare, make

from facelet.generators.arcade.tasks.dark_maze_exploration import TASK, DarkMazeExploration


class Twin:
    """Case N.53, with the set of cells that are joined."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.over: bool | None = None
        self.size = row["size"]
        self.joined = set()
        for r, line in enumerate(row["maze"]):
            for c, sign in enumerate(line):
                if sign in "EB":
                    self.joined.add(frozenset({(r, c), (r, c + 1)}))
                if sign in "SB":
                    self.joined.add(frozenset({(r, c), (r + 1, c)}))
        self.where = (0, 0)

    def answer(self, line: str) -> str:
        words = line.split()
        if words[:2] != ["My", "Choice:"] or len(words) != 3 or words[2] not in list("NESW"):
            return INVALID
        r, c = self.where
        after = {"N": (r - 1, c), "E": (r, c + 1), "S": (r + 1, c), "W": (r, c - 1)}[words[2]]
        if not (0 <= after[0] < self.size and 0 <= after[1] < self.size):
            return INVALID
        if frozenset({self.where, after}) not in self.joined:
            return "BLOCKED"
        self.where = after
        if after == (self.size - 1, self.size - 1):
            self.over = True
            return "WIN"
        return "MOVED"


def test_a_fault_is_found() -> None:
    class Faulty(DarkMazeExploration):
        """The walls of the first row are gone."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            wrong = replace(puzzle, maze=("B" * (puzzle.size - 1) + "S", *puzzle.maze[1:]))
            return super().step(wrong, state, said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_passages_are_a_spanning_tree(level: int) -> None:
    """They are one fewer than the cells, and join them all."""
    for puzzle in make(TASK, TASK.params(level=level), 10):
        joined = Twin(TASK.encode(puzzle)).joined
        assert len(joined) == puzzle.size**2 - 1
        reached = {(0, 0)}
        for _ in range(puzzle.size**2):
            reached |= {cell for pair in joined if pair & reached for cell in pair}
        assert len(reached) == puzzle.size**2


def test_all_mazes_of_size_three_are_won_within_the_bound() -> None:
    """There are 192 of them (spanning trees of the 3 x 3 grid)."""
    (puzzle,) = make(TASK, TASK.params(level=1), 1)
    everything = list(TASK.candidates(puzzle) or ())
    assert len({other.maze for other in everything}) == 192
    plays = [TASK.played(other) for other in everything]
    assert all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) <= puzzle.terms.bound == 16


def test_mazes_are_drawn_evenly() -> None:
    (puzzle,) = make(TASK, TASK.params(level=1), 1)
    found = TASK.alike(puzzle, 192 * 20, np.random.default_rng(1))
    counts: dict[Any, int] = {}
    for other in found:
        counts[other.maze] = counts.get(other.maze, 0) + 1
    spread = sum((counts.get(o.maze, 0) - 20) ** 2 / 20 for o in TASK.candidates(puzzle) or ())
    assert spread < 191 + 5 * (2 * 191) ** 0.5
