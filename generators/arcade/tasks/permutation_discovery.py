"""Permutation discovery: find a hidden permutation p from a list q that p shuffles in every turn.

EvolArena, cases N.35 and N.36; the puzzle is Codeforces 1621 C. Positions and values are 1 to n. A
query names a position i and is answered q[i]; then the new q[i] is the old q[p[i]], for every i at
once. After t queries q[i] is the start value at place p^t(i), whatever was asked: so the meaning of
a reply depends only on the number of its query.

Up to `SPLIT` values the reference player asks the query that best splits the candidates; up to
`SOLVED` it searches every strategy instead. Beyond, it asks for one position until its cycle
closes, then for the next: two queries at most for each value but the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    CandidateArray,
    CandidateSet,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Player,
    QuestionGame,
    QuestionState,
    Sample,
    below,
    blank_terms,
    blind_limits,
    column,
    fewer_turns_deviation,
    larger_sizes_deviation,
    number_to_digits,
    number_to_permutation,
)
from facelet.generators.arcade.solvers.question_trees import longest_play

SOLVED = 4
"""Most values for which every strategy is searched."""
SPLIT = 7
"""Most values for which all permutations are listed."""

Values = tuple[int, ...]
Known = npt.NDArray[np.int64]
"""Numbers of the possible permutations, ascending."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The list at the start, and the permutation."""

    start: Values = column("q at the start, values from 1", role="puzzle")
    hidden: Values = column("p, values from 1", role="secret")


State = QuestionState[int, Values]
"""The list now."""


