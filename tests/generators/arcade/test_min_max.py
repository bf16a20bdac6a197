"""Min max: the monitor against a twin, the bound over all arrays, the optimum by a search."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations, permutations
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.min_max import TASK, MinMax


class Twin:
    """Case N.15."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.array, self.final = row["ranks"], row["final"]

    def answer_line(self, line: str) -> str:
        query, guess = line_numbers(line, "My Query:"), line_numbers(line, "My Answer: !")
        named = query or guess
        if named is None or len(named) != 2 or named[0] == named[1]:
            return INVALID
        if not set(named) <= set(range(1, len(self.array) + 1)):
            return INVALID
        i, j = (self.array[place - 1] for place in named)
        if query:
            return "<=>"[(i >= j) + (i > j)]
        right = all(i <= other <= j for other in self.array)
        if right or self.final:
            self.has_won = right
        return str(int(right))


def test_a_fault_is_found() -> None:
    class Faulty(MinMax):
        """Equal elements are told to be less."""

        def answer_question(self, puzzle: Any, said: Any) -> str:
            return super().answer_question(puzzle, said).replace("=", "<")

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_published_game_goes_on_after_a_wrong_answer() -> None:
    compare_games(TASK, Twin, levels=(1,), transcripts=200, published=True)


@pytest.mark.parametrize(("level", "bound"), [(1, 7), (2, 8), (3, 10)])
def test_the_player_wins_all_arrays(level: int, bound: int) -> None:
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    everything = list(TASK.list_candidates(TASK.without_hidden(puzzle)) or ())
    assert len({other.ranks for other in everything}) == {1: 360, 2: 2520, 3: 20160}[level]
    most = 0
    for other in everything[:: 7 if level == 3 else 1]:
        assert sorted(set(other.ranks)) == list(range(1, max(other.ranks) + 1))
        assert len(set(other.ranks)) >= puzzle.size - 1
        said, won = TASK.play_reference(other)
        assert won
        most = max(most, len(said))
    assert most == TASK.bound(puzzle) == bound


def test_no_player_needs_fewer_turns_for_five() -> None:
    """Every strategy of queries and answers is searched, over arrays of different elements.

    Orders are the ones of a mask. An answer that was wrong rules out those in which it is right.
    """
    orders = list(permutations(range(5)))

    def build_mask(chosen: Any) -> int:
        return sum(1 << k for k, order in enumerate(orders) if chosen(order))

    less = [
        build_mask(lambda order, i=i, j=j: order[i] < order[j])
        for i, j in combinations(range(5), 2)
    ]
    named = [
        build_mask(lambda order, i=i, j=j: order[i] == 0 and order[j] == 4)
        for i, j in permutations(range(5), 2)
    ]

    @cache
    def can_finish(alive: int, turns: int) -> bool:
        right = [part for part in named if part & alive]
        if len(right) <= 1:
            return turns > 0
        # A query has two answers here, so that many answers are told apart at most.
        if turns <= 1 or len(right) > 2 ** (turns - 1):
            return False
        return any(
            all(can_finish(part, turns - 1) for part in (alive & half, alive & ~half))
            for half in less
            if alive & half and alive & ~half
        ) or any(can_finish(alive & ~part, turns - 1) for part in right)

    everything = (1 << 120) - 1
    assert not can_finish(everything, 6)
    assert can_finish(everything, 7)
