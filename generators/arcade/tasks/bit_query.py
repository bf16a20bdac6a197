"""Bit query: find a hidden array by the AND, OR and XOR of pairs of its elements.

EvolArena, cases N.19 and N.20; the puzzle is Codeforces 1451 E. The array has n elements from 0 to
n - 1, which may repeat; n is a multiple of 4. A query names an operation and two positions.

The reference player asks for the XOR of the first element with each other one, so that one element
determines all. If two elements are equal, their AND is one of them. Otherwise the array is a
permutation, in which one element differs from the first in bit 0 only, and another in bit 1 only;
the ANDs of the first element with these two are the first element without one bit each. That takes
at most n + 1 queries and the answer. An exhaustive search shows that no player needs fewer turns
for 4 elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import and_, or_, xor

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
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
    number_to_digits,
)

OPERATIONS = {"AND": and_, "OR": or_, "XOR": xor}
SEARCHED = 4
"""Elements for which every strategy was searched, and all arrays are listed."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The array."""

    size: int = column("how many elements there are", role="puzzle")
    array: tuple[int, ...] = column("the elements", role="secret")


State = QuestionState[int, None]


class BitQuery(FixedQuestionGame[ArcadeParams, Puzzle, int]):
    """A player finds a hidden array by bitwise operations on pairs of elements."""

    name = "arcade/bit_query"
    version = 4
    older_versions = (3,)
    spare = (2, 1, 0)
    category = "information_probing"
    forms = (
        CommandForm("query", "My Query: {AND|OR|XOR} {int} {int}", "My Query: OPERATION i j"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: a1 a2 ... an"),
    )
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 3, (2, 1, 2)),
        (
            Command("query", ("OR", 1, 2)),
            Command("query", ("XOR", 1, 3)),
            Command("query", ("AND", 1, 3)),
            Command("answer", ((2, 1, 2),)),
        ),
        "There are 3 elements from 0 to 2; they are 2 1 2.",
    )
    deviations = (
        fewer_turns_deviation(2, 1),
        Deviation(
            "",
            "the positions of a query differ, as in the original puzzle",
            "the AND of an element with itself is the element",
        ),
        Deviation(
            "",
            "all elements are 0 to n - 1, as printed; in 24 of 30 published medium arrays they "
            "are not",
            "those arrays cannot be answered",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size, count = params.level_size(4, 8, 12, 4), self.capacity(params)
        array = number_to_digits(draw.unique_number("array", count), (size,) * size)
        return Puzzle(self.terms(params, draw, first_luck=1 / count), size, array)

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(4, 8, 12, 4)
        return int(size**size)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Query bits. A hidden array has {size} elements at the positions 1 to {size}. Each is "
            f"a whole number from 0 to {size - 1}; numbers may repeat.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name an operation, AND, OR or XOR, and two different positions. I say the "
            "result of this bitwise operation on the two elements there.\n"
            f"- Answer: give all {size} elements in order. If all are right, you win. If not, I "
            "say Incorrect and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The positions are 1 to {puzzle.size}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        size = puzzle.size
        if command.form == "answer":
            (array,) = command.args
            if len(array) != size:
                return f"the array has {size} elements, not {len(array)}"
            inside = all(0 <= element < size for element in array)
            return "" if inside else f"elements are 0 to {size - 1}"
        first, second = command.args[1:]
        if not (1 <= first <= size and 1 <= second <= size):
            return f"positions are 1 to {size}"
        return "the two positions are the same" if first == second else ""

    def answer_question(self, puzzle: Puzzle, command: Command) -> int:
        operation, first, second = command.args
        found: int = OPERATIONS[operation](puzzle.array[first - 1], puzzle.array[second - 1])
        return found

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return bool(command.args[0] == puzzle.array)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        size = puzzle.size
        if rng.random() < 0.25:
            return Command("answer", (tuple(map(int, rng.integers(size, size=size))),))
        first, second = (int(place) + 1 for place in rng.permutation(size)[:2])
        return Command("query", (list(OPERATIONS)[int(rng.integers(3))], first, second))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.size > SEARCHED:
            return None
        arrays = product(range(shown.size), repeat=shown.size)
        return (replace(shown, array=array) for array in arrays)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        arrays = rng.integers(puzzle.size, size=(count, puzzle.size)).tolist()
        return [replace(puzzle, array=tuple(array)) for array in arrays]

    def bound(self, shown: Puzzle) -> int:
        return shown.size + 2

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return self.bound(shown) if shown.size == SEARCHED else None

    def player(self, shown: Puzzle) -> Player:
        # apart[i] is the first element XOR element i; `by` maps each value to its last position.
        apart, by = {1: 0}, {0: 1}
        equal: tuple[int, int] | None = None
        for position in range(2, shown.size + 1):
            apart[position] = yield Command("query", ("XOR", 1, position))
            if apart[position] in by:
                equal = by[apart[position]], position
            by[apart[position]] = position
        if equal:
            element = yield Command("query", ("AND", *equal))
            first = element ^ apart[equal[0]]
        else:
            high = yield Command("query", ("AND", 1, by[1]))
            low = yield Command("query", ("AND", 1, by[2]))
            first = high | low & 1
        yield Command("answer", (tuple(first ^ other for other in apart.values()),))


TASK = BitQuery()
