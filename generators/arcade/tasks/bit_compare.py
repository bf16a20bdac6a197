"""Bit compare: find two positions of greatest XOR in a hidden permutation, by comparing ORs.

EvolArena, cases N.7 and N.8; the puzzle is Codeforces 1937 C. The permutation is of 0 to n - 1, and
positions count from 0. A query names a, b, c, d, of which some may be equal; the reply compares
(a OR b) with (c OR d). Every pair of a number and its complement has the greatest XOR.

The reference player finds the greatest number m by a knockout of the numbers themselves (a = b,
c = d). If m is a power of two, its complement is the second greatest number, which lost to m: the
player compares the losers to m. Otherwise it finds the numbers whose OR with m is greatest; the
least of them is the complement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import comb, factorial

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Array,
    CandidateSet,
    Command,
    CommandForm,
    Deviation,
    Draw,
    FixedCandidates,
    FixedQuestionGame,
    Player,
    QuestionState,
    Sample,
    blank_terms,
    blind_limits,
    chosen,
    column,
    find_extreme,
    number_to_permutation,
    several,
    share_permutations,
    shuffled,
)

LISTED = 9
"""Most numbers for metrics of what a player knew."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The permutation."""

    size: int = column("how many numbers there are", role="puzzle")
    final: bool = column("whether a wrong answer ends the game", role="puzzle")
    numbers: tuple[int, ...] = column("the number at each position", role="secret")


State = QuestionState[str, None]


