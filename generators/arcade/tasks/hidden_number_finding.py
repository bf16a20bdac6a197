"""Hidden number finding: find a number by questions about sets; no two replies in a row are lies.

EvolArena, cases N.29 and N.30; the puzzle is Codeforces 1746 E. The number x is 1 to n. Of any two
queries in a row, at least one is answered truly; guesses between them do not count, and replies to
guesses are always true. After a lie the next reply is true; after a true reply it is a lie half the
time.

The knowledge of a player is two counts: the numbers for which the last reply was true (at the
start: all), and those for which it was a lie. All others are ruled out. A query takes some of both
kinds, a guess rules out one number. Only few guesses may be wrong, as in the original puzzle. An
exact search over the counts and the remaining guesses gives the reference player, which needs the
fewest turns of any player, whatever the replies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    LEVELS,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Player,
    QuestionGame,
    QuestionState,
    Sample,
    blank_terms,
    blind_limits,
    column,
    larger_sizes_deviation,
    level_param,
)
from facelet.generators.core.replies.command import MOST

WORDS = ("NO", "YES")
GUESSES = (3, 3, 2)
"""Wrong guesses that lose, at levels 1, 2 and 3; later levels are like the third."""

Frontier = tuple[int, ...]
"""By the count of numbers with a true last reply: the most others that fit besides; or -1."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The greatest number, the wrong guesses that lose, and the hidden number."""

    most: int = column("the greatest number; the least is 1", role="puzzle")
    guesses: int = column("wrong guesses that lose the game; 0 if none do", role="puzzle")
    number: int = column("the hidden number", role="secret")


State = QuestionState[str, bool]
"""Whether the last reply was a lie."""


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(50)


