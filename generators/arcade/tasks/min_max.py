"""Min max: find positions of a least and a greatest element by comparing two at a time.

EvolArena, cases N.15 and N.16; the puzzle is Codeforces 730 B. Two elements may be equal; any
position of a least and of a greatest element is right. Only comparisons matter, so values are
ranks: 1 for the least, and no rank is missing.

The reference player compares elements in pairs, then the lesser ones of all pairs, and then the
greater ones: ceil(3 n / 2) - 2 queries and the answer. I. Pohl (A sorting problem and its
complexity, 1972) proves that no player needs fewer queries; a test searches 5 elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import comb, factorial

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Array,
    CandidateArray,
    CandidateSet,
    Command,
    CommandForm,
    Deviation,
    Draw,
    FixedQuestionGame,
    Player,
    QuestionState,
    Sample,
    blank_terms,
    column,
    fewer_turns_deviation,
    find_extreme,
    number_to_digits,
    number_to_permutation,
    number_to_subset,
)

SEARCHED = 5
"""Elements for which every strategy was searched."""
LISTED = 7
"""Most elements for metrics of what a player knew."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The array."""

    size: int = column("how many elements there are", role="puzzle")
    final: bool = column("whether a wrong answer ends the game", role="puzzle")
    ranks: tuple[int, ...] = column("the rank of the element at each position", role="secret")


State = QuestionState[str, None]


