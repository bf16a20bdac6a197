"""Binary number guessing: find a number by subtracting from it; replies count the remaining ones.

EvolArena, cases N.27 and N.28; the puzzle is Codeforces 1780 D. The number is 1 to n, and the
prompt states how many ones its binary form has. A subtraction of more than the number is answered
Invalid and changes nothing; so it reveals that the number is smaller.

A candidate is identified by its value at the start; with the total that was subtracted this gives
its value now. The reference player subtracts what leaves the fewest candidates in the worst case.
Where a search of every strategy shows that no player needs fewer turns, that is the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Array,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Player,
    QuestionGame,
    QuestionState,
    Sample,
    blank_terms,
    column,
    level_param,
)
from facelet.generators.arcade.solvers.question_trees import longest_play

ALIKE = 8
"""Least count of numbers with as many ones as the hidden one."""
SEARCHED = 50
"""Most candidates for which every strategy is searched."""
INVALID, RIGHT, WRONG = -1, -2, -3

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The greatest number, the ones of the hidden number, and the hidden number."""

    most: int = column("the greatest number at the start; the least is 1", role="puzzle")
    ones: int = column("ones in binary of the number at the start", role="puzzle")
    number: int = column("the number at the start", role="secret")


State = QuestionState[int, int]
"""The number now."""


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(17)