class HiddenNumberFinding(QuestionGame[Params, Puzzle, str, bool]):
    """A player finds a number by questions whose replies may be lies."""

    name = "arcade/hidden_number_finding"
    version = 5
    fixed = 0.12
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: {ints}", "My Query: k n1 n2 ... nk"),
        CommandForm("answer", "My Answer: {int}", "My Answer: x"),
    )
    by_luck = True
    spare = (2, 1, 0)
    lucky = blind_limits({1: 0.2}, "three of twenty numbers can be named")
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation", seed="example"), 5, 2, 4),
        (
            Command("query", ((3, 1, 2, 3),)),
            Command("query", ((2, 4, 5),)),
            Command("answer", (5,)),
            Command("answer", (4,)),
        ),
        "The number is 1 to 5.",
    )
    deviations = (
        larger_sizes_deviation("20, 30 and 40 numbers", "20, 40 and 80"),
        Deviation(
            "15 turns",
            "13, 17 and 21 for 20, 40 and 80 numbers, plus two and one at levels 1 and 2",
            "so many suffice for any answers; in 15 turns 40 numbers cannot surely be told "
            "apart, and a higher level should forgive less",
            "published=true, or turns=15",
        ),
        Deviation(
            "any guess may be wrong",
            "the third wrong guess loses, from level 3 on the second",
            "otherwise most of 20 numbers can be named one by one; the original puzzle allows two",
            "published=true",
        ),
        Deviation(
            "",
            "after a true answer, and at the start, the next is a lie half the time",
            "the code draws it at random",
        ),
        Deviation(
            "",
            "a guess between two queries does not separate them",
            "as in the original puzzle",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        most = params.level_size(20, 40, 80, 10, paper=(20, 30, 40))
        if (number := draw.unique_number("number", self.capacity(params))) >= most:
            most, number = most - 1, number - most
        guesses = 0 if params.published else GUESSES[min(params.level, LEVELS[-1]) - 1]
        return Puzzle(self.terms(params, draw, first_luck=1 / most), most, guesses, number + 1)

    def capacity(self, params: Params) -> int:
        most = params.level_size(20, 40, 80, 10, paper=(20, 30, 40))
        return 2 * most - 1 if params.level == 1 else most

    def rules(self, puzzle: Puzzle) -> str:
        loses = (
            f", and {puzzle.guesses} wrong guesses lose the game"
            if puzzle.guesses
            else ", and the game goes on"
        )
        return (
            f"Find a hidden whole number x from 1 to {puzzle.most}. It does not change.\n"
            "In each turn you either ask or guess.\n"
            "- Query: name how many numbers your set has, and then these numbers, each once. I say "
            "YES or NO to whether x is in the set. But I may lie. Of any two queries in a row I "
            "answer at least one truly, so never do I lie twice in a row; a guess between two "
            "queries makes no difference to that. The first answer may be a lie as well.\n"
            "- Answer: name a number as your guess. If it is x, you win. If not, I say Incorrect"
            f"{loses}. What I say to guesses is always true.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The number is 1 to {puzzle.most}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        if command.form == "answer":
            return "" if 1 <= command.args[0] <= puzzle.most else f"numbers are 1 to {puzzle.most}"
        count, *numbers = command.args[0]
        if count != len(numbers) or not numbers:
            return "the first number must say how many others follow, at least one"
        if not all(1 <= number <= puzzle.most for number in numbers):
            return f"numbers are 1 to {puzzle.most}"
        return "" if len(set(numbers)) == len(numbers) else "a number is named twice"

    def start_state(self, puzzle: Puzzle) -> bool:
        return False

    def list_replies(self, puzzle: Puzzle, now: bool, command: Command) -> list[tuple[bool, str]]:
        inside = puzzle.number in command.args[0][1:]
        lies = (False,) if now else (False, True)
        return [(lie, WORDS[inside != lie]) for lie in lies]

    def is_answer_right(self, puzzle: Puzzle, now: bool, command: Command) -> bool:
        return bool(command.args[0] == puzzle.number)

    def wrong_answer_limit(self, puzzle: Puzzle) -> int | None:
        return puzzle.guesses or None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.5:
            return Command("answer", (int(rng.integers(puzzle.most)) + 1,))
        count = int(rng.integers(1, min(puzzle.most, MOST - 1) + 1))
        chosen = rng.choice(puzzle.most, count, replace=False) + 1
        return Command("query", ((count, *map(int, chosen)),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        return (replace(shown, number=number) for number in range(1, shown.most + 1))

    def bound(self, shown: Puzzle) -> int:
        return _fewest_turns(shown.most, shown.most, 0, self.wrong_answer_limit(shown))

    def optimal_turns(self, shown: Puzzle) -> int:
        return self.bound(shown)

    def player(self, shown: Puzzle) -> Player:
        honest, lied = list(range(1, shown.most + 1)), list[int]()
        most, guesses = shown.most, self.wrong_answer_limit(shown)
        while honest or lied:
            if (found := _best_query(most, len(honest), len(lied), guesses)) is None:
                turns = _fewest_turns(most, len(honest), len(lied), guesses) - 1
                guesses = guesses and guesses - 1
                spare = (
                    lied and _solvable_counts(most, turns, guesses)[len(honest)] >= len(lied) - 1
                )
                yield Command("answer", ((lied if spare else honest).pop(),))
                continue
            inside = honest[: found[0]], lied[: found[1]]
            outside = honest[found[0] :], lied[found[1] :]
            named = sorted(inside[0] + inside[1])
            heard = yield Command("query", ((len(named), *named),))
            right, wrong = (inside, outside) if heard == "YES" else (outside, inside)
            honest, lied = sorted(right[0] + right[1]), wrong[0]


TASK = HiddenNumberFinding()


# --- the search -----------------------------------------------------------------------------------


@cache
def _solvable_counts(most: int, turns: int, guesses: int | None) -> Frontier:
    """Return the counts of numbers that can be solved within so many turns, whatever the replies.

    A query names t of T numbers with a true last reply and l of L others. Then YES leads to the
    counts (t + l, T - t) and NO to (T - t + L - l, t). Fewer numbers are never harder, so the
    greatest L of each T is enough.

    Args:
        most: the most numbers.
        turns: the turns.
        guesses: the guesses left; None for any number.
    """
    if turns == 0:
        return (0, *[-1] * most)
    before = _solvable_counts(most, turns - 1, guesses)
    guessed = None if guesses == 0 else _solvable_counts(most, turns - 1, guesses and guesses - 1)
    # widest[y]: the most numbers with a true last reply beside y others.
    widest = [
        max((a for a in range(most + 1) if before[a] >= y), default=-1) for y in range(most + 1)
    ]
    after = []
    for honest in range(most + 1):
        best = before[honest]
        if guessed and guessed[honest] >= 0:
            best = max(best, guessed[honest] + 1)
        if guessed and honest:
            best = max(best, guessed[honest - 1])
        for inside in range(honest + 1):
            outside = honest - inside
            if widest[outside] >= inside and widest[inside] >= outside:
                best = max(best, widest[outside] + widest[inside] - honest)
        after.append(min(best, most))
    return tuple(after)


@cache
def _fewest_turns(most: int, honest: int, lied: int, guesses: int | None) -> int:
    """Return the fewest turns within which some player surely wins.

    Args:
        most: the most numbers.
        honest: numbers for which the last reply was true.
        lied: numbers for which it was a lie.
        guesses: the guesses left; None for any number.
    """
    turns = 0
    while _solvable_counts(most, turns, guesses)[honest] < lied:
        turns += 1
    return turns


@cache
def _best_query(most: int, honest: int, lied: int, guesses: int | None) -> tuple[int, int] | None:
    """Return how many numbers of both kinds the best query names, or None for a guess.

    Of several that need the fewest turns, the one that splits most evenly.
    """
    turns = _fewest_turns(most, honest, lied, guesses) - 1
    best: tuple[int, int, int] | None = None
    for first in range(honest + 1):
        for second in range(lied + 1):
            yes = (first + second, honest - first)
            no = (honest + lied - first - second, first)
            if first + second and all(
                _solvable_counts(most, turns, guesses)[a] >= b for a, b in (yes, no)
            ):
                uneven = abs(sum(yes) - sum(no)) + abs(yes[0] - no[0])
                best = min(best or (uneven, first, second), (uneven, first, second))
    return best and best[1:]
