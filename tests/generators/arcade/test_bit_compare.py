"""Bit compare: the monitor against a twin, and the bound over all permutations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.beliefs import candidate_sets
from facelet.generators.arcade.tasks import bit_compare
from facelet.generators.arcade.tasks.bit_compare import TASK, BitCompare, Puzzle
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.7, in sets of bits; a wrong answer ends the game."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.final = row["final"]
        self.bits = [{b for b in range(9) if number >> b & 1} for number in row["numbers"]]

    def answer_line(self, line: str) -> str:
        query, guess = line_numbers(line, "My Query:"), line_numbers(line, "My Answer:")
        named = query or guess
        if named is None or len(named) != (4 if query else 2):
            return INVALID
        if any(not 0 <= position < len(self.bits) for position in named):
            return INVALID
        sets = [self.bits[position] for position in named]
        if query:
            left, right = bits_to_number(sets[0] | sets[1]), bits_to_number(sets[2] | sets[3])
            return "=" if left == right else "<" if left < right else ">"
        if named[0] == named[1]:
            return INVALID
        best = max(bits_to_number(a ^ b) for a, b in combinations(self.bits, 2))
        right = bits_to_number(sets[0] ^ sets[1]) == best
        if right or self.final:
            self.has_won = right
        return "Correct" if right else "Incorrect"


def bits_to_number(bits: set[int]) -> int:
    return sum(2**b for b in bits)


def test_a_fault_is_found() -> None:
    class Faulty(BitCompare):
        """It compares sums."""

        def answer_question(self, puzzle: Any, said: Any) -> str:
            a, b, c, d = (puzzle.numbers[position] for position in said.args)
            return "<" if a + b < c + d else ">" if a + b > c + d else "="

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_the_published_game_goes_on_after_a_wrong_answer() -> None:
    compare_games(TASK, Twin, levels=(1,), transcripts=200, published=True)


@pytest.mark.parametrize(("level", "bound"), [(1, 7), (2, 14)])
def test_the_player_wins_all_permutations(level: int, bound: int) -> None:
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    most = 0
    for other in TASK.list_candidates(TASK.without_hidden(puzzle)) or ():
        said, won = TASK.play_reference(other)
        assert won
        most = max(most, len(said))
    assert most == TASK.bound(puzzle) == bound


@pytest.mark.parametrize(("level", "bound"), [(3, 12), (4, 21), (5, 26), (7, 21)])
def test_the_bound_holds_for_more_numbers(level: int, bound: int) -> None:
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    assert puzzle.terms.bound == bound
    rng = make_generator("bit compare", level)
    for _ in range(300):
        order = tuple(map(int, rng.permutation(puzzle.size)))
        said, won = TASK.play_reference(replace(puzzle, numbers=order))
        assert won and len(said) <= bound


@pytest.mark.parametrize("kept", [candidate_sets.KEPT, 20_000])
def test_parts_that_are_kept_are_those_that_answers_leave(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when little may be kept, and parts are dropped while others are in play."""
    monkeypatch.setattr(candidate_sets, "KEPT", kept)
    hidden = candidate_sets.share_permutations(7, 0).root.hidden
    common = candidate_sets.SharedCandidates(hidden)
    for number in range(25):
        rng = make_generator("parts", number)
        truth = int(rng.integers(len(hidden)))
        puzzle = Puzzle(
            blank_terms("information_probing"), 7, False, tuple(map(int, hidden[truth]))
        )
        state = TASK.start(puzzle)
        fixed = candidate_sets.FixedCandidates(common, hidden[truth], bit_compare._apply_command)
        arrays = candidate_sets.CandidateArray(hidden, truth, bit_compare._apply_command)
        first = [Command("query", (a, a, a + 1, a + 1)) for a in range(0, 6, 2)]
        for said in [*first, *(TASK.random_command(puzzle, state, rng) for _ in range(8))]:
            assert fixed.observe_answer(said, None) == arrays.observe_answer(said, None)
            assert fixed.count_candidates() == arrays.count_candidates() >= 1
