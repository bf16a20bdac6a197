"""Linked list query: find the least value of a hidden sorted list by reading its elements.

EvolArena, cases N.11 and N.12; the puzzle is Codeforces 843 B, which looks for another value. The
elements of a list have the positions 1 to n in a hidden order. Reading one reveals its value and
the position of the next element, -1 for the last; values grow along the list. The least value is
that of the element to which no other points.

The reference player reads elements to which no element read so far points, until it has read all of
these: the first element is among them. It reads at most n elements. No player surely needs fewer
turns: the first element read may be the last of the list, and each later one may point to the one
read before. Then any unread element may be the first, and its value may be one of many, of which a
wrong answer rules out one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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

VALUES = 999
"""The greatest value; long lists have a greater one."""
LAST = -1
"""The link of the last element."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The list."""

    size: int = column("how many elements there are", role="puzzle")
    top: int = column("greatest value that may occur", role="puzzle")
    values: tuple[int, ...] = column("the value at each position", role="secret")
    links: tuple[int, ...] = column(
        "the position of the next element, from 1, at each position; -1 for none", role="secret"
    )


State = QuestionState[tuple[int, int], None]


class LinkedListQuery(FixedQuestionGame[ArcadeParams, Puzzle, tuple[int, int]]):
    """A player finds the least value of a linked list by reading elements."""

    name = "arcade/linked_list_query"
    version = 4
    spare = (4, 2, 0)
    category = "information_probing"
    forms = (
        CommandForm("query", "My Query: {int}", "My Query: i"),
        CommandForm("answer", "My Answer: {int}", "My Answer: ans"),
    )
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 3, 99, (97, 80, 16), (LAST, 1, 2)),
        (
            Command("query", (1,)),
            Command("query", (3,)),
            Command("query", (2,)),
            Command("answer", (16,)),
        ),
        "There are 3 elements with values from 1 to 99.",
    )
    deviations = (
        fewer_turns_deviation(4, 2),
        Deviation(
            "",
            "the answer is the least value, as in the rules; text and example differ",
            "the rules state it twice; the other goal remains from the original puzzle",
        ),
        Deviation(
            "",
            "the first position is not given, as in the rules; the example gives it",
            "otherwise one query is enough",
        ),
        Deviation(
            "",
            "values are different numbers from 1 to 999, the least drawn evenly from the lower "
            "half",
            "the least of evenly drawn values is small, and guesses would find it",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(5, 9, 11, 2)
        top = max(VALUES, 10 * size)
        number = draw.unique_number("list", self.capacity(params))
        first, least = number_to_digits(number, (size, top // 2))
        terms = self.terms(params, draw, first_luck=1 / (top // 2))
        return _draw_list(Puzzle(terms, size, top, (), ()), first, least + 1, draw.rng)

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(5, 9, 11, 2)
        return size * (max(VALUES, 10 * size) // 2)

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Query a linked list. It has {size} elements, which stand at the positions 1 to "
            f"{size} in a hidden order. Each has a value, a whole number from 1 to {puzzle.top}, "
            "and a link to the position of the next element; the link of the last element is -1. "
            "From each element to the next the value grows. You are not told which element is the "
            "first. Find the least value of the list.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name a position. I tell the value and the link of the element there.\n"
            "- Answer: give the least value of the list. If it is right, you win. If not, I say "
            "Incorrect and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The positions are 1 to {puzzle.size}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        most, what = (
            (puzzle.size, "positions") if command.form == "query" else (puzzle.top, "values")
        )
        return "" if 1 <= command.args[0] <= most else f"{what} are 1 to {most}"

    def answer_question(self, puzzle: Puzzle, command: Command) -> tuple[int, int]:
        (named,) = command.args
        return puzzle.values[named - 1], puzzle.links[named - 1]

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return bool(command.args[0] == min(puzzle.values))

    def format_reply(self, heard: tuple[int, int]) -> str:
        return f"value={heard[0]}, next={heard[1]}"

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.75:
            return Command("query", (int(rng.integers(1, puzzle.size + 1)),))
        return Command("answer", (int(rng.integers(1, puzzle.top + 1)),))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        drawn = zip(
            rng.integers(puzzle.size, size=count),
            rng.integers(1, puzzle.top // 2 + 1, size=count),
            strict=True,
        )
        return [_draw_list(puzzle, int(first), int(least), rng) for first, least in drawn]

    def bound(self, shown: Puzzle) -> int:
        return shown.size + 1

    def optimal_turns(self, shown: Puzzle) -> int:
        """Return the bound; the module docstring proves that no player needs less."""
        return shown.size + 1

    def player(self, shown: Puzzle) -> Player:
        values: dict[int, int] = {}
        first = set(range(1, shown.size + 1))
        while unread := first - values.keys():
            position = min(unread)
            values[position], link = yield Command("query", (position,))
            first.discard(link)
        yield Command("answer", (min(values.values()),))


TASK = LinkedListQuery()


def _draw_list(puzzle: Puzzle, first: int, least: int, rng: np.random.Generator) -> Puzzle:
    """Draw the list of a puzzle.

    Args:
        puzzle: the puzzle without it.
        first: position of the first element, from 0.
        least: its value.
        rng: draws the rest.
    """
    size = puzzle.size
    rest = [int(place) for place in rng.permutation(size) if place != first]
    others = rng.choice(puzzle.top - least, size - 1, replace=False) + least + 1
    order = [first, *rest]
    values, links = [0] * size, [LAST] * size
    for place, value in zip(order, [least, *sorted(map(int, others))], strict=True):
        values[place] = value
    for place, following in zip(order, rest, strict=False):
        links[place] = following + 1
    return replace(puzzle, values=tuple(values), links=tuple(links))
