"""Password breaking: guess a password that every wrong guess changes, by sums of digits.

EvolArena, cases N.21 and N.22, algorithms 5 to 7; the puzzle is Codeforces 1543 D with another rule
of change. Passwords are `low` to `low + span`. A wrong guess y turns the password x into
low + (z mod (span + 1)), where z is the sum of x and y in base `base`, digit by digit without
carry. Offsets, from 0 to span, count from `low`.

A reply only reveals that a guess was wrong, so a list of guesses made from the prompt is as good as
any player. But the change may map different passwords to one. The reference player uses that: each
of its guesses is a possible password after which the fewest are possible, of several the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from facelet.generators.arcade.game_toolkit import (
    LAST,
    LEVELS,
    ArcadeGame,
    ArcadeParams,
    ArcadePuzzle,
    Command,
    CommandForm,
    Deviation,
    Draw,
    Luck,
    Player,
    Reject,
    Sample,
    below,
    blank_terms,
    column,
    level_param,
    number_to_digits,
)

LOWS = 5000
"""The greatest of the least passwords."""
BASES = range(2, 17)
SPARE = 100
"""Systems of base and least password that each item may try."""

Changes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The range of the passwords, the base, and the password at the start."""

    low: int = column("the least password", role="puzzle")
    span: int = column("the greatest password, less the least", role="puzzle")
    base: int = column("the base in which digits are added", role="puzzle")
    password: int = column("the password at the start", role="secret")


@dataclass(frozen=True, slots=True)
class State:
    """The password now, and whether it was guessed."""

    password: int
    won: bool = False


@dataclass(frozen=True, slots=True)
class Params(ArcadeParams):
    """Params of the game; later levels take seconds a row, or cannot be drawn."""

    level: int = level_param(40)


class PasswordBreaking(ArcadeGame[Params, Puzzle, State]):
    """A player guesses a password that changes with every wrong guess."""

    name = "arcade/password_breaking"
    version = 4
    # With so few guesses and candidates chance wins any puzzle, so there is no selection.
    picks_from = LAST + 1
    category = "dynamic_adaptation"
    forms = (CommandForm("guess", "My Guess: {int}", "My Guess: X"),)
    questions = frozenset({"guess"})
    answers = frozenset({"guess"})
    unread = 1.0  # a reply reveals nothing else, so the reference player reads none
    sample = Sample(
        Puzzle(blank_terms("dynamic_adaptation"), 10, 10, 3, 14),
        (Command("guess", (11,)), Command("guess", (10,))),
        "The base is 3, passwords are 10 to 20, and the hidden one is 14. The guess 11 is wrong: "
        "in base 3, 14 is 112 and 11 is 102, which gives 211, or 22; so the new password is "
        "10 + (22 mod 11) = 10.",
    )
    deviations = (
        Deviation(
            "15 turns",
            "as many as the reference player needs at most",
            "luck should count less: among 11 passwords a random guesser wins 76 of 100 games",
            "published=true, or turns=15",
        ),
        Deviation(
            "any base and least password",
            "those where the reference player needs at most 3 (level + 1) turns",
            "others need a turn for every password",
            "published=true",
        ),
        Deviation(
            "",
            "the change may map two passwords to one, as printed; never in the original",
            "text and code agree; without it 31 passwords could not surely be found in 15 turns",
        ),
        Deviation(
            "a guess outside the range returns Invalid",
            "it returns the reason and costs a turn; the password stays",
            "format and legality are separate",
        ),
    )

    def make(self, params: Params, draw: Draw) -> Puzzle:
        span = params.level_size(10, 20, 30, 10)
        number = draw.unique_number("system", LOWS * len(BASES), self.capacity(params))
        base, low = number_to_digits(number, (len(BASES), LOWS))
        password = 1 + low + int(draw.rng.integers(span + 1))
        terms = self.terms(params, draw, first_luck=1 / (span + 1))
        puzzle = Puzzle(terms, 1 + low, span, BASES[base], password)
        most = _guess_limit(params.level)
        if not params.published and len(_plan_guesses(1 + low, span, BASES[base], most)) > most:
            raise Reject("the reference player needs too many guesses")
        return puzzle

    def capacity(self, params: Params) -> int:
        return LOWS * len(BASES) // SPARE

    def turn_limit(self, params: Params, shown: Puzzle, bound: int | None) -> int:
        return super().turn_limit(params, shown, bound) if params.published else self.bound(shown)

    def rules(self, puzzle: Puzzle) -> str:
        low, high, base = puzzle.low, puzzle.low + puzzle.span, puzzle.base
        return (
            f"Break the password. It is a whole number from {low} to {high}, and in each turn you "
            "guess it. If you are right, you win. If not, I say Incorrect, and the password "
            "changes. What it changes to depends on nothing but the password x so far and your "
            "guess y:\n"
            f"1. Write x and y in base {base}, the shorter one with zeros in front until both have "
            "the same number of digits.\n"
            f"2. Add them digit by digit, without carrying: each digit of the result is the sum of "
            f"the two digits at its place, modulo {base}.\n"
            f"3. Read the result as a number z in base {base}.\n"
            f"4. The new password is {low} + (z mod {puzzle.span + 1}), again a number from {low} "
            f"to {high}.\n"
            "So two different passwords may change into the same one. A guess outside the range "
            "is not allowed and leaves the password as it is.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        high = puzzle.low + puzzle.span
        return f"The base is {puzzle.base}; passwords are {puzzle.low} to {high}. Guess."

    def start(self, puzzle: Puzzle) -> State:
        return State(puzzle.password)

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        high = puzzle.low + puzzle.span
        inside = puzzle.low <= command.args[0] <= high
        return "" if inside else f"passwords are {puzzle.low} to {high}"

    def step(self, puzzle: Puzzle, state: State, command: Command, luck: Luck) -> State:
        (guess,) = command.args
        if guess == state.password:
            return State(guess, won=True)
        changes = _password_changes(puzzle.low, puzzle.span, puzzle.base)
        return State(puzzle.low + int(changes[guess - puzzle.low, state.password - puzzle.low]))

    def observe(self, puzzle: Puzzle, state: State) -> str:
        return "Correct" if state.won else "Incorrect"

    def result(self, puzzle: Puzzle, state: State) -> bool | None:
        return True if state.won else None

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        return Command("guess", (puzzle.low + below(rng, puzzle.span + 1),))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle]:
        yield from (
            Puzzle(shown.terms, shown.low, shown.span, shown.base, password)
            for password in range(shown.low, shown.low + shown.span + 1)
        )

    def hidden_target(self, puzzle: Puzzle, state: State) -> int:
        return state.password

    def bound(self, shown: Puzzle) -> int:
        return len(_plan_guesses(shown.low, shown.span, shown.base))

    def win_probability(self, shown: Puzzle) -> float:
        found = _turns_to_find(shown.low, shown.span, shown.base)
        return float((found <= shown.terms.turns).mean())

    def player(self, shown: Puzzle) -> Player:
        yield from (
            Command("guess", (guess + shown.low,))
            for guess in _plan_guesses(shown.low, shown.span, shown.base)
        )


