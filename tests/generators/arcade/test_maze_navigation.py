"""Maze navigation: the monitor against a twin, and the reference player against every swap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.solvers.breadth_first_search import compute_distances
from facelet.generators.arcade.tasks.maze_navigation import (
    TASK,
    MazeNavigation,
    State,
    _blind_walk,
)
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.41 and algorithm 9, on a dictionary of cells."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.cells = {
            (r + 1, c + 1): cell
            for r, line in enumerate(row["grid"])
            for c, cell in enumerate(line)
        }
        self.where = (1, 1)
        self.flip = {}
        if row["swap_left_right"]:
            self.flip |= {"L": "R", "R": "L"}
        if row["swap_up_down"]:
            self.flip |= {"U": "D", "D": "U"}

    def answer_line(self, line: str) -> str:
        words = line.split()
        if words[:2] != ["My", "Move:"] or len(words) != 3 or words[2] not in list("UDLR"):
            return INVALID
        way = self.flip.get(words[2], words[2])
        row, column = self.where
        if way == "U":
            row -= 1
        if way == "D":
            row += 1
        if way == "L":
            column -= 1
        if way == "R":
            column += 1
        if (row, column) in self.cells:
            self.where = row, column
        if self.cells[self.where] == "*":
            self.has_won = False
        if self.cells[self.where] == "F":
            self.has_won = True
        return f"{self.where[0]} {self.where[1]}"


def test_a_fault_is_found() -> None:
    class Faulty(MazeNavigation):
        """Swapping L and R swaps U and D too."""

        def step(self, puzzle: Any, state: Any, said: Any, luck: Any) -> State:
            wrong = replace(puzzle, swap_up_down=puzzle.swap_left_right or puzzle.swap_up_down)
            return super().step(wrong, state, said, luck)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_bound_is_the_worst_swap(level: int) -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 20):
        plays = [TASK.play_reference(other) for other in TASK.list_candidates(puzzle)]
        assert all(won for _, won in plays)
        assert max(len(said) for said, _ in plays) == puzzle.terms.bound


@pytest.mark.parametrize("level", [1, 2])
def test_no_player_is_sooner(level: int) -> None:
    """Minimax over what a player may know, written without the solver, turn by turn."""

    def move_walker(grid: tuple[str, ...], cell: tuple[int, int], way: str) -> tuple[int, int]:
        twin = Twin({"grid": grid, "swap_left_right": False, "swap_up_down": False})
        twin.where = cell
        twin.answer_line(f"My Move: {way}")
        return twin.where

    def arrives_surely(
        grid: Any, worlds: frozenset[Any], cell: Any, turns: int, known: Any
    ) -> bool:
        kind = grid[cell[0] - 1][cell[1] - 1]
        if kind != ".":
            return bool(kind == "F")
        if not turns:
            return False
        key = (worlds, cell, turns)
        if key not in known:
            known[key] = False
            for way in "UDLR":
                after: dict[Any, set[Any]] = {}
                for world in worlds:
                    true = dict(world).get(way, way)
                    after.setdefault(move_walker(grid, cell, true), set()).add(world)
                if all(
                    arrives_surely(grid, frozenset(w), c, turns - 1, known)
                    for c, w in after.items()
                ):
                    known[key] = True
                    break
        return bool(known[key])

    level_right = (("L", "R"), ("R", "L"))
    up_down = (("U", "D"), ("D", "U"))
    every = frozenset({(), level_right, up_down, level_right + up_down})
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 6):
        turns = puzzle.terms.optimum
        assert arrives_surely(puzzle.grid, every, (1, 1), turns, {})
        assert not arrives_surely(puzzle.grid, every, (1, 1), turns - 1, {})


def test_blind_walks_are_those_of_a_plain_search() -> None:
    rng, found = make_generator("blind walks"), []
    for _ in range(60):
        cells = rng.choice(list("...*"), 16)
        cells[[0, 9 + int(rng.integers(7))]] = ".", "F"
        grid = tuple("".join(cells[start : start + 4]) for start in range(0, 16, 4))
        twin = Twin({"grid": grid, "swap_left_right": False, "swap_up_down": False})
        (goal,) = (cell for cell, kind in twin.cells.items() if kind == "F")

        def next_walkers(walkers: Any, twin: Twin = twin, goal: Any = goal) -> Iterator[Any]:
            for ways in ("UUDD", "DDUU", "LRLR", "RLRL"):
                after = []
                for walker, way in zip(walkers, ways, strict=True):
                    twin.where = walker
                    twin.answer_line(f"My Move: {way}")
                    after.append(walker if walker == goal else twin.where)
                if all(twin.cells[cell] != "*" for cell in after):
                    yield tuple(after)

        turns = int(rng.integers(3, 12))
        found.append(_blind_walk(grid, turns))
        distances = compute_distances(((1, 1),) * 4, next_walkers)
        assert found[-1] == (distances.get((goal,) * 4, turns + 1) <= turns)
    assert 5 < sum(found) < 55
