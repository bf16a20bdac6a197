"""Bit compare: the monitor against a twin, and the bound over all permutations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from arcade_twins import INVALID, compare, make, numbers

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.beliefs import worlds
from facelet.generators.arcade.tasks import bit_compare
from facelet.generators.arcade.tasks.bit_compare import TASK, BitCompare, Puzzle
from facelet.generators.core.replies.command import Said
from facelet.generators.core.seeding import generator


class Twin:
    """Case N.7, in sets of bits; a wrong answer ends the game."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.over: bool | None = None
        self.final = row["final"]
        self.bits = [{b for b in range(9) if number >> b & 1} for number in row["numbers"]]

    def answer(self, line: str) -> str:
        query, guess = numbers(line, "My Query:"), numbers(line, "My Answer:")
        named = query or guess
        if named is None or len(named) != (4 if query else 2):
            return INVALID
        if any(not 0 <= position < len(self.bits) for position in named):
            return INVALID
        sets = [self.bits[position] for position in named]
        if query:
            left, right = value(sets[0] | sets[1]), value(sets[2] | sets[3])
            return "=" if left == right else "<" if left < right else ">"
        if named[0] == named[1]:
            return INVALID
        best = max(value(a ^ b) for a, b in combinations(self.bits, 2))
        right = value(sets[0] ^ sets[1]) == best
        if right or self.final:
            self.over = right
        return "Correct" if right else "Incorrect"


def value(bits: set[int]) -> int:
    return sum(2**b for b in bits)


def test_a_fault_is_found() -> None:
    class Faulty(BitCompare):
        """It compares sums."""

        def reply(self, puzzle: Any, said: Any) -> str:
            a, b, c, d = (puzzle.numbers[position] for position in said.args)
            return "<" if a + b < c + d else ">" if a + b > c + d else "="

    with pytest.raises(AssertionError, match="twin:"):
        compare(TASK, Twin, monitor=Faulty())


def test_the_published_game_goes_on_after_a_wrong_answer() -> None:
    compare(TASK, Twin, levels=(1,), transcripts=200, published=True)


@pytest.mark.parametrize(("level", "bound"), [(1, 7), (2, 14)])
def test_the_player_wins_all_permutations(level: int, bound: int) -> None:
    (puzzle,) = make(TASK, TASK.params(level=level), 1)
    most = 0
    for other in TASK.candidates(TASK.visible(puzzle)) or ():
        said, won = TASK.played(other)
        assert won
        most = max(most, len(said))
    assert most == TASK.bound(puzzle) == bound


@pytest.mark.parametrize(("level", "bound"), [(3, 12), (4, 21), (5, 26), (7, 21)])
def test_the_bound_holds_for_more_numbers(level: int, bound: int) -> None:
    (puzzle,) = make(TASK, TASK.params(level=level), 1)
    assert puzzle.terms.bound == bound
    rng = generator("bit compare", level)
    for _ in range(300):
        order = tuple(map(int, rng.permutation(puzzle.size)))
        said, won = TASK.played(replace(puzzle, numbers=order))
        assert won and len(said) <= bound


@pytest.mark.parametrize("kept", [worlds.KEPT, 20_000])
def test_parts_that_are_kept_are_those_that_answers_leave(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when little may be kept, and parts are dropped while others are in play."""
    monkeypatch.setattr(worlds, "KEPT", kept)
    hidden = bit_compare._orders(7)
    common = worlds.Common(hidden)
    for number in range(25):
        rng = generator("parts", number)
        truth = int(rng.integers(len(hidden)))
        puzzle = Puzzle(
            blank_terms("information_probing"), 7, False, tuple(map(int, hidden[truth]))
        )
        state = TASK.start(puzzle)
        fixed = worlds.Fixed(common, hidden[truth], bit_compare._answered)
        arrays = worlds.Arrays(hidden, truth, bit_compare._answered)
        first = [Said("query", (a, a, a + 1, a + 1)) for a in range(0, 6, 2)]
        for said in [*first, *(TASK.random_command(puzzle, state, rng) for _ in range(8))]:
            assert fixed.hear(said, None) == arrays.hear(said, None)
            assert fixed.count() == arrays.count() >= 1
