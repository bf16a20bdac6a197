"""Treasure hunt: the monitor against a twin, and the forests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.treasure_hunt import TASK, TreasureHunt
from facelet.generators.core.text_game import Luck


class Twin:
    """Case N.43, on a matrix; the order of the neighbors is drawn like the game's."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.seed, self.steps = row["seed"], 0
        self.paths = {(k, int(o)) for k, n in enumerate(row["joined"], 1) for o in n.split()}
        assert all((b, a) in self.paths for a, b in self.paths)
        self.lists = {k: [int(o) for o in n.split()] for k, n in enumerate(row["joined"], 1)}
        self.shown, self.flags = self.lists[1], {1}

    def answer_line(self, line: str) -> str:
        named = line_numbers(line, "My Choice:")
        if named is None or len(named) != 1:
            return INVALID
        if not 0 < named[0] <= len(self.shown):
            self.has_won = False
            return INVALID
        here = self.shown[named[0] - 1]
        self.flags.add(here)
        order = Luck(TASK.name, self.seed, self.steps).rng.permutation(len(self.lists[here]))
        self.steps += 1
        self.shown = [self.lists[here][int(k)] for k in order]
        if all(k in self.flags for k in self.lists):
            self.has_won = True
        told = f"R {sum(a == here for a, _ in self.paths)}"
        for other in self.shown:
            told += f" {sum(a == other for a, _ in self.paths)} {1 if other in self.flags else 0}"
        return told


def test_a_fault_is_found() -> None:
    class Faulty(TreasureHunt):
        """The start has no flag."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> Any:
            return super().step(puzzle, replace(state, visited=state.visited - {1}), said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3, 6])
def test_forests_are_connected(level: int) -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 10):
        twin = Twin(TASK.encode(puzzle))
        reached = {1}
        for _ in range(puzzle.size):
            reached |= {b for a, b in twin.paths if a in reached}
        assert len(reached) == puzzle.size
        assert len(twin.paths) == 2 * (puzzle.size - 1 + puzzle.size // 2)
        assert max(map(len, twin.lists.values())) <= 4


def test_orders_are_shuffled_anew() -> None:
    """Between the same two junctions, all orders of the neighbors occur."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=1), 1)
    seen = {
        TASK.step(puzzle, TASK.start(puzzle), said, Luck("any", number)).order
        for number in range(200)
        for said in [TASK.play_reference(puzzle)[0][0]]
    }
    here = TASK.step(
        puzzle, TASK.start(puzzle), TASK.play_reference(puzzle)[0][0], Luck("any")
    ).order
    count = {1: 1, 2: 2, 3: 6, 4: 24}[len(here)]
    assert len(seen) == count