class MinMax(FixedQuestionGame[ArcadeParams, Puzzle, str]):
    """A player finds extreme elements by comparisons."""

    name = "arcade/min_max"
    version = 4
    spare = (8, 4, 0)
    category = "information_probing"
    verdicts = ("0", "1")
    answers = frozenset()
    forms = (
        CommandForm("query", "My Query: {int} {int}", "My Query: i j"),
        CommandForm("answer", "My Answer: ! {int} {int}", "My Answer: ! i j"),
    )
    # Metrics ignore answers: a player that knows two positions may not know the array.
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 3, True, (3, 1, 2)),
        (
            Command("query", (1, 2)),
            Command("query", (2, 3)),
            Command("query", (1, 3)),
            Command("answer", (2, 1)),
        ),
        "There are 3 elements: 8, 3 and 5.",
    )
    deviations = (
        fewer_turns_deviation(8, 4),
        Deviation(
            "",
            "positions are 1 to the length; 1 to 6 in the text",
            "the text was written for one length",
        ),
        Deviation(
            "",
            "the format has its printed exclamation mark; the published code refuses it",
            "the text has priority",
        ),
        Deviation(
            "",
            "a wrong answer ends the game",
            "all answers could be listed without a query",
            "published=true",
        ),
        Deviation(
            "",
            "two elements are equal in half of the arrays, as the prompt states",
            "with many equal ones most answers are right",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(5, 6, 7, 1)
        if draw.deal_card("tied", (False, True)):
            ranks = _list_tied_ranks(
                draw.unique_number("tied arrays", _count_tied_arrays(size)), size
            )
        else:
            ranks = _distinct_ranks(draw.unique_number("arrays", factorial(size)), size)
        # A tied array has two right answers if the pair is the least or the greatest.
        terms = self.terms(params, draw, first_luck=1 / (size - 1) ** 2)
        return Puzzle(terms, size, not params.published, ranks)

    def capacity(self, params: ArcadeParams) -> int:
        return factorial(params.level_size(5, 6, 7, 1))

    def rules(self, puzzle: Puzzle) -> str:
        wrong = "you lose" if puzzle.final else "I say 0 and the game goes on"
        return (
            f"Find a least and a greatest element. A hidden array has {puzzle.size} elements at "
            f"the positions 1 to {puzzle.size}. At most two of them are equal; all others are "
            "different.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name two different positions i and j. I say < if the element at i is less "
            "than the one at j, = if they are equal, and > if it is greater.\n"
            "- Answer: name the position of a least element and then that of a greatest element. "
            f"If both are right, you win. If not, {wrong}. The exclamation mark belongs to the "
            "format.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The positions are 1 to {puzzle.size}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if not all(1 <= position <= puzzle.size for position in command.args):
            return f"positions are 1 to {puzzle.size}"
        return "the two positions are the same" if command.args[0] == command.args[1] else ""

    def answer_question(self, puzzle: Puzzle, command: Command) -> str:
        first, second = (puzzle.ranks[position - 1] for position in command.args)
        return "<" if first < second else ">" if first > second else "="

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        first, second = (puzzle.ranks[position - 1] for position in command.args)
        return (first, second) == (1, max(puzzle.ranks))

    def wrong_answer_limit(self, puzzle: Puzzle) -> int | None:
        return 1 if puzzle.final else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        named = tuple(int(place) + 1 for place in rng.permutation(puzzle.size)[:2])
        return Command("query" if rng.random() < 0.75 else "answer", named)

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.size > LISTED:
            return None
        rows = _list_arrays(shown.size).tolist()
        return (replace(shown, ranks=tuple(ranks)) for ranks in rows)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        size, found = puzzle.size, []
        for tied in rng.integers(2, size=count):
            ranks = rng.permutation(size) + 1
            ranks -= (ranks > int(rng.integers(1, size))) * tied
            found.append(replace(puzzle, ranks=tuple(map(int, ranks))))
        return found

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        if puzzle.size > LISTED:
            return None
        hidden = _list_arrays(puzzle.size)
        truth = int((hidden == np.array(puzzle.ranks)).all(axis=1).argmax())
        return CandidateArray(hidden, truth, _apply_command)

    def bound(self, shown: Puzzle) -> int:
        return (3 * shown.size + 1) // 2 - 1

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown) if shown.size == SEARCHED else None

    def player(self, shown: Puzzle) -> Player:
        low, high = [], []
        for position in range(1, shown.size, 2):
            heard = yield Command("query", (position, position + 1))
            low.append(position + (heard == ">"))
            high.append(position + (heard != ">"))
        if shown.size % 2:
            low.append(shown.size)
            high.append(shown.size)
        least = yield from find_extreme(low, "<", _compare_elements)
        greatest = yield from find_extreme(high, ">", _compare_elements)
        yield Command("answer", (least, greatest))


TASK = MinMax()


def _compare_elements(one: int, other: int) -> Command:
    """Return the query that compares the elements at two positions."""
    return Command("query", (one, other))


def _count_tied_arrays(size: int) -> int:
    """Return the number of arrays in which two elements are equal."""
    return (size - 1) * comb(size, 2) * factorial(size - 2)


def _distinct_ranks(number: int, size: int) -> tuple[int, ...]:
    """Return the ranks of an array of different elements, by its number."""
    return tuple(rank + 1 for rank in number_to_permutation(number, size))


def _list_tied_ranks(number: int, size: int) -> tuple[int, ...]:
    """Return the ranks of an array in which two elements are equal, by its number."""
    rank, pair, rest = number_to_digits(number, (size - 1, comb(size, 2), factorial(size - 2)))
    equal = number_to_subset(pair, size, 2)
    others = iter(number_to_permutation(rest, size - 2))
    # The other elements take the remaining ranks.
    ranks = (rank if place in equal else next(others) for place in range(size))
    return tuple(
        value + 1 + (value >= rank and place not in equal) for place, value in enumerate(ranks)
    )


@cache
def _list_arrays(size: int) -> Array:
    """Return all arrays, one row of ranks each."""
    rows = [_distinct_ranks(number, size) for number in range(factorial(size))]
    rows += [_list_tied_ranks(number, size) for number in range(_count_tied_arrays(size))]
    possible: Array = np.array(rows, dtype=np.int8)
    return possible


def _apply_command(ranks: Array, command: Command) -> tuple[Array, Array]:
    """Return the reply to a command for each array, and the arrays."""
    first, second = (ranks[:, position - 1] for position in command.args)
    if command.form == "answer":
        return (first == 1) & (second == ranks.max(axis=1)), ranks
    return np.sign(first - second), ranks
