"""Dark maze: the monitor against a twin, the mazes, the bound over all small ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks import dark_maze_exploration as module
from facelet.generators.arcade.tasks.dark_maze_exploration import (
    TASK,
    DarkMazeExploration,
    Puzzle,
)


class Twin:
    """Case N.53, with the set of cells that are joined."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size = row["size"]
        self.joined = set()
        for r, line in enumerate(row["maze"]):
            for c, sign in enumerate(line):
                if sign in "EB":
                    self.joined.add(frozenset({(r, c), (r, c + 1)}))
                if sign in "SB":
                    self.joined.add(frozenset({(r, c), (r + 1, c)}))
        self.where = (0, 0)

    def answer_line(self, line: str) -> str:
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
            self.has_won = True
            return "WIN"
        return "MOVED"


def test_a_fault_is_found() -> None:
    class Faulty(DarkMazeExploration):
        """The walls of the first row are gone."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            wrong = replace(puzzle, maze=("B" * (puzzle.size - 1) + "S", *puzzle.maze[1:]))
            return super().step(wrong, state, said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_passages_are_a_spanning_tree(level: int) -> None:
    """They are one fewer than the cells, and join them all."""
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 10):
        joined = Twin(TASK.encode(puzzle)).joined
        assert len(joined) == puzzle.size**2 - 1
        reached = {(0, 0)}
        for _ in range(puzzle.size**2):
            reached |= {cell for pair in joined if pair & reached for cell in pair}
        assert len(reached) == puzzle.size**2


def test_the_way_out_is_long() -> None:
    for level, steps in ((1, 16), (2, 20), (3, 22)):
        for puzzle in make_puzzles(TASK, TASK.params(level=level), 5):
            joined = Twin(TASK.encode(puzzle)).joined
            exit_, edge, walked = (puzzle.size - 1, puzzle.size - 1), {(0, 0)}, 0
            while exit_ not in edge:
                edge |= {cell for pair in joined if pair & edge for cell in pair}
                walked += 1
            assert walked >= steps and f" {steps} steps or more" in TASK.rules(puzzle)


def all_mazes() -> set[tuple[str, ...]]:
    """Return all mazes of size three in which one path joins any two cells, by trial."""
    found = set()
    for chosen in combinations(module._list_cell_pairs(3), 8):
        maze = module._build_maze(3, set(chosen))
        if len(module._reachable_cells(3, maze)) == 9:
            found.add(maze)
    return found


def test_all_mazes_of_size_three_are_won_within_the_bound() -> None:
    """There are 192 of them (spanning trees of the 3 x 3 grid)."""
    every = all_mazes()
    assert len(every) == 192
    terms = blank_terms("state_operation", turns=99)
    puzzles = [Puzzle(terms, 3, maze, True) for maze in every]
    plays = [TASK.play_reference(puzzle) for puzzle in puzzles]
    assert all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) <= TASK.bound(puzzles[0]) == 16


def test_mazes_are_drawn_evenly() -> None:
    rng = np.random.default_rng(1)
    counts = Counter(module._tree_to_maze(3, module._draw_tree(3, rng)) for _ in range(192 * 20))
    spread = sum((counts[maze] - 20) ** 2 / 20 for maze in all_mazes())
    assert spread < 191 + 5 * (2 * 191) ** 0.5