class BinaryNumberGuessing(QuestionGame[Params, Puzzle, int, int]):
    """A player finds a number by subtractions and the number of ones that remain."""

    name = "arcade/binary_number_guessing"
    version = 3
    category = "dynamic_adaptation"
    forms = (
        CommandForm("operation", "My Operation: {int}", "My Operation: X"),
        CommandForm("answer", "My Answer: {int}", "My Answer: k"),
    )
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 7, 2, 3),
        (Command("operation", (5,)), Command("operation", (1,)), Command("answer", (2,))),
        "Numbers are 1 to 7, and the hidden one, which is 3 (in binary 11), has 2 ones. So after "
        "the 1 is subtracted it is 2 (in binary 10).",
    )
    deviations = (
        Deviation(
            "15 turns",
            "as many as the reference player needs at most",
            "patience to try everything is not what is measured: up to 50, at most eighteen "
            "numbers have equally many ones",
            "published=true, or turns=15",
        ),
        Deviation(
            "any number from 1 to n",
            f"at least {ALIKE} numbers from 1 to n have as many ones",
            "otherwise the number of ones nearly reveals it",
            "published=true",
        ),
        Deviation(
            "",
            "subtracting too much is allowed, answered Invalid, and costs a turn",
            "it reveals that the number is smaller",
        ),
        Deviation(
            "",
            "subtracting the number itself leaves 0, which has no ones",
            "the text forbids only larger numbers",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        most = params.level_size(50, 150, 500, 250)
        numbers = _common_numbers(most, 1 if params.published else ALIKE)
        number = numbers[draw.unique_number("number", len(numbers))]
        ones = number.bit_count()
        luck = 1 / len(_list_candidates(most, ones))
        return Puzzle(self.terms(params, draw, first_luck=luck), most, ones, number)

    def capacity(self, params: Params) -> int:
        return len(
            _common_numbers(params.level_size(50, 150, 500, 250), 1 if params.published else ALIKE)
        )

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return super().turn_limit(params, shown, bound) if params.published else self.bound(shown)

    def rules(self, puzzle: Puzzle) -> str:
        return (
            f"Find out a hidden whole number. At the start it is 1 to {puzzle.most}, and you are "
            "told how many ones it has when it is written in binary.\n"
            "In each turn you either subtract or answer.\n"
            "- Operation: name a whole number X, at least 1. If X is at most the hidden number as "
            "it is now, X is subtracted from it, and I say how many ones the new number has in "
            "binary. If X is greater, I say Invalid, and the number stays as it is.\n"
            "- Answer: name the hidden number as it is now, after all your subtractions. If you "
            "are right, you win. If not, I say Incorrect, and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return (
            f"The number is 1 to {puzzle.most} and has {puzzle.ones} ones in binary. Give your "
            "first command."
        )

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if command.form == "operation":
            return "" if command.args[0] >= 1 else "what is subtracted must be at least 1"
        inside = 0 <= command.args[0] <= puzzle.most
        return "" if inside else f"the number can only be 0 to {puzzle.most}"

    def start_state(self, puzzle: Puzzle) -> int:
        return puzzle.number

    def list_replies(self, puzzle: Puzzle, now: int, command: Command) -> list[tuple[int, int]]:
        left = now - command.args[0]
        return [(now, INVALID) if left < 0 else (left, left.bit_count())]

    def format_reply(self, heard: int) -> str:
        return "Invalid" if heard == INVALID else str(heard)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.5:
            top = puzzle.most if rng.random() < 0.5 else max(2, puzzle.most // 8)
            return Command("operation", (int(rng.integers(1, top + 1)),))
        return Command("answer", (int(rng.integers(puzzle.most + 1)),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        return (replace(shown, number=n) for n in _list_candidates(shown.most, shown.ones))

    def hidden_target(self, puzzle: Puzzle, state: State) -> int:
        return state.now

    def bound(self, shown: Puzzle) -> int:
        return _longest_play(shown.most, _list_candidates(shown.most, shown.ones))

    def optimal_turns(self, shown: Puzzle) -> int | None:
        return _fewest_turns(shown.most, shown.ones)

    def player(self, shown: Puzzle) -> Player:
        possible, total = _list_candidates(shown.most, shown.ones), 0
        while True:
            if (after := _choose_total(shown.most, possible, total)) < 0:
                yield Command("answer", (possible[0] - total,))
                possible = possible[1:]
                continue
            heard = yield Command("operation", (after - total,))
            possible = _split_candidates(possible, after)[heard]
            total = total if heard == INVALID else after


TASK = BinaryNumberGuessing()


def _count_ones(numbers: Array) -> npt.NDArray[np.int64]:
    """Return the number of ones of each number in binary."""
    places = np.arange(max(1, int(numbers.max(initial=1)).bit_length()))
    ones: npt.NDArray[np.int64] = (numbers[..., None] >> places & 1).sum(axis=-1)
    return ones


@cache
def _list_candidates(most: int, ones: int) -> Numbers:
    """Return the numbers with this many ones, ascending."""
    return tuple(number for number in range(1, most + 1) if number.bit_count() == ones)


@cache
def _common_numbers(most: int, alike: int) -> Numbers:
    """Return the numbers that share their number of ones with at least `alike` numbers."""
    return tuple(
        n for n in range(1, most + 1) if len(_list_candidates(most, n.bit_count())) >= alike
    )


# --- all that may be done -------------------------------------------------------------------------


def _split_candidates(possible: Numbers, total: int) -> dict[int, Numbers]:
    """Return the candidates by the reply to a subtraction.

    Args:
        possible: the candidates, by their values at the start.
        total: the sum of all subtractions, if this one is valid.
    """
    found: dict[int, list[int]] = {}
    for number in possible:
        heard = (number - total).bit_count() if number >= total else INVALID
        found.setdefault(heard, []).append(number)
    return {heard: tuple(numbers) for heard, numbers in found.items()}


def _answer_table(possible: Numbers, total: int) -> Array:
    """Return the replies after subtracting up to each greater total, shape (totals, numbers)."""
    left = np.array(possible) - np.arange(total + 1, possible[-1] + 1)[:, None]
    return np.where(left >= 0, _count_ones(np.maximum(left, 0)), INVALID)


def _count_commonest(table: Array) -> npt.NDArray[np.int64]:
    """Return how often the most common reply of each row occurs."""
    most = np.zeros(len(table), dtype=np.int64)
    for answer in range(INVALID, int(table.max(initial=0)) + 1):
        np.maximum(most, np.count_nonzero(table == answer, axis=1), out=most)
    return most


@cache
def _choose_total(most: int, possible: Numbers, total: int) -> int:
    """Return the next total of the reference player, or -1 where it names the least candidate."""
    if len(possible) <= 2 or possible[-1] <= total:
        return -1
    commonest = _count_commonest(_answer_table(possible, total))
    best = int(commonest.argmin())
    return total + 1 + best if commonest[best] < len(possible) else -1


@cache
def _longest_play(most: int, possible: Numbers) -> int:
    """Return the most turns of the reference player, by following all its plays."""

    def list_successors(known: tuple[Numbers, int]) -> list[tuple[Numbers, int]]:
        alive, total = known
        if (after := _choose_total(most, alive, total)) < 0:
            return [(alive[1:], total)] if len(alive) > 1 else []
        parts = _split_candidates(alive, after)
        return [(part, total if heard == INVALID else after) for heard, part in parts.items()]

    return longest_play((possible, 0), list_successors)


@cache
def _fewest_turns(most: int, ones: int) -> int | None:
    """Return the fewest turns within which some player surely wins; None if not searched."""
    possible = _list_candidates(most, ones)
    if len(possible) > SEARCHED:
        return None
    longest = _longest_play(most, possible)
    return next(turns for turns in range(1, longest + 1) if _is_solved_within(possible, 0, turns))


@cache
def _is_solved_within(possible: Numbers, total: int, turns: int) -> bool:
    """Return whether some player surely names the number within so many turns, by a search."""
    if len(possible) <= turns:
        return True
    if turns == 1 or possible[-1] <= total:
        return False
    commonest = _count_commonest(_answer_table(possible, total))
    # With one turn left after the next, all parts must be single.
    fit = commonest == 1 if turns == 2 else commonest < len(possible)
    for place in np.flatnonzero(fit)[np.argsort(commonest[fit], kind="stable")]:
        after = total + 1 + int(place)
        if all(
            _is_solved_within(part, total if heard == INVALID else after, turns - 1)
            for heard, part in _split_candidates(possible, after).items()
        ):
            return True
    return any(
        _is_solved_within(tuple(other for other in possible if other != name), total, turns - 1)
        for name in possible
    )
