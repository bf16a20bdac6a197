"""XOR breaking: the monitor against a twin, and bounds against a plain minimax."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.xor_breaking import TASK, State, XorBreaking
from facelet.generators.core.replies.command import Command


def list_splits(number: int) -> list[tuple[int, int]]:
    """Return all ways to break a number."""
    return [(part, part ^ number) for part in range(1, number) if 0 < part ^ number < number]


class AnyAnswer:
    """All that the other side may say; there are too many ways to list them."""

    def __init__(self, offered: tuple[int, int]) -> None:
        self.offered = offered

    def __contains__(self, text: str) -> bool:
        number, sep, rest = text.removeprefix("Choosing: ").partition(" Breaking into: ")
        if not sep:
            number, _, rest = number.partition(" ")
            power = bin(int(number)).count("1") == 1
            return power and int(number) in self.offered and rest == "Cannot break further"
        one, other = map(int, rest.split())
        p = int(number)
        return p in self.offered and one ^ other == p and 0 < one < p and 0 < other < p


class Twin:
    """Case N.65."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.offered = [row["number"]]

    def answer_line(self, line: str) -> Any:
        said = line_numbers(line.replace("Breaking into:", ""), "Choosing:")
        pair = line_numbers(line, "Breaking into:")
        if said and len(said) == 3 and "Breaking into:" in line:
            (p, p1, p2) = said
        elif pair and len(pair) == 2:
            p1, p2 = pair
            p = p1 ^ p2
        else:
            return INVALID
        if p not in self.offered or not (0 < p1 < p and 0 < p2 < p) or p1 ^ p2 != p:
            self.has_won = False
            return INVALID
        return AnyAnswer((p1, p2))

    def note_answer(self, text: str) -> None:
        if text.endswith("further"):
            self.has_won = True
            return
        self.offered = list(map(int, text.split(": ")[2].split()))
        if all(bin(number).count("1") == 1 for number in self.offered):
            self.has_won = False


def test_a_fault_is_found() -> None:
    class Faulty(XorBreaking):
        """Numbers that were not offered may be taken."""

        def legal(self, puzzle: Any, state: State, said: Command) -> str:
            one, other = said.args[-2:]
            ours = State((one ^ other,)) if min(one, other) > 0 else state
            return super().legal(puzzle, ours, Command("break", (one, other)))

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


def test_who_wins_and_how_soon_is_that_of_minimax() -> None:
    """All numbers below 300, whatever the other side breaks them into."""
    puzzle = TASK.sample.puzzle

    @cache
    def can_force_win(number: int) -> bool:
        """Return whether who has to break a number can force a win."""
        return any(
            not can_force_win(one) and not can_force_win(other)
            for one, other in list_splits(number)
        )

    @cache
    def most_turns(number: int) -> int:
        """Return the turns that the reference player needs for a number, at worst."""
        said = TASK.choose_move(puzzle, State((number,), number))
        worst = 1
        for taken in said.args[1:]:
            for pair in list_splits(taken):
                even = [part for part in pair if can_force_win(part)]
                worst = max(worst, 1 + min(most_turns(part) for part in even))
        return worst

    for number in range(1, 300):
        found = TASK.turns_to_force_win(puzzle, State((number,)))
        assert (found is not None) == can_force_win(number) == (number.bit_count() % 2 == 0)
        if found is not None:
            assert found == most_turns(number)


def test_the_other_side_breaks_by_the_rules() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=3, opponent="optimal"), 5):
        assert puzzle.terms.guarantee == "adversarial" and puzzle.terms.bound > 15
        assert puzzle.number.bit_count() % 2 == 0
        for after in TASK.list_opponent_states(puzzle, State((puzzle.number, puzzle.number ^ 5))):
            one, other = after.offered
            assert one ^ other == after.broken and 0 < one < after.broken > other > 0
