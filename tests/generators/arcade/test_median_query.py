"""Median query: the monitor against a twin, and the bound over everything that may be hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.median_query import TASK, MedianQuery, Puzzle
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.13: extremes are taken away in pairs until two numbers are left."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.numbers, self.final = row["numbers"], row["final"]

    def answer_line(self, line: str) -> str:
        n = len(self.numbers)
        named, guess = line_numbers(line, "My Query:"), line_numbers(line, "My Answer:")
        if named is not None:
            k, *places = named
            if k != len(places) or k % 2 or not 4 <= k <= n or len(set(places)) < k:
                return INVALID
            if not set(places) <= set(range(1, n + 1)):
                return INVALID
            found = {self.numbers[place - 1] for place in places}
            while len(found) > 2:
                found -= {min(found), max(found)}
            return f"{min(found)} {max(found)}"
        if guess is None or len(guess) != 2 or guess[0] == guess[1]:
            return INVALID
        if not set(guess) <= set(range(1, n + 1)):
            return INVALID
        wanted = {self.numbers.index(n // 2) + 1, self.numbers.index(n // 2 + 1) + 1}
        if wanted == set(guess) or self.final:
            self.has_won = wanted == set(guess)
        return "Correct" if wanted == set(guess) else "Incorrect"


def test_a_fault_is_found() -> None:
    class Faulty(MedianQuery):
        """It takes the middle one place too high."""

        def answer_question(self, puzzle: Any, said: Any) -> tuple[int, ...]:
            count, *named = said.args[0]
            found = sorted(puzzle.numbers[position - 1] for position in named)
            return tuple(found[count // 2 : count // 2 + 2])

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_published_game_goes_on_after_a_wrong_answer() -> None:
    compare_games(TASK, Twin, levels=(1,), transcripts=200, published=True)


def iterate_permutations(size: int) -> Iterator[tuple[int, ...]]:
    """Yield one permutation for all that differ in what the player never looks at.

    It only looks at whether a number is lo, hi, smaller or greater.
    """
    low = size // 2
    for small in combinations(range(size), low):
        large = [place for place in range(size) if place not in small]
        for one in small:
            for other in large:
                places = [one, *(p for p in small if p != one)]
                above = [other, *(p for p in large if p != other)]
                order = [0] * size
                for k, place in enumerate(places):
                    order[place] = low - k
                for k, place in enumerate(above):
                    order[place] = low + 1 + k
                yield tuple(order)


def most_turns(size: int) -> int:
    """Return the turns that the player needs at most."""
    blank = Puzzle(blank_terms("information_probing", turns=99), size, True, ())
    turns = 0
    for order in iterate_permutations(size):
        said, won = TASK.play_reference(replace(blank, numbers=order))
        assert won, order
        turns = max(turns, len(said))
    assert turns == TASK.bound(blank)
    return turns


@pytest.mark.parametrize(("size", "bound"), [(6, 6), (7, 8), (8, 8)])
def test_the_player_wins_all_that_may_be_hidden(size: int, bound: int) -> None:
    assert most_turns(size) == bound


@pytest.mark.slow
@pytest.mark.parametrize(("size", "bound"), [(9, 10), (10, 10), (11, 12), (12, 12), (15, 16)])
def test_the_player_wins_all_that_may_be_hidden_in_more(size: int, bound: int) -> None:
    assert most_turns(size) == bound


@pytest.mark.parametrize("level", [3, 4, 9])
def test_the_bound_holds_for_more_numbers(level: int) -> None:
    """Drawn permutations, some of which begin with many small or many large numbers."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    rng = make_generator("medians", level)
    for number in range(150):
        order = [int(n) + 1 for n in rng.permutation(puzzle.size)]
        if number % 3:
            first = int(rng.integers(puzzle.size // 2 + 1))
            side = sorted(order, reverse=number % 3 == 2)[: puzzle.size // 2]
            chosen = [int(n) for n in rng.permutation(side)[:first]]
            order = chosen + [n for n in order if n not in chosen]
        said, won = TASK.play_reference(replace(puzzle, numbers=tuple(order)))
        assert won and len(said) <= TASK.bound(puzzle)
