"""Safe paths: the monitor against a twin, and each step of the player against all trap sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.safepath_finding import (
    TASK,
    Puzzle,
    SafepathFinding,
    _deduce_cells,
)
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.45, on a table with a border."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size = row["size"]
        self.table = [[0] * (self.size + 2) for _ in range(self.size + 2)]
        for trap in row["traps"]:
            self.table[trap // self.size + 1][trap % self.size + 1] = 1
        self.x = self.y = 1

    def answer_line(self, line: str) -> str:
        named = line_numbers(line, "My Choice:")
        if named is None or len(named) != 2:
            return INVALID
        x, y = named
        far = max(abs(x - self.x), abs(y - self.y))
        if far != 1 or not 1 <= x <= self.size or not 1 <= y <= self.size:
            self.has_won = False
            return INVALID
        self.x, self.y = x, y
        if self.table[x][y]:
            self.has_won = False
        elif x == y == self.size:
            self.has_won = True
        block = [self.table[i][j] for i in (x - 1, x, x + 1) for j in (y - 1, y, y + 1)]
        return f"DANGER_LEVEL {sum(block) - self.table[x][y]}"


def test_a_fault_is_found() -> None:
    class Faulty(SafepathFinding):
        """The first trap is forgotten."""

        def observe(self, puzzle: Any, state: Any) -> str:
            return super().observe(replace(puzzle, traps=puzzle.traps[1:]), state)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_player_steps_on_no_cell_that_may_be_a_trap() -> None:
    """Of all sets of as many traps that would have been answered so, none has one there."""
    size, wins = 5, 0
    free = [p for p in range(25) if p not in (0, 1, 5, 6, 24)]
    rng = np.random.default_rng(1)
    for _ in range(12):
        traps = tuple(sorted(map(int, rng.choice(free, 5, replace=False))))
        puzzle = Puzzle(blank_terms("state_operation", turns=20), size, True, traps)
        worlds = [frozenset(traps) for traps in combinations(free, len(puzzle.traps))]
        said, won = TASK.play_reference(puzzle)
        wins += won
        for x, y in (command.args for command in said):
            assert not any((x - 1) * size + y - 1 in traps for traps in worlds)
            near = {
                (i - 1) * size + j - 1
                for i in range(max(1, x - 1), min(size, x + 1) + 1)
                for j in range(max(1, y - 1), min(size, y + 1) + 1)
            }
            told = len(near & set(puzzle.traps))
            worlds = [traps for traps in worlds if len(near & traps) == told]
    assert wins >= 3


@pytest.mark.parametrize("level", [1, 2, 3, 5])
def test_the_player_never_dies(level: int) -> None:
    """In other grids too it may come to a stop, but not on a trap."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    for other in TASK.draw_lookalikes(puzzle, 100, np.random.default_rng(level)):
        said, _ = TASK.play_reference(other)
        size = puzzle.size
        cells = [(x - 1) * size + y - 1 for x, y in (command.args for command in said)]
        assert not set(cells) & set(other.traps)


def test_reason_is_that_of_sets_of_cells() -> None:
    """Numbers and their differences, over sets, until nothing new follows."""
    rng, more = make_generator("reason"), 0
    for _ in range(40):
        places = rng.permutation(25)
        traps, seen = set(places[:5].tolist()), places[5:14].tolist()
        beside = {
            place: {
                other
                for other in range(25)
                if other != place
                and max(abs(other // 5 - place // 5), abs(other % 5 - place % 5)) == 1
            }
            for place in range(25)
        }
        heard = [(place, len(beside[place] & traps)) for place in seen]
        safe, known = set(seen), set[int]()
        while True:
            before = len(safe) + len(known)
            numbers = [
                (beside[place] - safe - known, count - len(beside[place] & known))
                for place, count in heard
            ]
            for (first, high), (second, low) in product(list(numbers), repeat=2):
                own = first - second
                if own and (second <= first or high - low == len(own)):
                    numbers.append((own, high - low))
                    if high - low == len(own):
                        numbers.append((second - first, 0))
            for cells, count in numbers:
                if count == 0:
                    safe |= cells
                elif count == len(cells):
                    known |= cells
            if len(safe) + len(known) == before:
                break
        found = _deduce_cells(5, heard, sum(1 << place for place in seen), 0)
        assert found == (sum(1 << place for place in safe), sum(1 << place for place in known))
        more += len(safe) + len(known) > len(seen)
    assert more > 5
