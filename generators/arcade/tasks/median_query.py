"""Median query: find two positions of a hidden permutation by the middle numbers of even groups.

EvolArena, cases N.13 and N.14; the puzzle is Codeforces 2031 F. The numbers 1 to n have the
positions 1 to n in a hidden order. A query names an even number of positions, at least 4, and the
reply is the two middle numbers there. The positions of n // 2 and n // 2 + 1 are to be found, in
any order; the paper's hard size is odd, where these two need not be the middle.

The reference player is facelet.generators.arcade.players.median_player. At the paper's sizes it was
played against every permutation. Beyond, it needs at most n // 2 + 4 queries for its anchors, since
each query but four finds another small or large number, and n // 2 turns from there.
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
    below,
    blank_terms,
    column,
    number_to_permutation,
    relay_questions,
    share_permutations,
    shuffled,
)
from facelet.generators.arcade.players.median_player import locate_medians

LEAST = 4
"""Fewest positions of a query."""
LISTED = 8
"""Most numbers for metrics of what a player knew."""
PLAYED = (6, 7, 8, 9, 10, 11, 12, 15)
"""Sizes at which the reference player was played against every permutation."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The permutation."""

    size: int = column("how many numbers there are", role="puzzle")
    final: bool = column("whether a wrong answer ends the game", role="puzzle")
    numbers: tuple[int, ...] = column("the number at each position", role="secret")


State = QuestionState[tuple[int, ...], None]


class MedianQuery(FixedQuestionGame[ArcadeParams, Puzzle, tuple[int, ...]]):
    """A player finds the middle numbers of a permutation by medians of groups."""

    name = "arcade/median_query"
    version = 3
    fixed = 0.08
    category = "information_probing"
    forms = (
        CommandForm("query", "My Query: {ints}", "My Query: k x1 x2 ... xk"),
        CommandForm("answer", "My Answer: {int} {int}", "My Answer: i j"),
    )
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 5, True, (4, 1, 3, 5, 2)),
        (Command("query", ((4, 1, 2, 3, 5),)), Command("answer", (3, 5))),
        "There are 5 numbers, in the order 4 1 3 5 2; the positions of 2 and 3 are wanted. The "
        "query names 4 positions: 1, 2, 3 and 5.",
    )
    deviations = (
        Deviation(
            "",
            "at n = 15 the positions of 7 and 8 are wanted, as written",
            "they are not the middle, but they can be found",
        ),
        Deviation(
            "15 turns",
            "16 at the hard level",
            "the reference player needs that many",
            "published=true, or turns=15",
        ),
        Deviation(
            "",
            "a wrong answer ends the game",
            "all answers could be listed without a query",
            "published=true",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(6, 8, 15, 2)
        numbers = number_to_permutation(draw.unique_number("permutation", factorial(size)), size)
        terms = self.terms(params, draw, first_luck=1 / comb(size, 2))
        return Puzzle(terms, size, not params.published, tuple(n + 1 for n in numbers))

    def capacity(self, params: ArcadeParams) -> int:
        return factorial(params.level_size(6, 8, 15, 2))

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        wrong = "you lose" if puzzle.final else "I say Incorrect and the game goes on"
        return (
            f"Query medians. The numbers 1 to {size} stand in a hidden order at the positions 1 "
            f"to {size}, one at each. Find the positions of the numbers {size // 2} and "
            f"{size // 2 + 1}.\n"
            "In each turn you either ask or answer.\n"
            f"- Query: say how many positions you name, an even number k from {LEAST} to "
            f"{size - size % 2}, and then name k different positions. I say the two middle numbers "
            "of those that stand there, the smaller one first: the k/2-th and the (k/2 + 1)-th "
            "smallest.\n"
            "- Answer: name the two positions, in any order. If they are right, you win. If not, "
            f"{wrong}.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The positions are 1 to {puzzle.size}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        named = command.args
        if command.form == "query":
            count, *named = command.args[0]
            if count != len(named):
                return f"k is {count}, but {len(named)} positions are named"
            if count < LEAST or count % 2:
                return f"k must be even and at least {LEAST}"
        if not all(1 <= position <= puzzle.size for position in named):
            return f"positions are 1 to {puzzle.size}"
        return "" if len(set(named)) == len(named) else "a position is named twice"

    def answer_question(self, puzzle: Puzzle, command: Command) -> tuple[int, ...]:
        count, *named = command.args[0]
        found = sorted(puzzle.numbers[position - 1] for position in named)
        return tuple(found[count // 2 - 1 : count // 2 + 1])

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        low = puzzle.size // 2
        return {puzzle.numbers[position - 1] for position in command.args} == {low, low + 1}

    def winning_answer(self, puzzle: Puzzle) -> tuple[int, int]:
        low = puzzle.size // 2
        return puzzle.numbers.index(low) + 1, puzzle.numbers.index(low + 1) + 1

    def wrong_answer_limit(self, puzzle: Puzzle) -> int | None:
        return 1 if puzzle.final else None

    def format_reply(self, heard: tuple[int, ...]) -> str:
        return f"{heard[0]} {heard[1]}"

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        if rng.random() < 0.25:
            return Command("answer", tuple(p + 1 for p in shuffled(rng, puzzle.size)[:2]))
        count = 2 * (LEAST // 2 + below(rng, puzzle.size // 2 + 1 - LEAST // 2))
        named = shuffled(rng, puzzle.size)[:count]
        return Command("query", ((count, *(place + 1 for place in named)),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if shown.size > LISTED:
            return None
        orders = permutations(range(1, shown.size + 1))
        return (replace(shown, numbers=order) for order in orders)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        orders = (shuffled(rng, puzzle.size) for _ in range(count))
        return [replace(puzzle, numbers=tuple(place + 1 for place in order)) for order in orders]

    def hidden_target(self, puzzle: Puzzle, state: State) -> frozenset[int]:
        low = puzzle.size // 2
        return frozenset({puzzle.numbers.index(low), puzzle.numbers.index(low + 1)})

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        if puzzle.size > LISTED:
            return None
        return Orders(share_permutations(puzzle.size, 1), np.array(puzzle.numbers), _apply_command)

    def bound(self, shown: Puzzle) -> int:
        size = shown.size
        return size + size % 2 if size in PLAYED else size + 4

    def player(self, shown: Puzzle) -> Player:
        found = yield from relay_questions(
            locate_medians(shown.size), lambda group: Command("query", ((len(group), *group),))
        )
        yield Command("answer", found)


class Orders(FixedCandidates):
    """Permutations as candidates, of which two positions have to be found."""

    def _count_distinct(self, hidden: Array) -> int:
        """Return the number of pairs of positions that may be the two."""
        low = hidden.shape[1] // 2
        places = [(hidden == number).argmax(axis=1) for number in (low, low + 1)]
        return len(np.unique((1 << places[0]) + (1 << places[1])))


TASK = MedianQuery()


def _apply_command(orders: Array, command: Command) -> tuple[Array, Array]:
    """Return the reply to a command under each permutation, and the permutations."""
    low = orders.shape[1] // 2
    if command.form == "answer":
        found = orders[:, [position - 1 for position in command.args]]
        return (found.min(axis=1) == low) & (found.max(axis=1) == low + 1), orders
    count, *named = command.args[0]
    found = np.sort(orders[:, [position - 1 for position in named]], axis=1).astype(np.int64)
    return found[:, count // 2 - 1] * 256 + found[:, count // 2], orders
