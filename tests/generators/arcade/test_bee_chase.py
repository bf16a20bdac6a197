"""Bee chase: the monitor against a twin, graphs against the text, the analysis against another."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.solvers.retrograde_analysis import WON, solve_positions
from facelet.generators.arcade.tasks.bee_chase import (
    TASK,
    BeeChase,
    State,
    _analyse_graph,
    _list_neighbors,
)

Position = tuple[tuple[int, ...], int]


def neighbour_map(row: Mapping[str, Any]) -> dict[int, set[int]]:
    near: dict[int, set[int]] = {vertex: set() for vertex in range(1, row["vertices"] + 1)}
    for a, b in zip(row["ones"], row["others"], strict=True):
        near[a].add(b)
        near[b].add(a)
    return near


class Twin:
    """Case N.77; Nastya goes anywhere she can."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.near = neighbour_map(row)
        self.bees: list[int] | None = None
        self.nastya: int | None = None

    def answer_line(self, line: str) -> str | set[str]:
        choice = line_numbers(line, "My Choice:")
        if choice is None or len(choice) != 3:
            return INVALID
        fits = set(choice) <= set(self.near)
        if fits and self.bees:
            fits = all(a == b or b in self.near[a] for a, b in zip(self.bees, choice, strict=True))
        if not fits:
            self.has_won = False
            return INVALID
        self.bees = choice
        if self.nastya is None:
            return {str(vertex) for vertex in self.near if vertex not in choice}
        if self.nastya in choice:
            self.has_won = True
            return ""
        return {str(vertex) for vertex in self.near[self.nastya]}

    def note_answer(self, text: str) -> None:
        self.nastya = int(text)
        if self.nastya in (self.bees or []):
            self.has_won = True


def test_a_fault_is_found() -> None:
    class Faulty(BeeChase):
        """Nastya may stay."""

        def list_opponent_states(self, puzzle: Any, state: Any) -> list[State]:
            return [
                *super().list_opponent_states(puzzle, state),
                *([state] if state.nastya else []),
            ]

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.some(4)
@pytest.mark.parametrize("level", [1, 2, 3, 6])
def test_graphs_are_those_of_the_text(level: int) -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 4):
        near = neighbour_map(TASK.encode(puzzle))
        assert len(near) == TASK.params(level=level).level_size(10, 20, 40, 2)
        assert max(map(len, near.values())) <= 3 and min(map(len, near.values())) >= 2
        for a, b in zip(puzzle.ones, puzzle.others, strict=True):
            # A way from a to b of at most four edges that does not use theirs.
            reached = {a}
            for _ in range(4):
                reached |= {w for v in reached for w in near[v] if {v, w} != {a, b}}
            assert b in reached


def test_the_outlook_is_that_of_another_analysis() -> None:
    """With the bees in order, by the retrograde analysis of sets of positions."""
    for puzzle in make_puzzles(TASK, TASK.params(level=1), 2):
        near = neighbour_map(TASK.encode(puzzle))

        def list_positions(position: Position, near: Any = near) -> list[list[Any]]:
            bees, nastya = position
            found: list[list[Any]] = []
            for moved in {tuple(sorted(m)) for m in product(*((b, *near[b]) for b in bees))}:
                free = [v for v in sorted(near[nastya]) if v not in moved]
                caught = nastya in moved or not free
                found.append([WON] if caught else [(moved, v) for v in free])
            return found

        trios = list(combinations_with_replacement(sorted(near), 3))
        starts = [(bees, v) for bees in trios for v in near if v not in bees]
        turns = solve_positions(starts, list_positions).turns
        for bees, nastya in starts:
            assert TASK.turns_to_force_win(puzzle, State(bees, nastya)) == turns.get((bees, nastya))
        worst = min(max(turns.get((bees, v), 99) for v in near if v not in bees) for bees in trios)
        assert puzzle.terms.optimum == 1 + worst


def test_a_study_of_a_hundred_graphs_analyses_each_once() -> None:
    """One list of commands is played on all puzzles in turn; a small cache would miss each time."""
    graphs = [_list_neighbors(one) for one in make_puzzles(TASK, TASK.params(level=2), 100)]
    assert len(set(graphs)) == 100
    for _ in range(2):
        missed = _analyse_graph.cache_info().misses
        for near in graphs:
            assert _analyse_graph(near).nbytes < len(near) ** 4 / 4
    assert _analyse_graph.cache_info().misses == missed
