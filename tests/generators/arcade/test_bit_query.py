"""Bit query: the monitor against a twin, the bound over all arrays, the optimum by a search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.bit_query import TASK, BitQuery
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.19, bit by bit."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.array = row["array"]

    def answer_line(self, line: str) -> str:
        n = len(self.array)
        if found := re.fullmatch(r"My Query: (AND|OR|XOR) (\d+) (\d+)", line):
            i, j = int(found[2]), int(found[3])
            if i == j or not {i, j} <= set(range(1, n + 1)):
                return INVALID
            wanted = {"AND": (2,), "OR": (1, 2), "XOR": (1,)}[found[1]]
            a, b = self.array[i - 1], self.array[j - 1]
            ones = [(a >> bit & 1) + (b >> bit & 1) for bit in range(8)]
            return str(sum(2**bit for bit, count in enumerate(ones) if count in wanted))
        guess = line_numbers(line, "My Answer:")
        if guess is None or len(guess) != n or not set(guess) <= set(range(n)):
            return INVALID
        if guess != self.array:
            return "Incorrect"
        self.has_won = True
        return "Correct"


def test_a_fault_is_found() -> None:
    class Faulty(BitQuery):
        """OR adds."""

        def answer_question(self, puzzle: Any, said: Any) -> int:
            if said.args[0] != "OR":
                return super().answer_question(puzzle, said)
            return sum(puzzle.array[position - 1] for position in said.args[1:])

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_player_wins_all_arrays_of_four() -> None:
    (puzzle,) = make_puzzles(TASK, TASK.params(level=1), 1)
    plays = [
        TASK.play_reference(other)
        for other in TASK.list_candidates(TASK.without_hidden(puzzle)) or ()
    ]
    assert len(plays) == 256 and all(won for _, won in plays)
    assert max(len(said) for said, _ in plays) == TASK.bound(puzzle) == 6


@pytest.mark.parametrize(("level", "bound"), [(2, 10), (3, 14), (4, 18), (9, 38)])
def test_the_bound_holds_for_more_elements(level: int, bound: int) -> None:
    """Arrays with equal elements, and permutations."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    rng = make_generator("bit query", level)
    others = list(TASK.draw_lookalikes(puzzle, 100, rng))
    for _ in range(100):
        order = tuple(map(int, rng.permutation(puzzle.size)))
        others.append(replace(puzzle, array=order))
    most = 0
    for other in others:
        said, won = TASK.play_reference(other)
        assert won
        most = max(most, len(said))
    assert most == bound == TASK.bound(puzzle)


def test_every_permutation_of_eight_differs_from_its_first_element_in_each_bit() -> None:
    """So the two ANDs tell it; every 20th is played."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=2), 1)
    for order in list(permutations(range(8)))[::20]:
        said, won = TASK.play_reference(replace(puzzle, array=order))
        assert won and len(said) == 10


def test_no_player_needs_fewer_turns_for_four() -> None:
    """Every strategy of queries and answers is searched; arrays are the ones of a mask."""
    arrays = list(product(range(4), repeat=4))
    queries = []
    for i, j in combinations(range(4), 2):
        for operation in (int.__and__, int.__or__, int.__xor__):
            parts = [0] * 4
            for k, array in enumerate(arrays):
                parts[operation(array[i], array[j])] |= 1 << k
            queries.append(parts)

    @cache
    def can_finish(alive: int, turns: int) -> bool:
        count = alive.bit_count()
        if count <= 1 or turns <= 1:
            return count <= turns
        # A query has four answers, so that many arrays are told apart at most.
        if count > 4 ** (turns - 1):
            return False
        for parts in queries:
            split = [alive & part for part in parts if alive & part]
            if len(split) > 1 and all(can_finish(part, turns - 1) for part in split):
                return True
        ones = (1 << k for k in range(256) if alive >> k & 1)
        return any(can_finish(alive & ~one, turns - 1) for one in ones)

    everything = (1 << 256) - 1
    assert not can_finish(everything, 5)
    assert can_finish(everything, 6)