class BitCompare(FixedQuestionGame[ArcadeParams, Puzzle, str]):
    """A player finds two positions of greatest XOR by comparisons of ORs."""

    name = "arcade/bit_compare"
    version = 3
    fixed = 0.1
    category = "information_probing"
    answers = frozenset()
    forms = (
        CommandForm("query", "My Query: {int} {int} {int} {int}", "My Query: a b c d"),
        CommandForm("answer", "My Answer: {int} {int}", "My Answer: i j"),
    )
    # Metrics ignore answers: a player that knows a pair may not know the numbers.
    lucky = blind_limits({2: 0.25}, "one of several right pairs is named by luck")
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 4, True, (3, 1, 0, 2)),
        (Command("query", (0, 0, 1, 1)), Command("query", (1, 3, 0, 2)), Command("answer", (0, 2))),
        "There are 4 numbers; position 0 holds 3, then come 1, 0 and 2.",
    )
    deviations = (
        Deviation(
            "",
            "a wrong answer ends the game",
            "all answers could be listed without a query",
            "published=true",
        ),
        Deviation(
            "",
            "positions of a query may be equal, as in the original puzzle; those of an answer "
            "may not",
            "otherwise numbers could not be compared with themselves",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(5, 7, 9, 2)
        numbers = number_to_permutation(draw.unique_number("permutation", factorial(size)), size)
        luck = len(_list_complements(size)) / 2 / comb(size, 2)
        terms = self.terms(params, draw, first_luck=luck)
        return Puzzle(terms, size, not params.published, numbers)

    def capacity(self, params: ArcadeParams) -> int:
        return factorial(params.level_size(5, 7, 9, 2))

    def rules(self, puzzle: Puzzle) -> str:
        last = puzzle.size - 1
        wrong = "you lose" if puzzle.final else "I say Incorrect and the game goes on"
        return (
            f"Compare bits. The numbers 0 to {last} stand in a hidden order at the positions 0 to "
            f"{last}, one at each. Find two positions whose numbers have the greatest bitwise XOR "
            "that two of these numbers can have.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name four positions a, b, c and d; some of them may be the same. I compare "
            "(number at a OR number at b) with (number at c OR number at d), where OR is bitwise, "
            "and say <, = or >.\n"
            "- Answer: name two different positions, in any order. If their XOR is the greatest, "
            f"you win. If not, {wrong}.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The positions are 0 to {puzzle.size - 1}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(0 <= position < puzzle.size for position in command.args):
            return f"positions are 0 to {puzzle.size - 1}"
        if command.form == "answer" and command.args[0] == command.args[1]:
            return "the two positions are the same"
        return ""

    def answer_question(self, puzzle: Puzzle, command: Command) -> str:
        named = [puzzle.numbers[position] for position in command.args]
        left, right = named[0] | named[1], named[2] | named[3]
        return "<" if left < right else ">" if left > right else "="

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        one, other = (puzzle.numbers[position] for position in command.args)
        return bool(one ^ other == _greatest_xor(puzzle.size))

    def winning_answer(self, puzzle: Puzzle) -> tuple[int, int]:
        top = puzzle.size - 1
        return puzzle.numbers.index(top), puzzle.numbers.index(_greatest_xor(puzzle.size) - top)

    def wrong_answer_limit(self, puzzle: Puzzle) -> int | None:
        return 1 if puzzle.final else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.75:
            return Command("query", tuple(several(rng, puzzle.size, 4)))
        return Command("answer", tuple(chosen(rng, puzzle.size, 2)))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.size > LISTED:
            return None
        return (replace(shown, numbers=order) for order in permutations(range(shown.size)))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        orders = (shuffled(rng, puzzle.size) for _ in range(count))
        return [replace(puzzle, numbers=tuple(order)) for order in orders]

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        if puzzle.size > LISTED:
            return None
        return FixedCandidates(
            share_permutations(puzzle.size, 0), np.array(puzzle.numbers), _apply_command
        )

    def bound(self, shown: Puzzle) -> int:
        size = shown.size
        if (size - 1).bit_count() == 1:
            return size + (size - 1).bit_length() - 1
        return 2 * size - 3 + len(_list_best_partners(size))

    def player(self, shown: Puzzle) -> Player:
        size = shown.size
        beaten: dict[int, list[int]] = {position: [] for position in range(size)}
        ranks = list(range(size))
        while len(ranks) > 1:
            pairs = list(zip(ranks[::2], ranks[1::2], strict=False))
            rest = ranks[len(pairs) * 2 :]
            ranks = []
            for a, b in pairs:
                heard = yield _compare_numbers(a, b)
                winner, loser = (b, a) if heard == "<" else (a, b)
                beaten[winner].append(loser)
                ranks.append(winner)
            ranks += rest
        (top,) = ranks
        if (size - 1).bit_count() == 1:
            other = yield from find_extreme(beaten[top], ">", _compare_numbers)
        else:
            rest = [position for position in range(size) if position != top]
            best = rest[:1]
            for position in rest[1:]:
                heard = yield Command("query", (top, best[0], top, position))
                if heard != ">":
                    best = [*best, position] if heard == "=" else [position]
            other = yield from find_extreme(best, "<", _compare_numbers)
        yield Command("answer", (top, other))


TASK = BitCompare()


def _compare_numbers(one: int, other: int) -> Command:
    """Return the query that compares the numbers at two positions."""
    return Command("query", (one, one, other, other))


def _greatest_xor(size: int) -> int:
    """Return the greatest XOR of two of the numbers 0 to size - 1."""
    return (1 << (size - 1).bit_length()) - 1


def _list_complements(size: int) -> list[int]:
    """Return the numbers whose complement is also one of the numbers."""
    return [number for number in range(size) if _greatest_xor(size) - number < size]


def _list_best_partners(size: int) -> list[int]:
    """Return the numbers below the greatest whose OR with it is greatest."""
    top = size - 1
    return [number for number in range(top) if number | top == _greatest_xor(size)]


def _apply_command(orders: Array, command: Command) -> tuple[Array, Array]:
    """Return the reply to a command under each permutation, and the permutations."""
    named = [orders[:, position] for position in command.args]
    if command.form == "answer":
        return (named[0] ^ named[1]) == _greatest_xor(orders.shape[1]), orders
    left, right = named[0] | named[1], named[2] | named[3]
    return (left > right).astype(np.int8) - (left < right), orders
