"""Guess the maximums: find a password of greatest numbers by queries for greatest numbers.

EvolArena, cases N.3 and N.4; the puzzle is Codeforces 1363 D. An array of x numbers from 1 to x is
hidden. Lists of positions are shown; number i of the password is the greatest number outside list
i. A query names fewer than x positions, and the reply is the greatest number there.

The reference player asks for both halves of the array, each made of whole lists. If the replies are
equal, every number of the password is that one. Otherwise it halves the lists that may contain the
greatest number until one is left, and asks for the positions outside it; every other list leaves
the greatest number outside. With n lists that takes ceil(log2 n) + 2 queries and the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

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
    below,
    blank_terms,
    column,
    fewer_turns_deviation,
    number_to_digits,
    number_to_subset,
    several,
    shuffled,
)


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """Lists of positions, and the array."""

    lists: int = column("how many lists there are, and numbers in the password", role="puzzle")
    owners: tuple[int, ...] = column(
        "which list each position is in, from 1; 0 for none", role="puzzle"
    )
    array: tuple[int, ...] = column("the number at each position", role="secret")


State = QuestionState[int, None]


class GuessMax(FixedQuestionGame[ArcadeParams, Puzzle, int]):
    """A player finds a password by the greatest numbers at chosen positions."""

    name = "arcade/guess_max"
    version = 4
    spare = (6, 3, 0)
    category = "information_probing"
    forms = (
        CommandForm("query", "My Query: {ints}", "My Query: x1 x2 ... xm"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: p1 p2 ... pn"),
    )
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 2, (1, 2, 1, 2), (3, 1, 2, 4)),
        (Command("query", ((2, 4),)), Command("query", ((1, 3),)), Command("answer", ((4, 3),))),
        "There are 4 positions and 2 lists: list 1 is 1, 3 and list 2 is 2, 4. The hidden array is "
        "3 1 2 4, so the password is 4 3.",
    )
    deviations = (
        fewer_turns_deviation(6, 3),
        Deviation(
            "",
            "lists are not empty and share no position, as in the original puzzle",
            "15 turns are then surely enough",
        ),
        Deviation(
            "the array is random",
            "the greatest number is drawn evenly, and so is the list that contains it, or none",
            "two of three arrays contain a 50, so the password of all 50 would often be right "
            "at once",
        ),
        Deviation(
            "",
            "a wrong answer costs a turn; the game continues",
            "section 3.3 ends a conversation only at a right answer",
        ),
        Deviation(
            "",
            "a query names a position at most once",
            "a second time would ask nothing more",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size, lists = params.level_size(50, 50, 50, 4), params.level_size(7, 10, 16, 1)
        owners = np.array([*range(1, lists + 1), *draw.rng.integers(lists + 1, size=size - lists)])
        owners = draw.rng.permutation(owners)
        array = _draw_array(
            owners, lists, draw.unique_number("password", _count_array_kinds(size, lists)), draw.rng
        )
        luck = 2 / (size - 1) / (lists + 1)
        terms = self.terms(params, draw, first_luck=luck)
        return Puzzle(terms, lists, tuple(map(int, owners)), array)

    def rules(self, puzzle: Puzzle) -> str:
        size, lists = len(puzzle.owners), puzzle.lists
        return (
            f"Guess the maximums. A hidden array has {size} positions, numbered 1 to {size}. At "
            f"each stands a whole number from 1 to {size}; numbers may repeat.\n"
            f"You are shown {lists} lists of positions. No list is empty, and no position is in "
            f"two lists. The password has {lists} numbers: number i is the greatest number in the "
            "array when the positions of list i are left out.\n"
            "In each turn you either ask or answer.\n"
            f"- Query: name positions, at least one, each once and not all {size}. I say the "
            "greatest number at these positions.\n"
            f"- Answer: give the {lists} numbers of the password in order. If all are right, you "
            "win. If not, I say Incorrect and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        shown = [
            f"List {number}: {', '.join(map(str, _positions_in_lists(puzzle.owners, [number])))}"
            for number in range(1, puzzle.lists + 1)
        ]
        return "\n".join(
            [
                f"The positions are 1 to {len(puzzle.owners)}.",
                *shown,
                "Give your first command.",
            ]
        )

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        (numbers,) = command.args
        size = len(puzzle.owners)
        if not all(1 <= number <= size for number in numbers):
            return f"positions and numbers are 1 to {size}"
        if command.form == "answer":
            right = len(numbers) == puzzle.lists
            return "" if right else f"the password has {puzzle.lists} numbers, not {len(numbers)}"
        if len(set(numbers)) < len(numbers):
            return "a position is named twice"
        return "" if len(numbers) < size else "a query must leave out at least one position"

    def answer_question(self, puzzle: Puzzle, command: Command) -> int:
        found: int = max(puzzle.array[position - 1] for position in command.args[0])
        return found

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return bool(command.args[0] == _compute_password(puzzle))

    def winning_answer(self, puzzle: Puzzle) -> tuple[tuple[int, ...]]:
        return (_compute_password(puzzle),)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        size = len(puzzle.owners)
        if rng.random() < 0.5:
            order = shuffled(rng, size)
            count = 1 + below(rng, size - 1)
            return Command("query", (tuple(place + 1 for place in order[:count]),))
        if rng.random() < 0.5:
            numbers = [1 + number for number in several(rng, size, puzzle.lists)]
            return Command("answer", (tuple(numbers),))
        # Passwords have at most two different numbers, one of which occurs once.
        numbers = [1 + below(rng, size)] * puzzle.lists
        less = 1 + below(rng, numbers[0])
        numbers[below(rng, puzzle.lists)] = less
        return Command("answer", (tuple(numbers),))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        owners, lists = np.array(puzzle.owners), puzzle.lists
        kinds = rng.integers(_count_array_kinds(len(owners), lists), size=count)
        return [replace(puzzle, array=_draw_array(owners, lists, int(kind), rng)) for kind in kinds]

    def bound(self, shown: Puzzle) -> int:
        return 3 + (shown.lists - 1).bit_length()

    def player(self, shown: Puzzle) -> Player:
        owners, lists = shown.owners, shown.lists
        half = range(1, (lists + 1) // 2 + 1)
        low = yield Command("query", (_positions_in_lists(owners, half),))
        high = yield Command("query", (_positions_outside_lists(owners, half),))
        top = max(low, high)
        password = [top] * lists
        suspects = half if low > high else range(half.stop, lists + 1)
        while low != high and len(suspects) > 1:
            middle = len(suspects) // 2
            heard = yield Command("query", (_positions_in_lists(owners, suspects[:middle]),))
            suspects = suspects[:middle] if heard == top else suspects[middle:]
        if low != high:
            password[suspects[0] - 1] = yield Command(
                "query", (_positions_outside_lists(owners, suspects),)
            )
        yield Command("answer", (tuple(password),))


TASK = GuessMax()


def _positions_in_lists(owners: Sequence[int], lists: Sequence[int]) -> tuple[int, ...]:
    """Return the positions, from 1, that belong to one of these lists."""
    return tuple(place for place, owner in enumerate(owners, start=1) if owner in lists)


def _positions_outside_lists(owners: Sequence[int], lists: Sequence[int]) -> tuple[int, ...]:
    """Return the positions, from 1, that belong to none of these lists."""
    return tuple(place for place, owner in enumerate(owners, start=1) if owner not in lists)


def _compute_password(puzzle: Puzzle) -> tuple[int, ...]:
    """Return the password: the greatest number, except for a list that holds all of it."""
    top = max(puzzle.array)
    tops = {owner for owner, value in zip(puzzle.owners, puzzle.array, strict=True) if value == top}
    password = [top] * puzzle.lists
    if len(tops) == 1 and (holder := tops.pop()):
        rest = zip(puzzle.owners, puzzle.array, strict=True)
        password[holder - 1] = max(value for owner, value in rest if owner != holder)
    return tuple(password)


def _count_array_kinds(size: int, lists: int) -> int:
    """Return the number of kinds of arrays: two numbers, and the list that holds one of them."""
    return (lists + 1) * comb(size - 1, 2)


def _draw_array(
    owners: np.typing.NDArray[np.int64], lists: int, kind: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """Draw an array of a kind; the password is its two numbers, or the greater one alone.

    Args:
        owners: the list that each position is in.
        lists: how many lists there are.
        kind: number of the kind.
        rng: draws the rest.
    """
    size = len(owners)
    holder, pair = number_to_digits(kind, (lists + 1, comb(size - 1, 2)))
    second, top = (number + 2 for number in number_to_subset(pair, size - 1, 2))
    inside = owners == holder
    if holder:
        array = np.where(inside, rng.integers(1, top, size), rng.integers(1, second + 1, size))
        array[rng.choice(np.flatnonzero(inside))] = top
        array[rng.choice(np.flatnonzero(~inside))] = second
    else:
        array = rng.integers(1, top + 1, size)
        first = int(rng.integers(size))
        array[[first, rng.choice(np.flatnonzero(owners != owners[first]))]] = top
    return tuple(map(int, array))