class PermutationDiscovery(QuestionGame[ArcadeParams, Puzzle, int, Values]):
    """A player finds a permutation from a list that it shuffles."""

    name = "arcade/permutation_discovery"
    version = 4
    category = "dynamic_adaptation"
    forms = (
        CommandForm("query", "My Query: {int}", "My Query: i"),
        CommandForm("answer", "My Answer: {ints}", "My Answer: p1 p2 ... pn"),
    )
    lucky = blind_limits({1: 0.2}, "few permutations are named one by one")
    spare = (2, 1, 0)
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), (1, 2, 3), (2, 3, 1)),
        (
            Command("query", (3,)),
            Command("query", (3,)),
            Command("answer", ((1, 2, 3),)),
            Command("query", (3,)),
            Command("answer", ((2, 3, 1),)),
        ),
        "q is 1 2 3 at the start, and p is 2 3 1. So q is 2 3 1 after one query, and 3 1 2 after "
        "two.",
    )
    deviations = (
        Deviation(
            "q starts as 1 2 ... n",
            "q starts as any permutation, and is shown",
            "there should be more puzzles than permutations",
            "published=true",
        ),
        larger_sizes_deviation("4, 5 and 6 values", "5, 6 and 7"),
        fewer_turns_deviation(2, 1),
        Deviation(
            "",
            "a wrong answer costs a turn, and leaves q",
            "q changes only after queries",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = _permutation_size(params)
        count = factorial(size)
        number = draw.unique_number("permutations", _count_puzzles(params))
        first, second = number_to_digits(number, (count, count))
        start, hidden = (
            tuple(v + 1 for v in number_to_permutation(which, size)) for which in (first, second)
        )
        return Puzzle(self.terms(params, draw, first_luck=1 / count), start, hidden)

    def capacity(self, params: ArcadeParams) -> int | None:
        return None if params.published else _count_puzzles(params)

    def rules(self, puzzle: Puzzle) -> str:
        size = len(puzzle.start)
        return (
            f"Find a hidden permutation p of the numbers 1 to {size}: p[1], ..., p[{size}] are "
            "these numbers in some order. Besides p there is a list q of the same numbers. You are "
            "told q as it is at the start; later it changes, and p stays.\n"
            "In each turn you either ask or answer.\n"
            f"- Query: name a position i from 1 to {size}. I say q[i], the number that stands "
            "there now. After that q changes: for every position j at once, the new q[j] is the "
            "old q[p[j]].\n"
            f"- Answer: name p[1] to p[{size}], in this order. If all are right, you win. If not, "
            "I say Incorrect, q stays as it is, and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"At the start q is {' '.join(map(str, puzzle.start))}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        size = len(puzzle.start)
        if command.form == "query":
            return "" if 1 <= command.args[0] <= size else f"positions are 1 to {size}"
        right = sorted(command.args[0]) == list(range(1, size + 1))
        return "" if right else f"an answer has each of the numbers 1 to {size} once"

    def start_state(self, puzzle: Puzzle) -> Values:
        return puzzle.start

    def list_replies(
        self, puzzle: Puzzle, now: Values, command: Command
    ) -> list[tuple[Values, int]]:
        return [(tuple(now[place - 1] for place in puzzle.hidden), now[command.args[0] - 1])]

    def is_answer_right(self, puzzle: Puzzle, now: Values, command: Command) -> bool:
        return bool(command.args[0] == puzzle.hidden)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        size = len(puzzle.start)
        if rng.random() < 0.6:
            return Command("query", (below(rng, size) + 1,))
        return Command("answer", (tuple(int(value) + 1 for value in rng.permutation(size)),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        if len(shown.start) > SPLIT:
            return None
        return (replace(shown, hidden=p) for p in permutations(sorted(shown.start)))

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        """Draw candidates without listing all of them."""
        if (size := len(puzzle.start)) > SPLIT:
            return super().draw_lookalikes(puzzle, count, rng)
        shown = self.without_hidden(puzzle)
        shown = replace(shown, terms=replace(shown.terms, seed=""))
        drawn = (
            number_to_permutation(int(number), size)
            for number in rng.integers(factorial(size), size=count)
        )
        return [replace(shown, hidden=tuple(value + 1 for value in found)) for found in drawn]

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        if (size := len(puzzle.start)) > SPLIT:
            return None
        hidden = _permutation_powers(size, 1)
        truth = int((hidden + 1 == np.array(puzzle.hidden)).all(axis=1).argmax())
        # A row holds a permutation and its current power.
        rows = np.hstack([hidden, _permutation_powers(size, 0)])
        start = np.array(puzzle.start)

        def step_candidates(rows: Known, command: Command) -> tuple[Known, Known]:
            every, power = rows[:, :size], rows[:, size:]
            if command.form == "answer":
                return (every + 1 == np.array(command.args[0])).all(axis=1), rows
            after = np.take_along_axis(every, power, axis=1)
            return start[power[:, command.args[0] - 1]], np.hstack([every, after])

        return CandidateArray(rows, truth, step_candidates)

    def bound(self, shown: Puzzle) -> int:
        size = len(shown.start)
        return _longest_play(size) if size <= SPLIT else 2 * size - 1

    def optimal_turns(self, shown: Puzzle) -> int | None:
        size = len(shown.start)
        return _longest_play(size) if size <= SOLVED else None

    def player(self, shown: Puzzle) -> Player:
        if (size := len(shown.start)) > SPLIT:
            yield from _by_cycles(shown.start)
            return
        alive, asked = np.arange(factorial(size)), 0
        while True:
            place, name = _choose_query(size, tuple(alive.tolist()), asked)
            if place < 0:
                yield Command(
                    "answer", (tuple(int(v) + 1 for v in _permutation_powers(size, 1)[name]),)
                )
                alive = alive[alive != name]
                continue
            heard = yield Command("query", (place + 1,))
            stood = shown.start.index(heard)
            alive = alive[_permutation_powers(size, asked)[alive, place] == stood]
            asked += 1


TASK = PermutationDiscovery()


def _by_cycles(start: Values) -> Player:
    """Ask for one position until its cycle closes, then for the next."""
    size = len(start)
    found: dict[int, int] = {}
    while len(found) < size - 1:
        place = next(p for p in range(1, size + 1) if p not in found)
        before = start.index((yield Command("query", (place,)))) + 1
        while before not in found and len(found) < size - 1:
            after = start.index((yield Command("query", (place,)))) + 1
            found[before] = after
            before = after
    left = set(range(1, size + 1))
    for place in range(1, size + 1):
        if place not in found:
            found[place] = min(left - set(found.values()))
    yield Command("answer", (tuple(found[place] for place in range(1, size + 1)),))


# --- candidates ----------------------------------------------------------------------------------


@cache
def _permutation_powers(size: int, exponent: int) -> Known:
    """Return one power of all permutations, shape (size!, size), values from 0."""
    if exponent == 0:
        return np.tile(np.arange(size), (factorial(size), 1))
    every: Known = np.array(list(permutations(range(size))))
    return (
        every
        if exponent == 1
        else np.take_along_axis(every, _permutation_powers(size, exponent - 1), axis=1)
    )


@cache
def _choose_query(size: int, alive: Values, asked: int) -> tuple[int, int]:
    """Return a position to ask for, or -1, and then the number of a permutation to name.

    Args:
        size: how many values there are.
        alive: the numbers of the possible permutations.
        asked: the number of queries so far.
    """
    if len(alive) <= 2:
        return -1, alive[0]
    if size <= SOLVED:
        turns = 1
        while (found := _solve_within(size, alive, asked, turns)) is None:
            turns += 1
        return found
    return min(
        range(size), key=lambda place: max(map(len, _split_candidates(size, alive, asked, place)))
    ), 0


def _split_candidates(size: int, alive: Values, asked: int, place: int) -> list[Values]:
    """Return the candidates by the reply to a query."""
    parts: dict[int, list[int]] = {}
    answers = _permutation_powers(size, asked)[list(alive), place]
    for number, answer in zip(alive, answers.tolist(), strict=True):
        parts.setdefault(answer, []).append(number)
    return [tuple(part) for part in parts.values()]


@cache
def _solve_within(size: int, alive: Values, asked: int, turns: int) -> tuple[int, int] | None:
    """Return a choice that surely wins within so many turns, or None, by a search."""
    if len(alive) <= turns:
        return -1, alive[0]
    if turns == 1 or len(alive) > size ** (turns - 1):
        return None
    for place in range(size):
        parts = sorted(_split_candidates(size, alive, asked, place), key=len, reverse=True)
        if all(_solve_within(size, part, asked + 1, turns - 1) for part in parts):
            return place, 0
    for name in alive:
        if _solve_within(
            size, tuple(number for number in alive if number != name), asked, turns - 1
        ):
            return -1, name
    return None


def _count_puzzles(params: ArcadeParams) -> int:
    """Return the number of puzzles of a level: starts times permutations."""
    return factorial(_permutation_size(params)) ** (1 if params.published else 2)


def _permutation_size(params: ArcadeParams) -> int:
    """Return how many values there are."""
    return params.level_size(5, 6, 7, 1, paper=(4, 5, 6))


@cache
def _longest_play(size: int) -> int:
    """Return the most turns of the reference player, by following all its plays."""

    def list_successors(known: tuple[Values, int]) -> list[tuple[Values, int]]:
        alive, asked = known
        place, name = _choose_query(size, alive, asked)
        if place >= 0:
            return [(part, asked + 1) for part in _split_candidates(size, alive, asked, place)]
        return [(tuple(n for n in alive if n != name), asked)] if len(alive) > 1 else []

    return longest_play((tuple(range(factorial(size))), 0), list_successors)