TASK = PasswordBreaking()


def _guess_limit(level: int) -> int:
    """Return the most guesses that a system of a level may need.

    A player of arbitrary passwords wins about the share of turns among all passwords. One system in
    ten has so few turns, and the share falls with the level.
    """
    return 2 * level + 4 if level <= LEVELS[-1] else level + 9


@lru_cache(maxsize=256)
def _password_changes(low: int, span: int, base: int) -> Changes:
    """Return the offset of the new password, by the offsets of guess and password."""
    numbers = np.arange(low, low + span + 1)
    total = np.zeros((len(numbers), len(numbers)), dtype=np.int64)
    place = 1
    while place <= numbers[-1]:
        digit = numbers // place % base
        total += (digit[:, None] + digit) % base * place
        place *= base
    changes: Changes = total % len(numbers)
    return changes


_BITS = 64
"""Bits of a word."""


@lru_cache(maxsize=256)
def _plan_guesses(low: int, span: int, base: int, most: int | None = None) -> tuple[int, ...]:
    """Return the offsets that the reference player guesses until no password is possible.

    Args:
        low: the least password.
        span: the greatest password minus the least.
        base: the base.
        most: the plan ends after one guess more than this; None for no end.
    """
    changes = _password_changes(low, span, base)
    # The new password as one bit of several words, by guess and password.
    words = np.arange(span // _BITS + 1)[:, None, None]
    bits = np.where(changes // _BITS == words, np.uint64(1) << (changes % _BITS).astype("u8"), 0)
    bits[:, np.arange(span + 1), np.arange(span + 1)] = 0  # a right guess ends the game
    possible = np.arange(span + 1)
    plan: list[int] = []
    while len(possible) and (most is None or len(plan) <= most):
        left = np.bitwise_or.reduce(bits[:, possible[:, None], possible], axis=2)
        best = int(np.bitwise_count(left).sum(axis=0).argmin())
        plan.append(int(possible[best]))
        possible = np.flatnonzero(np.unpackbits(left[:, best].view("u1"), bitorder="little"))
    return tuple(plan)


@lru_cache(maxsize=256)
def _turns_to_find(low: int, span: int, base: int) -> Changes:
    """Return the turn in which the reference player guesses each password, by offset."""
    changes = _password_changes(low, span, base)
    now = np.arange(span + 1)
    found = np.zeros(span + 1, dtype=np.int64)
    for turn, guess in enumerate(_plan_guesses(low, span, base), start=1):
        found[(now == guess) & (found == 0)] = turn
        now = np.where(found > 0, -1, changes[guess, now])
    return found
