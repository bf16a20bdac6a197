"""Linked list query: the monitor against a twin, and the optimum by a search of all strategies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations, permutations
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.linked_list_query import TASK, LinkedListQuery, Puzzle


class Twin:
    """Case N.11: the list is walked from the element that no other points to."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.top = row["top"]
        self.cells = dict(enumerate(zip(row["values"], row["links"], strict=True), start=1))
        at = next(i for i in self.cells if all(link != i for _, link in self.cells.values()))
        self.least, walked = self.cells[at][0], []
        while at != -1:
            walked.append(self.cells[at][0])
            at = self.cells[at][1]
        assert walked == sorted(set(walked)) and len(walked) == len(self.cells)

    def answer_line(self, line: str) -> str:
        query, guess = line_numbers(line, "My Query:"), line_numbers(line, "My Answer:")
        if query is not None:
            if len(query) != 1 or query[0] not in self.cells:
                return INVALID
            return "value={}, next={}".format(*self.cells[query[0]])
        if guess is None or len(guess) != 1 or not 1 <= guess[0] <= self.top:
            return INVALID
        if guess[0] != self.least:
            return "Incorrect"
        self.has_won = True
        return "Correct"


def test_a_fault_is_found() -> None:
    class Faulty(LinkedListQuery):
        """Links count from 0."""

        def answer_question(self, puzzle: Any, said: Any) -> tuple[int, int]:
            value, link = super().answer_question(puzzle, said)
            return value, link if link < 0 else link - 1

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def all_lists(size: int, top: int) -> list[Puzzle]:
    """Return all lists."""
    found = []
    for order in permutations(range(size)):
        for chosen in combinations(range(1, top + 1), size):
            cells = [(0, 0)] * size
            for k, place in enumerate(order):
                cells[place] = (chosen[k], order[k + 1] + 1 if k + 1 < size else -1)
            values, links = zip(*cells, strict=True)
            terms = blank_terms("information_probing")
            found.append(Puzzle(terms, size, top, tuple(values), tuple(links)))
    return found


@pytest.mark.parametrize(("size", "top"), [(2, 5), (3, 6), (4, 6), (5, 6)])
def test_the_player_wins_all_lists(size: int, top: int) -> None:
    plays = [TASK.play_reference(puzzle) for puzzle in all_lists(size, top)]
    assert all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) == size + 1


@pytest.mark.parametrize(("size", "top"), [(2, 4), (3, 7)])
def test_no_player_needs_fewer_turns(size: int, top: int) -> None:
    """Every strategy of queries and answers is searched."""
    puzzles = all_lists(size, top)

    @cache
    def can_finish(alive: frozenset[int], turns: int) -> bool:
        least = {min(puzzles[k].values) for k in alive}
        if turns == 0 or len(least) <= 1:
            return turns > 0
        for guess in least:
            if can_finish(
                frozenset(k for k in alive if min(puzzles[k].values) != guess), turns - 1
            ):
                return True
        for place in range(size):
            parts: dict[tuple[int, int], set[int]] = {}
            for k in alive:
                told = puzzles[k].values[place], puzzles[k].links[place]
                parts.setdefault(told, set()).add(k)
            if len(parts) > 1 and all(can_finish(frozenset(p), turns - 1) for p in parts.values()):
                return True
        return False

    everything = frozenset(range(len(puzzles)))
    assert not can_finish(everything, size)
    assert can_finish(everything, size + 1)


def test_the_least_value_is_no_good_guess() -> None:
    puzzles = make_puzzles(TASK, TASK.params(level=3), 100)
    least = sorted(min(puzzle.values) for puzzle in puzzles)
    assert len(set(least)) > 80 and least[50] > 150
